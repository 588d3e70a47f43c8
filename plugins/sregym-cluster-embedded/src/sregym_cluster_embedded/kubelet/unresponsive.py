"""Nodes whose kubelet does not act: what it would have done waits until it goes on.

Containers live on without their kubelet. Pods of such a node keep the status that was written last,
new ones are not started, deleted ones stay.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import resources
from sregym_cluster_embedded.api.errors import ApiError, bad_request, internal, not_found
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.pacing import schedule_sync
from sregym_cluster_embedded.kubelet.report import host_ip, pod_of, write_status
from sregym_cluster_embedded.kubelet.state import pod_states, state_of
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import mark_processing

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import Handler, World

FROZEN, STOPPED, OFF = "frozen", "stopped", "off"
NO_RUNTIME = "without runtime"
# Of a machine that is no part of the simulation: the program that registered the node runs its pods.
OUTSIDE = "outside"
# By node: how its kubelet is, while it is not running.
_ABSENT: TableKey[str, str] = TableKey("kubelet.absent")
_HELD: TableKey[str, tuple[tuple[str, tuple[Any, ...]], ...]] = TableKey("kubelet.held")
SYNC = "kubelet.sync"
_QUEUES = (SYNC, "kubelet.probe", "kubelet.files", "kubelet.limits", "kubelet.deadline")
# After a pause the kubelet first corrects what others wrote, then looks at its pods.
_CORRECT_S = 0.07
_LOOK_S = 1.0
_PORT = 10250
_DIAL = {
    FROZEN: "net/http: TLS handshake timeout",
    STOPPED: "dial tcp {}:10250: connect: connection refused",
    OFF: "dial tcp {}:10250: connect: no route to host",
    OUTSIDE: "dial tcp {}:10250: connect: connection refused",
}
_NO_SOCKET = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while '
    'dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"'
)


def absent(world: World, node: str) -> str:
    """`frozen` (by a signal), `stopped`, `off`, `without runtime` or `outside`; empty while it works."""
    how: str = world.table(_ABSENT).get(node, "")
    return how


def leave(world: World, node: str, how: str) -> None:
    """The kubelet of a node acts no longer."""
    world.table(_ABSENT)[node] = how


def come_back(world: World, node: str) -> None:
    """The kubelet of a node goes on with what it was doing, and looks at all its pods."""
    world.table(_ABSENT).pop(node, None)
    for name, arguments in world.table(_HELD).pop(node, ()):
        world.after(_LOOK_S, name, *arguments)
    for uid, state in pod_states(world).items():
        if state.node == node:
            world.after(_CORRECT_S, "kubelet.correct", uid)
            schedule_sync(world, uid, _LOOK_S)


def correct(world: World, uid: str) -> None:
    """Handler: write the status that the kubelet holds to be true over what others wrote."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is not None and pod is not None:
        write_status(world, pod, state)


def while_present(name: str, handler: Callable[..., None]) -> Handler:
    """The handler `name`, whose first argument tells the pod: put off while its kubelet is absent."""
    return partial(_act, name, handler)


def _act(name: str, handler: Callable[..., None], world: World, key: Any, *rest: Any) -> None:
    away = world.table(_ABSENT)
    if away:
        state = state_of(world, key if isinstance(key, str) else key[0])
        if state is not None and state.node in away:
            _hold(world, state.node, name, (key, *rest))
            return
    handler(world, key, *rest)


def _hold(world: World, node: str, name: str, arguments: tuple[Any, ...]) -> None:
    if name in _QUEUES:
        mark_processing(world, name, arguments[0])
    if name != SYNC:
        held = world.table(_HELD)
        held[node] = (*held.get(node, ()), (name, arguments))


def check_reachable(world: World, pod: Object, action: str, container: str = "") -> None:
    """Refuse what needs the kubelet of a pod's node when that does not answer.

    Args:
        world: The cluster.
        pod: The pod.
        action: `containerLogs` for its logs; anything else is a stream.
        container: Name of the container.

    Raises:
        ApiError: With the error text of the API server that cannot connect.
    """
    node = pod["spec"].get("nodeName", "")
    if not node:
        if action == "containerLogs":
            return
        raise bad_request(f"pod {pod['metadata']['name']} does not have a host assigned")
    if world.store.get(Key("nodes", "", node)) is None:
        kind = resources.named("pods")
        assert kind is not None
        raise not_found(kind, node)
    how = absent(world, node)
    if not how:
        return
    if how == NO_RUNTIME:
        raise internal(_NO_SOCKET)
    address = host_ip(world, node)
    dial = _DIAL[how].format(address)
    if action == "containerLogs":
        metadata = pod["metadata"]
        path = f"containerLogs/{metadata['namespace']}/{metadata['name']}/{container}"
        raise ApiError(500, "", f'Get "https://{address}:{_PORT}/{path}": {dial}')
    raise ApiError(500, "", f"error dialing backend: {dial}")
