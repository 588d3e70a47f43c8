"""Interface of applications: manifests, components, and the traffic of their users."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces.cluster import Cluster, KubeObject
    from sregym_core.interfaces.history import Load
    from sregym_core.interfaces.vocabulary import Vocabulary
    from sregym_core.model import Component, ObjectRef
    from sregym_core.model.defect import Defect


@dataclass(frozen=True)
class OperationTraffic:
    """Requests of one user-visible operation in a window: all, and those that succeeded."""

    requests: int
    ok: int

    @property
    def success_rate(self) -> float:
        """Share of requests that succeeded, 0 to 1; 0.0 without requests."""
        return self.ok / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Traffic:
    """Traffic of users in a window, as the load generator measured it.

    Attributes:
        seconds: Length of the window that the figures cover, which may differ from the requested one.
        operations: Figures by name of the operation.
        p50_ms: Median latency over all operations; None if unknown.
        p99_ms: 99th percentile of the latency; None if unknown.
    """

    seconds: float
    operations: Mapping[str, OperationTraffic] = field(default_factory=dict)
    p50_ms: float | None = None
    p99_ms: float | None = None

    @property
    def requests(self) -> int:
        """Requests over all operations."""
        return sum(operation.requests for operation in self.operations.values())

    @property
    def ok(self) -> int:
        """Successful requests over all operations."""
        return sum(operation.ok for operation in self.operations.values())

    @property
    def success_rate(self) -> float:
        """Share of requests that succeeded over all operations; 0.0 without requests."""
        return self.ok / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Prober:
    """Clients that send the requests of users, independent of the application's load generator.

    Attributes:
        objects: Manifests to create for them, in order; all in one namespace.
        pod: The pod whose log holds their measurements.
        read: `read(cluster, seconds)` returns their traffic in the last seconds.
        warm_up_s: Seconds from the start of the pod until all clients send requests.
    """

    objects: tuple[KubeObject, ...]
    pod: ObjectRef
    read: Callable[[Cluster, float], Traffic]
    warm_up_s: float = 0.0


class Application(ABC):
    """An application that can be deployed on any cluster.

    Attributes:
        name: Its name in problems and on the command line.
        title: Its name for people.
        namespaces: Namespaces that belong to it; faults and agents act there.
        description: Purpose and architecture, for the agent's instruction; without hints at faults.
        size_of: Name of the application that it is in another size; what can break there is counted once.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    namespaces: ClassVar[tuple[str, ...]]
    description: ClassVar[str]
    size_of: ClassVar[str] = ""

    def with_options(self, options: Mapping[str, str]) -> Application:
        """The application with the options of `NAME:key=value,key=value`; a new object.

        Its `name` has to include the options: applications with equal names are treated as equal.

        Raises:
            UsageError: An option is unknown (by default all are), or its value is invalid.
        """
        msg = (
            f"application {self.name!r} takes no options, and {', '.join(options)} was given; "
            f"name it alone: {self.name}"
        )
        raise UsageError(msg)

    @abstractmethod
    def manifests(self) -> list[KubeObject]:
        """New copies of all objects, load generator included, in the order of creation."""

    def manifest(self, ref: ObjectRef) -> KubeObject | None:
        """One object of `manifests` by reference, as a copy; None if there is none."""
        for obj in self.manifests():
            metadata = obj["metadata"]
            place = (obj["kind"], metadata.get("namespace", ""), metadata["name"])
            if place == (ref.kind, ref.namespace, ref.name):
                return obj
        return None

    @abstractmethod
    def components(self) -> tuple[Component, ...]:
        """Its components, with all properties that faults use; sorted by name."""

    @abstractmethod
    def service_models(self) -> tuple[Any, ...]:
        """Service models for simulated clusters (`sregym_apps.model.ServiceModel`), or ()."""

    def server_kinds(self) -> tuple[str, ...]:
        """Names of the server kinds that a simulated cluster needs for it, sorted.

        By default those that its service models name.
        """
        kinds = {kind for model in self.service_models() for kind in _server_kinds(model)}
        return tuple(sorted(kinds))

    @abstractmethod
    def deploy(self, cluster: Cluster) -> None:
        """Create all objects. Returns when the API server accepted them; pods need not be ready."""

    def deploy_with_load(self, cluster: Cluster, load: Load) -> None:
        """Deploy it with a load generator of this request rate and mix of operations.

        By default `load` is ignored: for load generators that cannot be configured.
        """
        self.deploy(cluster)

    def with_namespace_suffix(self, suffix: str) -> Application | None:
        """The application in namespaces whose names end with `suffix`; None if it does not support that.

        Several such copies can share one cluster. All methods of the returned object refer to its
        namespaces: manifests, components, description.
        """
        return None

    @abstractmethod
    def ready(self, cluster: Cluster) -> list[str]:
        """What is not ready yet, one phrase for each; empty if all components are ready."""

    @abstractmethod
    def remove(self, cluster: Cluster) -> None:
        """Delete everything that `deploy` created."""

    @abstractmethod
    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """Traffic of users in the last `seconds` of the cluster's clock, in whole reporting intervals."""

    def prober(self, objects: Mapping[str, KubeObject], namespace: str) -> Prober | None:
        """Clients that send the requests of the load generator, in a namespace of their own.

        Their rate is so low that it does not affect the system. None (default): not supported.

        Args:
            objects: Objects of the baseline by `str(ObjectRef)`, with the unchanged load generator.
            namespace: Name of the namespace, which does not exist yet and is not in `objects`.
        """
        return None

    def traffic_rounds(self, cluster: Cluster, seconds: float) -> Sequence[tuple[float, Traffic]]:
        """Traffic in each reporting interval of the load generator in the last `seconds`, oldest first.

        Pairs of its end, in seconds of the cluster's clock, and its traffic. Default: none.
        """
        return ()

    def component(self, name: str) -> Component | None:
        """The component with this name; None if there is none."""
        return next((part for part in self.components() if part.name == name), None)

    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        """All defects of its data files, for `sregym lint` and the contract kit; none by default.

        Args:
            vocabulary: Tools and images that the simulated cluster knows; None: do not check them.
        """
        return ()


def _server_kinds(model: Any) -> Sequence[str]:
    """The server kinds of a service model; none for models of other toolkits."""
    kinds: Sequence[str] = getattr(model, "server_kinds", ())
    return kinds
