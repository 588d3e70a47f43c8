"""The loop of a kubelet: say how a pod is, then make the next step towards how it should be.

As in the real one, a sync writes the status first and acts afterwards. What an action found out
(a back-off, an image that cannot be pulled) therefore shows in the status of the *next* sync.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet import renewal, resizing, static_pods, termination
from sregym_cluster_embedded.kubelet.broken_parts import network_problem
from sregym_cluster_embedded.kubelet.eviction import repeat_events
from sregym_cluster_embedded.kubelet.images import check_pull_secrets
from sregym_cluster_embedded.kubelet.killing import (
    forget_stop,
    is_stopping,
    stop_container,
    stop_pod,
    take_turns,
)
from sregym_cluster_embedded.kubelet.pacing import (
    FIRST_RETRY_S,
    RESYNC_S,
    SANDBOX_S,
    next_relist,
    retry_delay,
    schedule_sync,
)
from sregym_cluster_embedded.kubelet.phases import (
    TERMINAL,
    any_container_started,
    last_exit_was_zero,
    verdict,
)
from sregym_cluster_embedded.kubelet.report import STATIC, pod_of, record_pod_event, write_status
from sregym_cluster_embedded.kubelet.restarting import in_backoff, remembered_backoff, restarts
from sregym_cluster_embedded.kubelet.sandbox import (
    allocate_address,
    has_memory,
    has_runtime,
    mount_volumes,
)
from sregym_cluster_embedded.kubelet.start import launch
from sregym_cluster_embedded.kubelet.state import (
    EPHEMERAL,
    EXITED,
    INIT,
    MAIN,
    NEVER,
    RUNNING,
    SIDECAR,
    ContainerState,
    PodState,
    change,
    container_spec,
    new_containers,
    save,
    state_of,
)
from sregym_cluster_embedded.network.resolver import omissions
from sregym_cluster_embedded.workqueue import mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# A pod whose node has no network for it is looked at again after so long.
_TRANSIENT_S = 1.25


def sync(world: World, uid: str) -> None:
    """Handler: look at one pod."""
    mark_processing(world, "kubelet.sync", uid)
    state = state_of(world, uid)
    if state is None:
        return
    pod = pod_of(world, state)
    going = pod is None or "deletionTimestamp" in pod["metadata"]
    if going and world.table(STATIC) and static_pods.renew(world, state):
        return
    if pod is None:
        termination.drop(world, state)
        return
    if going:
        termination.advance(world, pod, state)
        return
    if state.busy:
        save(world, state._replace(again=True))
        return
    if "ephemeralContainers" in pod["spec"]:
        state = _join(world, pod, state)
    if state.allotted or state.resize:
        state = resizing.settle(world, pod, state)
        if state.busy:
            return
    if state.ending and not state.ended:
        if _running(state):
            _wind_up(world, pod, state)
            return
        forget_stop(world, state)
        state = save(world, state._replace(ended=True, sandbox=False))
        repeat_events(world, pod, state)
    write_status(world, pod, state)
    if state.ending:
        return
    if not state.sandbox and _lacks_network(world, pod, state):
        return
    if state.mounts is None:
        mounted = mount_volumes(world, pod, state)
        if mounted is not None:
            check_pull_secrets(world, pod, state)
            world.after(SANDBOX_S, "kubelet.sandbox", uid)
        return
    if state.sandbox:
        check_pull_secrets(world, pod, state)
        act(world, pod, state)


def _lacks_network(world: World, pod: Object, state: PodState) -> bool:
    """Whether the node cannot give the pod a network now: say so and look again soon."""
    why = network_problem(world, state.node)
    if not why or pod["spec"].get("hostNetwork"):
        return False
    record_pod_event(
        world, pod, state, "Warning", "NetworkNotReady", f"network is not ready: {why}"
    )
    schedule_sync(world, state.uid, _TRANSIENT_S)
    return True


def _join(world: World, pod: Object, state: PodState) -> PodState:
    """Take in ephemeral containers that were added to the pod."""
    known = new_containers(pod["spec"])
    if known.keys() == state.containers.keys():
        return state
    return save(world, state._replace(containers={**known, **state.containers}))


def _running(state: PodState) -> list[ContainerState]:
    return [entry for entry in state.containers.values() if entry.phase == RUNNING]


def sandbox(world: World, uid: str) -> None:
    """Handler: the pod's sandbox and its network are made."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or "deletionTimestamp" in pod["metadata"]:
        return
    if "dnsConfig" in pod["spec"]:
        for text in omissions(pod):
            record_pod_event(world, pod, state, "Warning", "DNSConfigForming", text)
    address = None
    classless = "runtimeClassName" not in pod["spec"]
    if (classless or has_runtime(world, pod, state)) and has_memory(world, pod, state):
        address = allocate_address(world, pod, state)
    if address is None:
        world.after(retry_delay(world, state), "kubelet.sandbox", uid)
        return
    state = save(world, state._replace(ip=address, sandbox=True))
    # This status is made while the sandbox is: the address shows in the next one.
    write_status(world, pod, state._replace(ip=""))
    act(world, pod_of(world, state) or pod, state)


def resume(world: World, uid: str) -> None:
    """Handler: the second half of a sync that had to stop a container first."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or state.busy:
        return
    act(world, pod, state)
    schedule_sync(world, uid, FIRST_RETRY_S)


def act(world: World, pod: Object, state: PodState) -> None:
    """Start what should run and does not; end the pod when nothing is left to run."""
    if _replace_changed(world, pod, state):
        return
    if state.renews and renewal.step(world, pod, state):
        return
    spec = pod["spec"]
    reached = verdict(spec, state)
    if reached in TERMINAL:
        _end(world, state)
        return
    wanted = [
        entry
        for entry in state.containers.values()
        if entry.role == EPHEMERAL and entry.phase == NEVER
    ]
    waiting: list[ContainerState] = []
    if _initialize(world, state, wanted, waiting):
        for container in state.containers.values():
            if container.role != MAIN:
                continue
            if container.phase == NEVER:
                wanted.append(container)
            elif container.phase == EXITED and restarts(
                spec, container_spec(spec, container.name), container.exit
            ):
                (waiting if in_backoff(world, container) else wanted).append(container)
    names = tuple(entry.name for entry in wanted)
    _wait_for_backoff(world, pod, state, waiting)
    if names:
        launch(world, pod, state_of(world, state.uid) or state, names)


def _initialize(
    world: World,
    state: PodState,
    wanted: list[ContainerState],
    waiting: list[ContainerState],
) -> bool:
    """Add the init containers and sidecars that should start; whether the others may, too."""
    ready = any_container_started(state)
    for container in state.containers.values():
        if container.role == MAIN:
            return True
        if container.role == INIT and ready:
            continue
        blocks = False
        if container.phase == RUNNING:
            blocks = container.role == INIT or not (container.started or ready)
        elif container.phase == NEVER:
            wanted.append(container)
            blocks = not ready
        elif container.role == SIDECAR or not last_exit_was_zero(container):
            (waiting if in_backoff(world, container) else wanted).append(container)
            blocks = not ready
        if blocks:
            return False
    return True


def _wait_for_backoff(
    world: World, pod: Object, state: PodState, waiting: list[ContainerState]
) -> None:
    for container in waiting:
        name = container.name
        pod_name = f"{pod['metadata']['name']}_{pod['metadata']['namespace']}({state.uid})"
        text = f"Back-off restarting failed container {name} in pod {pod_name}"
        record_pod_event(world, pod, state, "Warning", "BackOff", text, name)
        backoff = _go_duration(remembered_backoff(world, container))
        message = f"back-off {backoff} restarting failed container={name} pod={pod_name}"
        change(world, state.uid, name, waiting=("CrashLoopBackOff", message))
        schedule_sync(world, state.uid, min(max(container.retry_at - world.now, 0.0), RESYNC_S))


def _go_duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def _replace_changed(world: World, pod: Object, state: PodState) -> bool:
    """Stop a running container whose image the pod spec no longer names."""
    for container in state.containers.values():
        if container.phase != RUNNING:
            continue
        if container_spec(pod["spec"], container.name)["image"] != container.image:
            message = f"Container {container.name} definition changed, will be restarted"
            grace = float(pod["spec"].get("terminationGracePeriodSeconds", 30))
            save(world, state._replace(busy=True))
            stop_container(world, state, container.name, message, grace)
            return True
    return False


def _end(world: World, state: PodState) -> None:
    """The pod has done its work, or failed for good.

    The node's next list of containers confirms it. Then what is left is stopped, and the end is
    reported when nothing is.
    """
    save(world, state._replace(ending=True))
    schedule_sync(world, state.uid, next_relist(world, state.node))


def _wind_up(world: World, pod: Object, state: PodState) -> None:
    """Stop what is left of a pod at its end; what ends meanwhile is told with the rest."""
    if is_stopping(world, state.uid):
        take_turns(world, state)
    else:
        stop_pod(world, state, float(pod["spec"].get("terminationGracePeriodSeconds", 30)))
