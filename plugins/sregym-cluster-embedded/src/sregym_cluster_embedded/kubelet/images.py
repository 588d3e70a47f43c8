"""Images on nodes: presence, pull policies, pulls one after another, back-off of failed pulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.pull_secrets import logins, missing
from sregym_cluster_embedded.kubelet.references import reference_error
from sregym_cluster_embedded.kubelet.report import record_pod_event
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ImagePull
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_PULLING: TableKey[str | tuple[str, str], float] = TableKey("kubelet.pulling")
_PULLS: TableKey[tuple[str, str], _Failure] = TableKey("kubelet.pulls")
IMAGES: TableKey[tuple[str, str], tuple[str, int]] = TableKey("kubelet.images")
SHOW = "node.images"
_SHOWN_S = 10.0
_FIRST_BACKOFF_S = 10.0
_LONGEST_BACKOFF_S = 300.0
_RESOLVE_S = 0.35
_BYTES_PER_S = 40e6


class _Failure(NamedTuple):
    """The last failed pull of one image for one pod."""

    error: str
    backoff_s: float
    at: float


class _Pull(NamedTuple):
    """A pull that is under way.

    Attributes:
        begins: When it gets its turn: a node pulls one image after another.
        ends: When the image has arrived.
    """

    begins: float
    ends: float


class ImageState(NamedTuple):
    """What the kubelet found about the image of a container that it wants to start.

    Attributes:
        ready: The container can be created; `image_id` is set.
        image_id: Digest reference.
        waits_s: How long the pull waits for others on the node.
        pull_s: The container can be created after a pull of so many seconds.
        reason: Why it cannot be created now: the waiting reason.
        message: The waiting message.
    """

    ready: bool = False
    image_id: str = ""
    waits_s: float = 0.0
    pull_s: float = 0.0
    reason: str = ""
    message: str = ""


def preload(world: World, node: str, image: str, image_id: str, size_bytes: int) -> None:
    """Put an image onto a node."""
    world.table(IMAGES)[(node, image)] = (image_id, size_bytes)


def ensure(world: World, pod: Object, state: PodState, container: Object) -> ImageState:
    """Look for the image of a container, begin to pull it if the policy wants that."""
    image, name = container["image"], container["name"]
    policy = container.get("imagePullPolicy", "IfNotPresent")
    wrong = reference_error(image)
    if wrong:
        message = (
            f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": '
            f"{wrong}"
        )
        record_pod_event(world, pod, state, "Warning", "InspectFailed", message, name)
        record_pod_event(world, pod, state, "Warning", "Failed", "Error: InvalidImageName", name)
        return ImageState(reason="InvalidImageName", message=message)
    present = world.table(IMAGES).get((state.node, image))
    if present is not None and policy != "Always":
        message = (
            f'Container image "{image}" already present on machine and can be accessed by the pod'
        )
        record_pod_event(world, pod, state, "Normal", "Pulled", message, name)
        return ImageState(ready=True, image_id=present[0])
    if policy == "Never":
        message = f'Container image "{image}" is not present with pull policy of Never'
        record_pod_event(world, pod, state, "Warning", "ErrImageNeverPull", message, name)
        record_pod_event(world, pod, state, "Warning", "Failed", "Error: ErrImageNeverPull", name)
        return ImageState(reason="ErrImageNeverPull", message=message)
    return _pull(world, pod, state, container, present is not None)


def finish_pull(
    world: World,
    pod: Object,
    state: PodState,
    container: Object,
    waited_s: float,
    pulled_s: float,
) -> ImageState:
    """The pull that `ensure` began is over."""
    image = container["image"]
    runtime: ContainerRuntime = world.service(RUNTIME)
    pulled = runtime.pull(world, state.node, image, logins(world, pod))
    if not pulled.found:
        return _refused(world, pod, state, container, pulled.error)
    preload(world, state.node, image, pulled.image_id, pulled.size_bytes)
    world.table(_PULLS).pop((state.uid, image), None)
    # The node's status lists it the next time that it is written.
    enqueue(world, SHOW, state.node, _SHOWN_S)
    own, total = _duration(pulled_s), _duration(waited_s + pulled_s)
    message = (
        f'Successfully pulled image "{image}" in {own} ({total} including waiting). '
        f"Image size: {pulled.size_bytes} bytes."
    )
    record_pod_event(world, pod, state, "Normal", "Pulled", message, container["name"])
    return ImageState(ready=True, image_id=pulled.image_id)


def check_pull_secrets(world: World, pod: Object, state: PodState) -> None:
    """Say which of a pod's pull secrets do not exist; a kubelet does with every sync."""
    if pod["spec"].get("imagePullSecrets") and (absent := missing(world, pod)):
        text = (
            f"Unable to retrieve some image pull secrets ({', '.join(absent)}); "
            "attempting to pull the image may not succeed."
        )
        record_pod_event(world, pod, state, "Warning", "FailedToRetrieveImagePullSecret", text)


def forget_pulls(world: World, pod: Object, uid: str) -> None:
    """Drop what is kept of a pod's failed pulls."""
    pulls = world.table(_PULLS)
    for group in ("initContainers", "containers", "ephemeralContainers"):
        for container in pod["spec"].get(group, ()):
            pulls.pop((uid, container["image"]), None)


def _pull(
    world: World, pod: Object, state: PodState, container: Object, present: bool
) -> ImageState:
    image, name = container["image"], container["name"]
    last: _Failure | None = world.table(_PULLS).get((state.uid, image))
    if last is not None and world.now - last.at < last.backoff_s:
        record_pod_event(
            world, pod, state, "Normal", "BackOff", f'Back-off pulling image "{image}"', name
        )
        record_pod_event(world, pod, state, "Warning", "Failed", "Error: ImagePullBackOff", name)
        message = f'Back-off pulling image "{image}": ErrImagePull: {last.error}'
        return ImageState(reason="ImagePullBackOff", message=message)
    record_pod_event(world, pod, state, "Normal", "Pulling", f'Pulling image "{image}"', name)
    runtime: ContainerRuntime = world.service(RUNTIME)
    pulled = runtime.pull(world, state.node, image, logins(world, pod))
    if pulled.found or pulled.took_s:
        under_way = _queue_pull(world, state.node, image, pulled, present)
        return ImageState(
            waits_s=under_way.begins - world.now, pull_s=under_way.ends - under_way.begins
        )
    return _refused(world, pod, state, container, pulled.error)


def _refused(
    world: World, pod: Object, state: PodState, container: Object, error: str
) -> ImageState:
    """A pull has failed: say why, and wait longer than the last time."""
    image, name = container["image"], container["name"]
    text = f'Failed to pull image "{image}": {error}'
    record_pod_event(world, pod, state, "Warning", "Failed", text, name)
    record_pod_event(world, pod, state, "Warning", "Failed", "Error: ErrImagePull", name)
    failures = world.table(_PULLS)
    last: _Failure | None = failures.get((state.uid, image))
    backoff_s = _FIRST_BACKOFF_S
    if last is not None:
        backoff_s = min(last.backoff_s * 2, _LONGEST_BACKOFF_S)
    failures[(state.uid, image)] = _Failure(error, backoff_s, world.now)
    return ImageState(reason="ErrImagePull", message=error)


def _queue_pull(world: World, node: str, image: str, pulled: ImagePull, present: bool) -> _Pull:
    """Put a pull into its node's queue; an image that will be there by then is not pulled twice."""
    queue = world.table(_PULLING)
    begins = max(world.now, queue.get(node, 0.0))
    if not pulled.found:
        queue[node] = begins + pulled.took_s
        return _Pull(begins, queue[node])
    arriving = queue.get((node, image), 0.0) > world.now
    under_way = _Pull(begins, begins + _pull_time(pulled, present or arriving))
    queue[node] = under_way.ends
    queue[(node, image)] = under_way.ends
    return under_way


def _pull_time(pulled: ImagePull, present: bool) -> float:
    return _RESOLVE_S + (0.0 if present else pulled.size_bytes / _BYTES_PER_S)


def _duration(seconds: float) -> str:
    """A time as Go prints it after rounding to milliseconds."""
    milliseconds = round(seconds * 1000)
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".") + "s"
