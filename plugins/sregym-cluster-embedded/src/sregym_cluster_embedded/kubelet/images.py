"""Images on nodes: presence, pull policies, pulls one after another, back-off of failed pulls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.kubelet.report import tell

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ImagePull
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_FIRST_BACKOFF_S = 10.0
_LONGEST_BACKOFF_S = 300.0
_RESOLVE_S = 0.35
_BYTES_PER_S = 40e6
_VALID = re.compile(r"^[a-z0-9]+([._:/-]+[A-Za-z0-9_.-]+)*(@sha256:[0-9a-f]{64})?$")


class _Failure(NamedTuple):
    """The last failed pull of one image for one pod."""

    error: str
    backoff_s: float
    at: float


class ImageState(NamedTuple):
    """What the kubelet found about the image of a container that it wants to start.

    Attributes:
        ready: The container can be created; `image_id` is set.
        image_id: Digest reference.
        pull_s: The container can be created after a pull of so many seconds.
        reason: Why it cannot be created now: the waiting reason.
        message: The waiting message.
    """

    ready: bool = False
    image_id: str = ""
    pull_s: float = 0.0
    reason: str = ""
    message: str = ""


def preload(world: World, node: str, image: str, image_id: str, size_bytes: int) -> None:
    """Put an image onto a node."""
    world.table("kubelet.images")[(node, image)] = (image_id, size_bytes)


def ensure(world: World, pod: Object, state: PodState, container: Object) -> ImageState:
    """Look for the image of a container, begin to pull it if the policy wants that."""
    image, name = container["image"], container["name"]
    policy = container.get("imagePullPolicy", "IfNotPresent")
    if not _VALID.match(image):
        message = (
            f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": '
            "invalid reference format"
        )
        tell(world, pod, state, "Warning", "InspectFailed", message, name)
        tell(world, pod, state, "Warning", "Failed", "Error: InvalidImageName", name)
        return ImageState(reason="InvalidImageName", message=message)
    present = world.table("kubelet.images").get((state.node, image))
    if present is not None and policy != "Always":
        message = (
            f'Container image "{image}" already present on machine and can be accessed by the pod'
        )
        tell(world, pod, state, "Normal", "Pulled", message, name)
        return ImageState(ready=True, image_id=present[0])
    if policy == "Never":
        message = f'Container image "{image}" is not present with pull policy of Never'
        tell(world, pod, state, "Warning", "ErrImageNeverPull", message, name)
        tell(world, pod, state, "Warning", "Failed", "Error: ErrImageNeverPull", name)
        return ImageState(reason="ErrImageNeverPull", message=message)
    return _pull(world, pod, state, container, present is not None)


def finish_pull(
    world: World, pod: Object, state: PodState, container: Object, took_s: float
) -> str:
    """The pull that `ensure` began is over; returns the image id."""
    image = container["image"]
    runtime: ContainerRuntime = world.room("runtime")
    pulled = runtime.pull(world, state.node, image)
    preload(world, state.node, image, pulled.image_id, pulled.size_bytes)
    world.table("kubelet.pulls").pop((state.uid, image), None)
    own = _duration(_pull_time(pulled, False))
    message = (
        f'Successfully pulled image "{image}" in {own} ({_duration(took_s)} including waiting). '
        f"Image size: {pulled.size_bytes} bytes."
    )
    tell(world, pod, state, "Normal", "Pulled", message, container["name"])
    return pulled.image_id


def forget_pulls(world: World, pod: Object, uid: str) -> None:
    """Drop what is kept of a pod's failed pulls."""
    pulls = world.table("kubelet.pulls")
    for group in ("initContainers", "containers"):
        for container in pod["spec"].get(group, ()):
            pulls.pop((uid, container["image"]), None)


def _pull(
    world: World, pod: Object, state: PodState, container: Object, present: bool
) -> ImageState:
    image, name = container["image"], container["name"]
    failures = world.table("kubelet.pulls")
    last: _Failure | None = failures.get((state.uid, image))
    if last is not None and world.now - last.at < last.backoff_s:
        tell(world, pod, state, "Normal", "BackOff", f'Back-off pulling image "{image}"', name)
        tell(world, pod, state, "Warning", "Failed", "Error: ImagePullBackOff", name)
        message = f'Back-off pulling image "{image}": ErrImagePull: {last.error}'
        return ImageState(reason="ImagePullBackOff", message=message)
    tell(world, pod, state, "Normal", "Pulling", f'Pulling image "{image}"', name)
    runtime: ContainerRuntime = world.room("runtime")
    pulled = runtime.pull(world, state.node, image)
    if pulled.found:
        queue = world.table("kubelet.pulling")
        begin = max(world.now, queue.get(state.node, 0.0))
        queue[state.node] = begin + _pull_time(pulled, present)
        return ImageState(pull_s=queue[state.node] - world.now)
    text = f'Failed to pull image "{image}": {pulled.error}'
    tell(world, pod, state, "Warning", "Failed", text, name)
    tell(world, pod, state, "Warning", "Failed", "Error: ErrImagePull", name)
    backoff_s = _FIRST_BACKOFF_S
    if last is not None:
        backoff_s = min(last.backoff_s * 2, _LONGEST_BACKOFF_S)
    failures[(state.uid, image)] = _Failure(pulled.error, backoff_s, world.now)
    return ImageState(reason="ErrImagePull", message=pulled.error)


def _pull_time(pulled: ImagePull, present: bool) -> float:
    return _RESOLVE_S + (0.0 if present else pulled.size_bytes / _BYTES_PER_S)


def _duration(seconds: float) -> str:
    """A time as Go prints it after rounding to milliseconds."""
    milliseconds = round(seconds * 1000)
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".") + "s"
