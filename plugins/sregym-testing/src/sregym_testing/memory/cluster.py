"""The API of a cluster in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import (
    Checkpoint,
    Clock,
    Cluster,
    ClusterError,
    ClusterProvider,
    ClusterSpec,
    Command,
    CommandResult,
    Finding,
    ServiceAnswer,
    default_actor,
    no_such_service,
)
from sregym_core.model import Node, ObjectRef
from sregym_kubernetes.changes.patches import apply_patch
from sregym_kubernetes.copying import copied
from sregym_kubernetes.operations import KubernetesOperations
from sregym_kubernetes.telemetry_redaction import observe_with_policy

from sregym_testing.memory.api_errors import already_exists, forbidden, negative, not_found
from sregym_testing.memory.clock import START_S, MemoryClock, timestamp
from sregym_testing.memory.kubectl import run_kubectl
from sregym_testing.memory.nodes import MemoryNodes
from sregym_testing.memory.pods import WORKLOADS, Controller, State, owned_by
from sregym_testing.memory.stored import managed, reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Access, Actor
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.policy import Policy

    from sregym_testing.memory.pods import Programs

    Executor = Callable[[KubeObject, Sequence[str], str], CommandResult]
    Observed = Callable[[str, Sequence[tuple[str, str]]], ServiceAnswer]


def _nothing_installed(_pod: KubeObject, argv: Sequence[str], _stdin: str) -> CommandResult:
    return CommandResult(127, stderr=f"{argv[0]}: not found\n")


class MemoryCluster(Cluster):
    """Objects by reference, and pods that follow them. Refusals carry the error texts of a real server.

    Controllers look at a new workload at once and at everything whenever time passes: who scales
    to zero and back in between was never seen.

    Attributes:
        programs: What runs in a container, by image; an image that is not there cannot be pulled.
            None: every image runs something that is ready at once. A change holds for what starts
            later.
        executor: What answers `exec`, given pod, command and stdin; nothing is installed unless a
            test says so.
        answers: What answers a kubectl command instead of the subcommands known here, by the
            command as it would be typed.
        observed: What answers `observe`, by name of the service, given path and query.

    Args:
        programs: As the attribute.
        nodes: Machines; pods are spread over them. Without any there is no access to nodes.
    """

    def __init__(self, programs: Programs = None, nodes: Sequence[Node] = ()) -> None:
        self.programs = programs
        self._nodes = MemoryNodes(nodes) if nodes else None
        self.executor: Executor = _nothing_installed
        self.answers: dict[str, CommandResult] = {}
        self.observed: dict[str, Observed] = {}
        self._failure: ClusterError | None = None
        self._start_at(START_S, State(), 0)
        for name in ("default", "kube-system"):
            self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for node in nodes:
            self.create(_node_object(node))

    @property
    def operations(self) -> KubernetesOperations:
        """Those of any Kubernetes."""
        return KubernetesOperations(self)

    @property
    def nodes(self) -> MemoryNodes | None:
        """The machines that were given."""
        return self._nodes

    @property
    def clock(self) -> Clock:
        """Virtual time."""
        return self._clock

    def fail_reads(self, error: ClusterError | None) -> None:
        """From now on every read of objects is answered with this error; None: as usual again."""
        self._failure = error

    def state_at(self, moment_s: float) -> State:
        """Everything as it was at a moment, statuses as of the change before it.

        Raises:
            ValueError: When the cluster was not there yet.
        """
        state = next((state for at_s, state in reversed(self._history) if at_s <= moment_s), None)
        if state is None:
            raise ValueError(f"there is no state of {moment_s}: the cluster was made later")
        return state

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """A copy of the object."""
        self._may_read()
        return copied(self._objects.get(ref))

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Copies of the objects; selectors of the form `key=value,key=value`."""
        self._may_read()
        wanted = dict(pair.split("=", 1) for pair in selector.split(",") if pair)
        found = [
            obj
            for ref, obj in self._objects.items()
            if (ref.api_version, ref.kind) == (api_version, kind)
            and namespace in ("", ref.namespace)
            and wanted.items() <= (obj["metadata"].get("labels") or {}).items()
        ]
        found.sort(key=lambda o: (o["metadata"].get("namespace", ""), o["metadata"]["name"]))
        return copied(found)

    def create(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Create an object in a namespace that exists."""
        ref = reference(obj)
        if ref in self._objects:
            raise already_exists(ref)
        if ref.namespace and _namespace(ref.namespace) not in self._objects:
            raise not_found(_namespace(ref.namespace))
        created = self._store(ref, obj, {}, actor or default_actor("create"))
        if ref.kind in WORKLOADS:
            self._follow([ref])
        return created

    def replace(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Replace an object; a resourceVersion that is not current is a conflict."""
        ref = reference(obj)
        current = self._existing(ref)
        version = obj["metadata"].get("resourceVersion")
        if version not in (None, current["metadata"].get("resourceVersion")):
            what = "the object has been modified; please apply your changes to the latest version"
            raise ClusterError(409, "Conflict", f"Operation cannot be fulfilled on {ref}: {what}")
        return self._store(ref, obj, current, actor or default_actor("replace"))

    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> KubeObject:
        """Patch an object."""
        current = self._existing(ref)
        try:
            patched = apply_patch(current, patch, kind)
        except ValueError as error:
            raise ClusterError(422, "Invalid", f"the patch cannot be applied: {error}") from error
        return self._store(ref, patched, current, actor or default_actor("patch"))

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Delete at once: a namespace with all that is in it, a workload with its pods."""
        if ref not in self._objects:
            return

        def goes(other: ObjectRef) -> bool:
            inside = ref.kind == "Namespace" and other.namespace == ref.name
            return other == ref or inside or owned_by(self._objects[other], ref)

        gone = [other for other in self._objects if goes(other)]
        before = self._history[-1][1]
        self._keep(
            State(
                {other: obj for other, obj in before.objects.items() if other not in gone},
                {other: starts for other, starts in before.starts.items() if other not in gone},
                {other: known for other, known in before.templates.items() if other not in gone},
            )
        )

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Nothing, unless a subclass says more. The pod must exist as an object."""
        self._existing(_pod(namespace, pod))
        return ""

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """What `executor` says. The pod must exist as an object."""
        return self.executor(copied(self._existing(_pod(namespace, pod))), command, stdin)

    def kubectl(self, command: Command) -> CommandResult:
        """What `answers` say, else the subcommands of `sregym_testing.memory.kubectl`."""
        answer = self.answers.get(str(command))
        return run_kubectl(self, command) if answer is None else answer

    @property
    def services(self) -> tuple[str, ...]:
        """Those of `observed`."""
        return tuple(sorted(self.observed))

    def observe(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        method: str = "GET",
        body: bytes = b"",
    ) -> ServiceAnswer:
        """What `observed` says."""
        if service not in self.observed:
            raise no_such_service(service, self.services)
        return self.observed[service](path, query)

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """The same for an agent: without what is hidden from it."""
        return observe_with_policy(self, policy, service, path, query)

    def hidden_state(self) -> Mapping[str, str]:
        """Nothing is hidden."""
        return {}

    def open_access(self) -> Access:
        """Refuse: there is no server."""
        raise ClusterError(0, "", "a memory cluster has no address; take one from a cluster plugin")

    def close(self) -> None:
        """Nothing to release."""

    def checkpoint(self) -> Checkpoint:
        """The state and the time as they are; states never change, so this costs nothing."""
        return _MemoryCheckpoint(
            self.programs, self._clock.now(), self._history[-1][1], self._revision, self._nodes
        )

    @property
    def _objects(self) -> Mapping[ObjectRef, KubeObject]:
        return self._history[-1][1].objects

    def _start_at(self, now_s: float, state: State, revision: int) -> None:
        self._clock = MemoryClock(now_s, self._settle)
        self._history: list[tuple[float, State]] = [(now_s, state)]
        self._revision = revision

    def _settle(self) -> None:
        self._follow([ref for ref in self._objects if ref.kind in WORKLOADS])

    def _follow(self, workloads: Sequence[ObjectRef]) -> None:
        before = self._history[-1][1]
        controller = Controller(before, self.programs, self._clock.now())
        for ref in workloads:
            controller.follow(ref)
        after = controller.state()
        if after != before:
            self._keep(after)

    def _keep(self, state: State) -> None:
        self._history.append((self._clock.now(), state))

    def _existing(self, ref: ObjectRef) -> KubeObject:
        if ref not in self._objects:
            raise not_found(ref)
        return self._objects[ref]

    def _may_read(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _store(
        self, ref: ObjectRef, obj: KubeObject, before: KubeObject, actor: Actor
    ) -> KubeObject:
        if actor.limited:
            raise forbidden(
                ref, actor.user, "change"
            )  # there are no roles here that would allow it
        replicas = (obj.get("spec") or {}).get("replicas")
        if isinstance(replicas, int) and replicas < 0:
            raise negative(ref, replicas)
        stored = copied(obj)
        metadata, old = stored["metadata"], before.get("metadata", {})
        self._revision += 1
        changed = stored.get("spec") != before.get("spec")
        metadata["generation"] = old.get("generation", 0) + (1 if changed or not before else 0)
        metadata["resourceVersion"] = str(self._revision)
        moment = timestamp(self._clock.now())
        metadata["creationTimestamp"] = old.get("creationTimestamp", moment)
        metadata["managedFields"] = managed(old, actor.manager, moment, ref.api_version)
        metadata["uid"] = old.get("uid", f"00000000-0000-4000-8000-{self._revision:012d}")
        if ref.kind in WORKLOADS:
            stored["status"] = before.get("status", {})
        state = self._history[-1][1]
        self._keep(State({**state.objects, ref: stored}, state.starts, state.templates))
        return copied(stored)


class _MemoryCheckpoint(Checkpoint):
    def __init__(
        self,
        programs: Programs,
        now_s: float,
        state: State,
        revision: int,
        nodes: MemoryNodes | None,
    ) -> None:
        self._programs, self._now_s, self._state = programs, now_s, state
        self._revision = revision
        self._nodes = None if nodes is None else nodes.copy()

    def fork(self, spec: ClusterSpec) -> Cluster:
        """A cluster with the same objects and time."""
        fork = MemoryCluster(self._programs)
        fork._start_at(self._now_s, self._state, self._revision)
        fork._nodes = None if self._nodes is None else self._nodes.copy()
        return fork


class MemoryProvider(ClusterProvider):
    """Gives memory clusters; not registered anywhere, for tests alone.

    Args:
        nodes: Machines of each cluster; see `worker_nodes`.
    """

    name: ClassVar[str] = "memory"

    def __init__(self, nodes: Sequence[Node] = ()) -> None:
        self._nodes = tuple(nodes)

    def provision(self, spec: ClusterSpec) -> Cluster:
        """An empty cluster."""
        return MemoryCluster(nodes=self._nodes)

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Always all right."""
        return [Finding("memory", ok=True)]


def worker_nodes(count: int = 3) -> tuple[Node, ...]:
    """Machines for a memory cluster, each in a zone of its own."""
    return tuple(
        Node(name=f"worker-{number}", role="worker", zone=f"zone-{number}")
        for number in range(1, count + 1)
    )


def _node_object(node: Node) -> KubeObject:
    labels = {"kubernetes.io/hostname": node.name}
    if node.zone:
        labels["topology.kubernetes.io/zone"] = node.zone
    if node.role == "control-plane":
        labels["node-role.kubernetes.io/control-plane"] = ""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node.name, "labels": labels}}


def _namespace(name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Namespace", name=name)


def _pod(namespace: str, name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Pod", namespace=namespace, name=name)
