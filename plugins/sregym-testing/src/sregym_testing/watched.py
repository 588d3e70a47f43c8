"""A proxy of a cluster that counts reads and writes, and fails on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sregym_core.interfaces import (
    BackEnd,
    Clock,
    Cluster,
    ClusterError,
    Command,
    CommandResult,
    DiskBlocks,
    NodeAccess,
    ServiceAnswer,
)
from sregym_core.model import ObjectRef
from sregym_kubernetes.operations import KubernetesOperations
from sregym_kubernetes.telemetry_redaction import observe_with_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Access, Actor
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.interfaces.failures import PodFailures
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import Capability, Node, NodeSetting
    from sregym_core.policy import Policy


_T = TypeVar("_T")


class Killed(BaseException):
    """Simulates the death of the process; a `BaseException`, so that no handler catches it."""


class WatchedClock(Clock):
    """Passes everything on to a real clock.

    Args:
        behind: The clock that does the work.
        steps: Where to note each wait that is asked for.
    """

    def __init__(self, behind: Clock, steps: list[str]) -> None:
        self._behind = behind
        self._steps = steps

    def now(self) -> float:
        """That of the clock behind."""
        return self._behind.now()

    def advance(self, seconds: float) -> None:
        """Note a wait."""
        self._steps.append(f"advance {seconds:g}")
        self._behind.advance(seconds)

    def wait_until(
        self, condition: Callable[[], bool], timeout_s: float, poll_s: float = 1.0
    ) -> bool:
        """Note a wait."""
        self._steps.append(f"wait_until {timeout_s:g}")
        return self._behind.wait_until(condition, timeout_s, poll_s)

    def spend(self, seconds: float) -> None:
        """Pass on."""
        self._behind.spend(seconds)


class WatchedNodes(NodeAccess):
    """Passes everything on to the machines of a real cluster.

    Args:
        behind: The access that does the work.
        cluster: Where reads and writes are counted.
    """

    def __init__(self, behind: NodeAccess, cluster: WatchedCluster) -> None:
        self._behind = behind
        self._cluster = cluster

    def nodes(self) -> tuple[Node, ...]:
        """Count a read."""
        self._cluster.count_read()
        return self._behind.nodes()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Pass on."""
        return self._behind.capabilities

    def examine(self, node: str, capability: Capability) -> str:
        """Count a read: a trial is undone."""
        self._cluster.count_read()
        return self._behind.examine(node, capability)

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Count a write: what a command changes is unknown."""
        return self._cluster.count_write(
            f"run on {node}", lambda: self._behind.run(node, argv, stdin)
        )

    def read(self, setting: S) -> S:
        """Count a read."""
        self._cluster.count_read()
        return self._behind.read(setting)

    def apply(self, setting: NodeSetting) -> None:
        """Count a write."""
        self._cluster.count_write(f"set {setting.key}", lambda: self._behind.apply(setting))

    def settings(self) -> tuple[NodeSetting, ...]:
        """Count a read."""
        self._cluster.count_read()
        return self._behind.settings()

    def back_ends(
        self, node: str, settings: Sequence[NodeSetting]
    ) -> tuple[tuple[BackEnd, ...], ...]:
        """Count a read: trials are undone."""
        self._cluster.count_read()
        return self._behind.back_ends(node, settings)

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """Count a read."""
        self._cluster.count_read()
        return self._behind.blocks_of(namespace, pod, path, container)


class WatchedCluster(Cluster):
    """Passes everything on to a real cluster.

    Args:
        behind: The cluster that does the work.
        kill_at_write: Raise `Killed` instead of taking this write, counted from 1; 0 for never.
        kill_after: Take that write before raising.
        unreachable: Refuse every call as a cluster that cannot be reached.

    Attributes:
        behind: As given.
        writes: Each write as `verb object`, in order.
        steps: The writes, and between them the waits as `wait_until 180` and `advance 30`.
        reads: How many reads there were.
        emptied: What was told to have no replicas at some moment.
    """

    def __init__(
        self,
        behind: Cluster,
        *,
        kill_at_write: int = 0,
        kill_after: bool = False,
        unreachable: bool = False,
    ) -> None:
        self.behind = behind
        self.steps: list[str] = []
        self._clock = WatchedClock(behind.clock, self.steps)
        self._kill_at_write = kill_at_write
        self._kill_after = kill_after
        self._unreachable = unreachable
        self.writes: list[str] = []
        self.emptied: set[ObjectRef] = set()
        self.reads = 0

    @property
    def clock(self) -> WatchedClock:
        """That of the cluster behind, with a note of each wait."""
        return self._clock

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """Count a read."""
        self._read()
        return self.behind.get(ref)

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Count a read."""
        self._read()
        return self.behind.list(api_version, kind, namespace, selector)

    def create(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Count a write."""
        self._write(f"create {obj['kind']} {obj['metadata'].get('name', '')}")
        return self._done(self._noted(self.behind.create(obj, actor)))

    def replace(self, obj: KubeObject, actor: Actor | None = None) -> KubeObject:
        """Count a write."""
        self._write(f"replace {obj['kind']} {obj['metadata'].get('name', '')}")
        return self._done(self._noted(self.behind.replace(obj, actor)))

    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> KubeObject:
        """Count a write."""
        self._write(f"patch {ref}")
        return self._done(self._noted(self.behind.patch(ref, patch, kind, actor)))

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Count a write."""
        self._write(f"delete {ref}")
        self.behind.delete(ref, propagation, actor)
        self._done(None)

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Count a read."""
        self._read()
        return self.behind.logs(namespace, pod, container, since_s=since_s, previous=previous)

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Count a write: what a command changes is unknown."""
        self._write(f"exec {namespace}/{pod}")
        return self._done(self.behind.exec(namespace, pod, command, container, stdin))

    def kubectl(self, command: Command) -> CommandResult:
        """Count a write, unless the command only reads."""
        return self._counted(command, self.behind.kubectl)

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """The same for an agent."""
        return self._counted(command, lambda command: self.behind.kubectl_for(command, policy))

    def _counted(self, command: Command, run: Callable[[Command], CommandResult]) -> CommandResult:
        verb = next((word for word in command.argv[1:] if not word.startswith("-")), "")
        if verb in ("get", "describe", "logs", "events", "explain", "api-resources", "top"):
            self._read()
            return run(command)
        self._write(f"kubectl {verb}")
        return self._done(run(command))

    @property
    def services(self) -> tuple[str, ...]:
        """Pass on."""
        return self.behind.services

    def observe(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        method: str = "GET",
        body: bytes = b"",
    ) -> ServiceAnswer:
        """Count a read, or a write where something is sent."""
        if body:
            return self.count_write(
                f"{method} {service}{path}",
                lambda: self.behind.observe(service, path, query, method, body),
            )
        self._read()
        return self.behind.observe(service, path, query, method)

    @property
    def operations(self) -> KubernetesOperations:
        """Those of any Kubernetes."""
        return KubernetesOperations(self)

    @property
    def nodes(self) -> WatchedNodes | None:
        """Those of the cluster behind; commands on hosts and settings count as writes."""
        behind = self.behind.nodes
        return None if behind is None else WatchedNodes(behind, self)

    def backdate(self, ref: ObjectRef, seconds: float) -> bool:
        """Pass on: no client is asked, so it counts as no write."""
        return self.behind.backdate(ref, seconds)

    def failures(self, start: float, end: float) -> tuple[PodFailures, ...] | None:
        """Pass on."""
        return self.behind.failures(start, end)

    def hidden_state(self) -> Mapping[str, str]:
        """Count a read."""
        self._read()
        return self.behind.hidden_state()

    def save_machines(self) -> object:
        """Count a read."""
        self._read()
        return self.behind.save_machines()

    def restore_machines(self, kept: object) -> None:
        """Pass on."""
        self.behind.restore_machines(kept)

    def approach_wall_clock(self, lead_s: float) -> None:
        """Pass on."""
        self.behind.approach_wall_clock(lead_s)

    def open_access(self) -> Access:
        """Pass on."""
        return self.behind.open_access()

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """The same for an agent: without what is hidden from it."""
        return observe_with_policy(self, policy, service, path, query)

    def open_access_for(self, policy: Policy) -> Access:
        """Pass on."""
        return self.behind.open_access_for(policy)

    def close(self) -> None:
        """Pass on."""
        self.behind.close()

    def count_read(self) -> None:
        """Count a read of something that is not the API."""
        self._read()

    def count_write(self, what: str, write: Callable[[], _T]) -> _T:
        """Count a write of something that is not the API, and do it."""
        self._write(what)
        return self._done(write())

    def _read(self) -> None:
        self.reads += 1
        self._refuse()

    def _write(self, what: str) -> None:
        self._refuse()
        self.writes.append(what)
        self.steps.append(what)
        if len(self.writes) == self._kill_at_write and not self._kill_after:
            raise Killed(f"before {what}")

    def _noted(self, obj: KubeObject) -> KubeObject:
        if (obj.get("spec") or {}).get("replicas") == 0:
            self.emptied.add(ObjectRef.of(obj))
        return obj

    def _done(self, result: _T) -> _T:
        if len(self.writes) == self._kill_at_write:
            raise Killed(f"after {self.writes[-1]}")
        return result

    def _refuse(self) -> None:
        if self._unreachable:
            raise ClusterError(0, "", "the cluster cannot be reached")
