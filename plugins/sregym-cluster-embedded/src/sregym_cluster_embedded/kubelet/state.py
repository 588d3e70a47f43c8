"""What a kubelet remembers of its pods: immutable values in the table `kubelet.pods`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExitState, Mount

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Key, Object
    from sregym_cluster_embedded.world import World

INIT, SIDECAR, MAIN, EPHEMERAL = "init", "sidecar", "main", "ephemeral"
NEVER, STARTING, RUNNING, EXITED = "never", "starting", "running", "exited"
_PODS: TableKey[str, PodState] = TableKey("kubelet.pods")
# Of pods whose volumes could not be set up, the wait before the next try.
MOUNT_DELAYS: TableKey[str, float] = TableKey("kubelet.mount_delays")
RENEWS = "renews"


class ContainerState(NamedTuple):
    """One container of a pod, over all its lives.

    Attributes:
        name: Name in the spec.
        role: `INIT`, `SIDECAR` (init container with restartPolicy Always), `MAIN` or `EPHEMERAL`.
        phase: `NEVER` started, `STARTING`, `RUNNING` or `EXITED`, as the runtime knows it.
        attempt: Number of the present life, from 0; -1 before the first.
        container_id: Of the present life, without `containerd://`.
        image: Reference that the present life was started from.
        image_id: Its digest.
        started_at: Virtual second; None when the process never began to run.
        finished_at: Virtual second of the end, when `EXITED`.
        exit: How it ended, when `EXITED`.
        previous: state.terminated of the life before, or None.
        waiting: Reason and message of the last failed sync, shown while nothing runs.
        started: Whether the startup probe has passed (or there is none).
        ready: Whether the readiness probe passes (or there is none), while running.
        backoff_s: Present restart back-off; 0 before the first restart.
        backoff_since: When the back-off was last raised.
        retry_at: When the back-off of the present end is over, with its random stretch.
        ended_before_at: When the last life ended; kept while the next runs.
        free_restart: Whether the next start raises no back-off.
        user: As whom the present life runs, as its status tells it; None where it is not told.
    """

    name: str
    role: str
    phase: str = NEVER
    attempt: int = -1
    container_id: str = ""
    image: str = ""
    image_id: str = ""
    started_at: float | None = None
    finished_at: float = 0.0
    exit: ExitState | None = None
    previous: Object | None = None
    waiting: tuple[str, str] | None = None
    started: bool = False
    ready: bool = False
    backoff_s: float = 0.0
    backoff_since: float = 0.0
    retry_at: float = 0.0
    ended_before_at: float = 0.0
    free_restart: bool = False
    user: Object | None = None


class PodState(NamedTuple):
    """One pod on its node.

    Attributes:
        key: Where the API object stands.
        uid: Uid of the pod; the key of the table.
        node: Node name.
        ip: Pod address, empty before the sandbox exists.
        mounts: Contents of the pod's volumes by volume name once they are set up, else None.
        sandbox: Whether the pod's sandbox (its network) exists.
        busy: Whether containers are being started right now; syncs wait for that.
        again: Whether a sync was asked for while busy.
        containers: By name: init containers in order, then the others.
        deadline: When a deleted pod's grace period ends; None while it is not being deleted.
        ending: Whether the pod has done its work, or failed for good, and is being wound up.
        ended: Whether all containers have ended for good.
        failure: status.reason and status.message of a pod that its kubelet ended.
        allotted: By container: the resources that it has while the spec asks for others.
        resize: Type, reason, message and generation of the condition of a resize; or empty.
        renews: `RENEWS` when the end of a container may restart all of them; see `renewal`.
    """

    key: Key
    uid: str
    node: str
    ip: str = ""
    mounts: dict[str, Mount] | None = None
    sandbox: bool = False
    busy: bool = False
    again: bool = False
    containers: dict[str, ContainerState] = {}  # noqa: RUF012  replaced, never edited
    deadline: float | None = None
    ending: bool = False
    ended: bool = False
    failure: tuple[str, str] = ("", "")
    allotted: dict[str, Object] = {}  # noqa: RUF012  replaced, never edited
    resize: tuple[str, str, str, int] | tuple[()] = ()
    renews: str = ""

    def ref(self, name: str) -> ContainerRef:
        """The present life of a container."""
        attempt = self.containers[name].attempt
        return ContainerRef(self.key.namespace, self.key.name, self.uid, name, attempt)


def pod_states(world: World) -> dict[str, PodState]:
    """All pods that kubelets know, by uid."""
    return world.table(_PODS)


def state_of(world: World, uid: str) -> PodState | None:
    """What its kubelet knows of a pod, or None."""
    state: PodState | None = pod_states(world).get(uid)
    return state


def save(world: World, state: PodState) -> PodState:
    """Keep a new state of a pod."""
    pod_states(world)[state.uid] = state
    return state


def with_container(state: PodState, container: ContainerState) -> PodState:
    """The pod with one container replaced."""
    return state._replace(containers={**state.containers, container.name: container})


def change(world: World, uid: str, name: str, **fields: Any) -> PodState:
    """Replace fields of one container of a pod that is known."""
    state: PodState = pod_states(world)[uid]
    container = state.containers[name]._replace(**fields)
    return save(world, with_container(state, container))


def new_containers(spec: Object) -> dict[str, ContainerState]:
    """The containers of a pod spec before anything has started."""
    states = {}
    for container in spec.get("initContainers", ()):
        role = SIDECAR if container.get("restartPolicy") == "Always" else INIT
        states[container["name"]] = ContainerState(container["name"], role)
    for container in spec["containers"]:
        states[container["name"]] = ContainerState(container["name"], MAIN)
    for container in spec.get("ephemeralContainers", ()):
        states[container["name"]] = ContainerState(container["name"], EPHEMERAL)
    return states


def container_spec(spec: Object, name: str) -> Object:
    """The spec of a container of any role."""
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(group, ()):
            if container["name"] == name:
                found: Object = container
                return found
    message = f"the pod spec has no container {name!r}"
    raise LookupError(message)
