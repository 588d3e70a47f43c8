"""Users of containers: the check of `runAsNonRoot`, and what the status tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.configuration import Missing
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

    # What a runtime offers besides when it knows as whom its processes run: user, group and all
    # groups of a container.
    _IdentityOf = Callable[[World, ContainerRef], tuple[int, int, tuple[int, ...]]]


# The first major version of containerd that tells its kubelet.
_TELLS = 2


def reports_users(runtime: str) -> bool:
    """Whether a runtime, named as in the status of nodes, tells as whom its containers run."""
    name, _, version = runtime.partition("://")
    major = version.partition(".")[0]
    return name == "containerd" and major.isdecimal() and int(major) >= _TELLS


def user_in_status(world: World, ref: ContainerRef, node: str) -> Object | None:
    """`user` in the status of a container that has just begun to run; None where it is not told."""
    found = world.store.get(Key("nodes", "", node))
    info = (found or {}).get("status", {}).get("nodeInfo") or {}
    if not reports_users(info.get("containerRuntimeVersion", "")):
        return None
    # Asked with each start: comparing a runtime with a protocol would take longer than the answer.
    identity_of: _IdentityOf | None = getattr(world.service(RUNTIME), "identity_of", None)
    if identity_of is None:
        return None
    uid, gid, groups = identity_of(world, ref)
    return {"linux": {"gid": gid, "supplementalGroups": list(groups), "uid": uid}}


def requires_non_root(pod: Object, container: Object) -> bool:
    """Whether a container may not run as root, by its own security context or the pod's."""
    return bool(_effective(pod, container, "runAsNonRoot"))


def check_non_root(pod: Object, container: Object, image_user: str) -> None:
    """Refuse a container that would run as root, or might.

    Args:
        pod: The pod.
        container: One of its containers, which asks for that.
        image_user: USER of the image; empty when it has none.

    Raises:
        Missing: It would.
    """
    metadata = pod["metadata"]
    whose = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    where = f'(pod: "{whose}", container: {container["name"]})'
    user = _effective(pod, container, "runAsUser")
    if user is not None:
        if user == 0:
            message = f"container's runAsUser breaks non-root policy {where}"
            raise Missing(message)
        return
    name = image_user.partition(":")[0]
    if name in ("", "0"):
        message = f"container has runAsNonRoot and image will run as root {where}"
        raise Missing(message)
    if not name.isdecimal():
        message = (
            f"container has runAsNonRoot and image has non-numeric user ({name}), "
            f"cannot verify user is non-root {where}"
        )
        raise Missing(message)


def _effective(pod: Object, container: Object, field: str) -> object:
    own = (container.get("securityContext") or {}).get(field)
    return (pod["spec"].get("securityContext") or {}).get(field) if own is None else own
