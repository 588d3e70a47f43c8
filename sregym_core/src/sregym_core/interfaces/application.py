"""An application: what is deployed, what its parts are, and how well it serves its users."""

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
    """What one user-visible operation saw in a window: counts of requests and of good answers."""

    requests: int
    ok: int

    @property
    def success_rate(self) -> float:
        """Share of good answers; 0.0 when nobody asked."""
        return self.ok / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Traffic:
    """What users saw in a window, as the load generator measured it from outside.

    Attributes:
        seconds: Length of the window that the figures really cover.
        operations: By name.
        p50_ms: Median latency over all operations, None when unknown.
        p99_ms: 99th percentile.
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
        """Good answers over all operations."""
        return sum(operation.ok for operation in self.operations.values())

    @property
    def success_rate(self) -> float:
        """Share of good answers over all operations; 0.0 when nobody asked."""
        return self.ok / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Prober:
    """Clients that ask for what users ask for, apart from all that belongs to the application.

    Attributes:
        objects: What is created for them, in order; all in one namespace.
        pod: The pod in whose log they tell what they saw.
        read: Gives what they saw in the last seconds.
        warm_up_s: How long after its start all of them ask.
    """

    objects: tuple[KubeObject, ...]
    pod: ObjectRef
    read: Callable[[Cluster, float], Traffic]
    warm_up_s: float = 0.0


class Application(ABC):
    """An application that can be deployed on any cluster.

    Attributes:
        name: The word in problems and on the command line.
        title: For people.
        namespaces: Namespaces that belong to it; faults and agents act there.
        description: What it does and of what parts, for the agent's instruction. Neutral.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    namespaces: ClassVar[tuple[str, ...]]
    description: ClassVar[str]

    def with_options(self, options: Mapping[str, str]) -> Application:
        """The same application with options, as `NAME:key=value,key=value` gives them.

        Its name then is such a text: applications of one name are one application.

        Raises:
            UsageError: It has no such option, as most have none, or the value does not fit.
        """
        msg = (
            f"application {self.name!r} takes no options, and {', '.join(options)} was given; "
            f"name it alone: {self.name}"
        )
        raise UsageError(msg)

    @abstractmethod
    def manifests(self) -> list[KubeObject]:
        """All objects, workload generator included, in the order in which they are created."""

    def manifest(self, ref: ObjectRef) -> KubeObject | None:
        """One object of `manifests` by its address, or None; the caller may change it."""
        for obj in self.manifests():
            metadata = obj["metadata"]
            place = (obj["kind"], metadata.get("namespace", ""), metadata["name"])
            if place == (ref.kind, ref.namespace, ref.name):
                return obj
        return None

    @abstractmethod
    def components(self) -> tuple[Component, ...]:
        """Its parts, with what a fault may hold on to; sorted by name."""

    @abstractmethod
    def service_models(self) -> tuple[Any, ...]:
        """Service models for simulated clusters (`sregym_apps.model.ServiceModel`), or ()."""

    def server_kinds(self) -> tuple[str, ...]:
        """Names of the kinds of servers that simulated clusters need for it, sorted.

        Those that its service models name, unless an application says otherwise.
        """
        kinds = {kind for model in self.service_models() for kind in _server_kinds(model)}
        return tuple(sorted(kinds))

    @abstractmethod
    def deploy(self, cluster: Cluster) -> None:
        """Create everything; returns when the objects are accepted, not when pods are ready."""

    def deploy_with_load(self, cluster: Cluster, load: Load) -> None:
        """Deploy it with a load generator that asks for so much, and for that mix.

        Applications whose load generators cannot be told so are deployed as they are.
        """
        self.deploy(cluster)

    def with_namespace_suffix(self, suffix: str) -> Application | None:
        """The same application in namespaces whose names end with `suffix`; None where that cannot be.

        Several of them can then share one cluster. Everything that an application says of itself is
        about these namespaces: manifests, components, description.
        """
        return None

    @abstractmethod
    def ready(self, cluster: Cluster) -> list[str]:
        """What is not ready yet, one phrase each; empty when all parts are."""

    @abstractmethod
    def remove(self, cluster: Cluster) -> None:
        """Delete everything that `deploy` made."""

    @abstractmethod
    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """What users saw in the last `seconds`, in whole rounds of the load generator."""

    def prober(self, objects: Mapping[str, KubeObject], namespace: str) -> Prober | None:
        """Clients like those of the load generator, for a namespace of their own.

        They ask for the same, and so rarely that it makes no difference to the system. None where an
        application does not say how.

        Args:
            objects: The baseline, in which the load generator is as nobody has changed it since.
            namespace: Where to put them; it does not exist yet, and is not among `objects`.
        """
        return None

    def traffic_rounds(self, cluster: Cluster, seconds: float) -> Sequence[tuple[float, Traffic]]:
        """What users saw in each round of the load generator of the last `seconds`, oldest first.

        Each with the time of its end, on the cluster's clock. Nothing where it tells of none.
        """
        return ()

    def component(self, name: str) -> Component | None:
        """The part with this name."""
        return next((part for part in self.components() if part.name == name), None)

    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        """What is wrong with its data files, all of it, for `sregym lint` and the contract kit.

        Nothing by default: an application may have no files.

        Args:
            vocabulary: What simulated clusters know of tools and images; None where none is asked.
        """
        return ()


def _server_kinds(model: Any) -> Sequence[str]:
    """What a service model says of its kinds of servers; nothing where it is of another toolkit."""
    kinds: Sequence[str] = getattr(model, "server_kinds", ())
    return kinds
