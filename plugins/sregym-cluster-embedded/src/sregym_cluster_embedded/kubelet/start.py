"""Starting containers: image, configuration, creation, start, one container after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubelet import probes
from sregym_cluster_embedded.kubelet.configuration import Missing
from sregym_cluster_embedded.kubelet.confinement import missing_profile
from sregym_cluster_embedded.kubelet.environment import environment, expand
from sregym_cluster_embedded.kubelet.eviction import watch_limits
from sregym_cluster_embedded.kubelet.hooks import run_hook
from sregym_cluster_embedded.kubelet.images import ImageState, ensure, finish_pull
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.killing import stop_container
from sregym_cluster_embedded.kubelet.pacing import (
    FIRST_RETRY_S,
    REPORT_S,
    START_S,
    next_relist,
    retry_delay,
    schedule_sync,
)
from sregym_cluster_embedded.kubelet.report import host_ip, pod_of, record_pod_event
from sregym_cluster_embedded.kubelet.resources_status import limits_of
from sregym_cluster_embedded.kubelet.restarting import raised_backoff, record_exit
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRuntime, ExitState
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    NEVER,
    RUNNING,
    STARTING,
    ContainerState,
    PodState,
    change,
    container_spec,
    save,
    state_of,
    with_container,
)
from sregym_cluster_embedded.kubelet.status import terminated
from sregym_cluster_embedded.kubelet.users import check_non_root, requires_non_root, user_in_status
from sregym_cluster_embedded.kubelet.volumes import (
    check_mounts,
    container_mounts,
    image_volumes,
)
from sregym_cluster_embedded.network.resolver import hostname_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def launch(
    world: World,
    pod: Object,
    state: PodState,
    names: tuple[str, ...],
    fresh: tuple[str, ...] = (),
) -> None:
    """Start these containers in order; the pod is busy until the last has started or failed.

    Args:
        world: The cluster.
        pod: The pod.
        state: What its kubelet knows of it.
        names: The containers.
        fresh: Images that have just been pulled for volumes of the first.
    """
    for position, name in enumerate(names):
        container = container_spec(pod["spec"], name)
        rest = names[position:]
        image, volume = _images(world, pod, state, container, fresh if position == 0 else ())
        if image.reason:
            state = _hold(world, state, name, image.reason, image.message)
            continue
        if image.pull_s:
            save(world, state._replace(busy=True))
            delay_s = image.waits_s + image.pull_s
            times = (image.waits_s, image.pull_s)
            if volume:
                arguments = (rest, *times, volume["image"], fresh)
                world.after(delay_s, "kubelet.pulled_volume", state.uid, *arguments)
            else:
                world.after(delay_s, "kubelet.pulled", state.uid, rest, *times)
            return
        if create(world, pod, state, rest, image.image_id):
            return
        state = state_of(world, state.uid) or state
    _finish(world, state)


def _images(
    world: World, pod: Object, state: PodState, container: Object, fresh: tuple[str, ...]
) -> tuple[ImageState, Object]:
    """The images that a container needs, those of its volumes first; which of these is missing."""
    for wanted in image_volumes(pod, container):
        if wanted["image"] not in fresh:
            found = ensure(world, pod, state, wanted)
            if found.reason or found.pull_s:
                return found, wanted
    return ensure(world, pod, state, container), {}


def pulled(
    world: World, uid: str, names: tuple[str, ...], waited_s: float, pulled_s: float
) -> None:
    """Handler: the pull of the image of the first of `names` is over."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or _being_deleted(world, pod, state):
        return
    container = container_spec(pod["spec"], names[0])
    image = finish_pull(world, pod, state, container, waited_s, pulled_s)
    if image.reason:
        state = _hold(world, state, names[0], image.reason, image.message)
    if image.reason or not create(world, pod, state, names, image.image_id):
        launch(world, pod, state_of(world, uid) or state, names[1:])


def pulled_volume(
    world: World,
    uid: str,
    names: tuple[str, ...],
    waited_s: float,
    pulled_s: float,
    reference: str,
    fresh: tuple[str, ...],
) -> None:
    """Handler: the pull of an image for a volume of the first of `names` is over."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or _being_deleted(world, pod, state):
        return
    image = finish_pull(world, pod, state, {"name": "", "image": reference}, waited_s, pulled_s)
    if image.reason:
        state = _hold(world, state, names[0], image.reason, image.message)
        launch(world, pod, state, names[1:])
    else:
        launch(world, pod, state, names, (*fresh, reference))


def create(
    world: World, pod: Object, state: PodState, names: tuple[str, ...], image_id: str
) -> bool:
    """Resolve what the first container needs and plan its start; False when that failed."""
    name = names[0]
    container = container_spec(pod["spec"], name)
    try:
        if "envFrom" in container or any("valueFrom" in e for e in container.get("env", ())):
            environment(world, pod, state, container, host_ip(world, state.node))
        check_mounts(world, pod, state, container)
        if requires_non_root(pod, container):
            runtime: ContainerRuntime = world.service(RUNTIME)
            check_non_root(pod, container, runtime.user_of(world, container["image"]))
    except Missing as missing:
        record_pod_event(world, pod, state, "Warning", "Failed", f"Error: {missing}", name)
        _hold(world, state, name, "CreateContainerConfigError", str(missing))
        return False
    present = state.containers[name]
    previous = terminated(world, present) if present.phase == EXITED else present.previous
    starting = present._replace(
        phase=STARTING,
        attempt=present.attempt + 1,
        image=container["image"],
        image_id=image_id,
        previous=previous,
    )
    save(world, with_container(state, starting)._replace(busy=True))
    world.after(START_S, "kubelet.start", state.uid, names)
    return True


def start(world: World, uid: str, names: tuple[str, ...]) -> None:
    """Handler: create and start the first of `names`, then go on with the others."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or _being_deleted(world, pod, state):
        return
    name = names[0]
    spec = container_spec(pod["spec"], name)
    before = state.containers[name]
    if before.attempt > 0 and not before.free_restart:
        raised_s = raised_backoff(world, before)
        before = before._replace(backoff_s=raised_s, backoff_since=world.now)
    running = before._replace(
        phase=RUNNING,
        container_id=world.seed.hexadecimal(64),
        started_at=world.now,
        exit=None,
        waiting=None,
        started="startupProbe" not in spec,
        ready="readinessProbe" not in spec,
    )
    state = save(world, with_container(state, running))
    runtime: ContainerRuntime = world.service(RUNTIME)
    unconfined = missing_profile(pod, spec)
    if unconfined:
        failure: ExitState | None = ExitState(128, "CreateContainerError", unconfined)
    else:
        failure = runtime.start(world, configuration(world, pod, state, spec))
    if failure is not None and failure.reason == "CreateContainerError":
        _not_created(world, pod, state, before, failure.message)
        launch(world, pod, state_of(world, uid) or state, names[1:])
        return
    record_pod_event(world, pod, state, "Normal", "Created", "Container created", name)
    if failure is None:
        record_pod_event(world, pod, state, "Normal", "Started", "Container started", name)
        user = user_in_status(world, state.ref(name), state.node)
        state = state if user is None else change(world, uid, name, user=user)
        watch_limits(world, pod, state)
        hook = (spec.get("lifecycle") or {}).get("postStart")
        if hook is not None:
            result = run_hook(world, state.ref(name), hook)
            arguments = (uid, names, before.attempt, result.failure)
            world.after(result.duration_s, "kubelet.started", *arguments)
            return
        probes.begin(world, pod, state, name)
    else:
        record_pod_event(world, pod, state, "Warning", "Failed", f"Error: {failure.message}", name)
        state = change(world, uid, name, started_at=None)
        record_exit(world, state, name, failure)
        change(world, uid, name, waiting=("RunContainerError", failure.message))
        schedule_sync(world, uid, next_relist(world, state.node))
    state = state_of(world, uid) or state
    launch(world, pod, state, names[1:])


def started(world: World, uid: str, names: tuple[str, ...], attempt: int, failure: str) -> None:
    """Handler: the postStart hook of the first of `names` is over; go on with the others."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or _being_deleted(world, pod, state):
        return
    name = names[0]
    container = state.containers[name]
    if container.phase == RUNNING and container.attempt == attempt:
        if not failure:
            probes.begin(world, pod, state, name)
        else:
            # The event does not tell what the hook's server said: it might be a secret.
            text = "PostStartHook failed"
            record_pod_event(world, pod, state, "Warning", "FailedPostStartHook", text, name)
            state = change(world, uid, name, waiting=("PostStartHookError", failure))
            grace = float(pod["spec"].get("terminationGracePeriodSeconds", 30))
            # The pod stays busy until the container is gone.
            stop_container(world, state, name, "FailedPostStartHook", grace)
            return
    launch(world, pod, state_of(world, uid) or state, names[1:])


def configuration(world: World, pod: Object, state: PodState, spec: Object) -> ContainerConfig:
    """All that the process can see, resolved now."""
    name = spec["name"]
    env = environment(world, pod, state, spec, host_ip(world, state.node))
    limits = limits_of(pod["spec"], spec)
    command, args = spec.get("command"), spec.get("args")
    return ContainerConfig(
        ref=state.ref(name),
        image=spec["image"],
        command=tuple(expand(part, env) for part in command) if command else None,
        args=tuple(expand(part, env) for part in args) if args else None,
        env=env,
        working_dir=spec.get("workingDir"),
        mounts=container_mounts(world, spec, state.mounts or {}, env),
        memory_limit_bytes=int(parse(limits["memory"])) if "memory" in limits else None,
        cpu_limit_cores=float(parse(limits["cpu"])) if "cpu" in limits else None,
        node=state.node,
        pod_ip=state.ip,
        hostname=hostname_of(pod),
        spec=spec,
    )


def _not_created(
    world: World, pod: Object, state: PodState, starting: ContainerState, message: str
) -> None:
    """The runtime refused to create a container: it is as it was before, and tried again later."""
    record_pod_event(world, pod, state, "Warning", "Failed", f"Error: {message}", starting.name)
    before = starting._replace(
        phase=EXITED if starting.attempt > 0 else NEVER, attempt=starting.attempt - 1
    )
    # Nothing has begun to run that the status would have to follow.
    state = save(world, with_container(state, before)._replace(busy=False, again=False))
    _hold(world, state, starting.name, "CreateContainerError", message)


def _hold(world: World, state: PodState, name: str, reason: str, message: str) -> PodState:
    """A container cannot be started now: say why, and try again later."""
    first = state.containers[name].waiting is None and state.containers[name].phase == NEVER
    state = change(world, state.uid, name, waiting=(reason, message))
    schedule_sync(world, state.uid, FIRST_RETRY_S if first else retry_delay(world, state))
    return state


def _finish(world: World, state: PodState) -> None:
    """All that could be started runs: let the status follow."""
    if not state.busy:
        return
    save(world, state._replace(busy=False, again=False))
    schedule_sync(world, state.uid, REPORT_S)


def _being_deleted(world: World, pod: Object, state: PodState) -> bool:
    """Whether the start must be given up because the pod is to go; if so, the pod is synced."""
    if "deletionTimestamp" not in pod["metadata"]:
        return False
    containers = {
        name: entry._replace(
            phase=NEVER if entry.attempt == 0 else EXITED, attempt=entry.attempt - 1
        )
        if entry.phase == STARTING
        else entry
        for name, entry in state.containers.items()
    }
    save(world, state._replace(busy=False, again=False, containers=containers))
    schedule_sync(world, state.uid, REPORT_S)
    return True
