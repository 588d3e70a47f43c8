"""Operations on a whole cluster (baseline, undo, readiness), independent of its kinds of objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces.application import Application, Prober, Traffic
    from sregym_core.interfaces.attacks import Attacks
    from sregym_core.interfaces.cluster import Command, CommandResult, KubeObject
    from sregym_core.interfaces.oracle import Baseline, SystemState
    from sregym_core.model import Component, Node, ObjectRef


@dataclass(frozen=True)
class ContainerRuns:
    """How often a container was restarted.

    Attributes:
        workload: Name of what its pod belongs to; that of the pod where it belongs to nothing.
        pod: Uid of the pod.
        container: Name of the container.
        restarts: In this pod.
    """

    workload: str
    pod: str
    container: str
    restarts: int


class CommandRefusedError(ValueError):
    """A command line of an agent is not run; the text says why and what to do instead."""


class Startup(ABC):
    """Observes an application that starts: polled until it is ready or can no longer become so."""

    @abstractmethod
    def not_ready(self) -> Sequence[str]:
        """Reasons why parts of it are not ready now, one phrase for each part; reads the cluster."""

    @abstractmethod
    def stuck(self) -> Sequence[str]:
        """Reasons of the last `not_ready` that no waiting resolves; empty while progress is possible."""


class Operations(ABC):
    """Operations of the conductor on one live cluster, from `Cluster.operations`.

    It captures a baseline of the healthy system, reports differences from it, and restores it.
    `sregym_kubernetes.operations.KubernetesOperations` does it through the other methods of a
    `Cluster` and suits every cluster with a Kubernetes API. Requests that the API server refuses
    raise `ClusterError`.
    """

    @abstractmethod
    def capture(self, namespaces: Sequence[str]) -> dict[str, KubeObject]:
        """All configuration objects as they are, by `str(ObjectRef)`: what people decide, not what follows.

        Args:
            namespaces: Of the application; what belongs to the whole cluster comes with them.
        """

    @abstractmethod
    def desired(self, obj: KubeObject) -> KubeObject:
        """The part of an object that people decide, in which captured objects are compared."""

    @abstractmethod
    def differences(
        self, before: Mapping[str, KubeObject], after: Mapping[str, KubeObject]
    ) -> Sequence[str]:
        """What differs between two captures, one phrase an object, sorted."""

    @abstractmethod
    def digest(self, objects: Mapping[str, KubeObject]) -> str:
        """Hexadecimal digest of a configuration; equal configurations have equal digests."""

    @abstractmethod
    def baseline(self, namespaces: Sequence[str], traffic: Traffic) -> Baseline:
        """The system as it is, to be compared with and put back.

        Args:
            namespaces: Of the application.
            traffic: What its users saw.
        """

    @abstractmethod
    def state(self, namespaces: Sequence[str]) -> SystemState:
        """The configuration and the data at this moment, with the namespaces themselves."""

    @abstractmethod
    def remove_blockers(self, application: Application, baseline: Baseline) -> None:
        """Before undo: remove policies that would refuse it, and recreate deleted namespaces."""

    @abstractmethod
    def restore_object(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Restore the former state of one object; None deletes it."""

    @abstractmethod
    def restore(self, application: Application, baseline: Baseline) -> None:
        """Put the baseline back, object by object, and wait until the nodes are as they were.

        Raises:
            WorldError: An object does not return to its former state; names it.
        """

    @abstractmethod
    def set_node(self, setting: Mapping[str, Any]) -> None:
        """Apply a node setting that was stored as JSON.

        Raises:
            NodeError: The node cannot be changed.
        """

    @abstractmethod
    def run_in(
        self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str
    ) -> CommandResult | None:
        """Run a command in a ready pod of a workload; None when it has none."""

    @abstractmethod
    def read_command(self, line: str, stdin: str = "") -> Command:
        """Read a command line of the cluster's client, as an agent types it without a shell.

        Args:
            line: May carry its standard input as a here-document.
            stdin: Its standard input, where it does not.

        Raises:
            CommandRefusedError: It needs a shell, or quotes are open.
        """

    @abstractmethod
    def check_command(self, command: Command) -> None:
        """Refuse what reaches beyond the cluster: the command runs on the machine of the harness.

        Raises:
            CommandRefusedError: It would read or write files there, prompt on a terminal, or never end.
        """

    @abstractmethod
    def starting(self, application: Application) -> Startup:
        """Watch an application become ready."""

    @abstractmethod
    def rolling(self, application: Application) -> Sequence[str]:
        """Names of workloads whose rollout is under way and makes progress."""

    @abstractmethod
    def grant(self, namespaces: Sequence[str], suffix: str = "") -> None:
        """Give agents their role; what is there already is left as it is.

        Args:
            namespaces: Of the application.
            suffix: With which they end: agents that share a cluster have roles of their own.
        """

    @abstractmethod
    def revoke(self, namespaces: Sequence[str], suffix: str = "") -> None:
        """Take the role away."""

    @abstractmethod
    def probe(self, prober: Prober, seconds: float) -> Traffic:
        """Start clients of the harness, see for so long what they see, and take them away.

        Raises:
            ProbeError: They cannot start, and why.
        """

    @abstractmethod
    def restart(self, workloads: Sequence[ObjectRef]) -> None:
        """Restart the pods of workloads, and wait until they are ready.

        Raises:
            ProbeError: They cannot, or do not get ready in time.
        """

    @abstractmethod
    def containers(self, namespaces: Sequence[str]) -> Sequence[ContainerRuns]:
        """How often each container of these namespaces was restarted."""

    @abstractmethod
    def wait_for_alerts(self, since: float) -> dict[str, Any] | None:
        """Let time pass until an alert fires, and give the notification about all that do.

        Args:
            since: Seconds since the Unix epoch; alerts that fire since before start nothing.

        Returns:
            What Alertmanager's webhook sends (version 4); None when no alert fired in time.

        Raises:
            WorldError: There is no Alertmanager, or it does not respond.
        """

    @abstractmethod
    def wait_for_quiet(self) -> None:
        """Let time pass until no recent alert fires, at most for a limit of the implementation."""

    @abstractmethod
    def firing(self) -> dict[str, Any] | None:
        """The notification about all alerts that fire now; None without alerts or without Alertmanager."""

    @property
    @abstractmethod
    def attacks(self) -> Attacks:
        """Cheats and harms by which proofs test oracles."""

    @abstractmethod
    def nodes(self) -> Sequence[Node]:
        """The nodes with role and zone, sorted by name."""

    @abstractmethod
    def nodes_running(self, component: Component) -> frozenset[str]:
        """Names of the nodes on which pods of a component are."""
