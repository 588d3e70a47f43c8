"""What the applications of a memory cluster have in common: their traffic follows from objects."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import Application, ClusterError, OperationTraffic, Traffic
from sregym_core.model import ObjectRef

from sregym_testing.memory.cluster import MemoryCluster
from sregym_testing.memory.pods import owned_by, reaches, rolled_out
from sregym_testing.watched import WatchedCluster

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_testing.memory.pods import State


class MemoryApplication(Application):
    """Manifests, and for each operation the Services that every request passes through.

    A request succeeds when each Service on its way exists, selects a ready pod and leads to the
    port on which the pod's program listens. Requests are made, each second, by the ready pods of
    the load Deployment.

    Attributes:
        load: Name of the Deployment that asks; empty when nobody does.
        paths: Operation -> names of the Services on its way.
        rates: Operation -> requests per second of one ready load pod.
    """

    load: ClassVar[str] = ""
    paths: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    rates: ClassVar[Mapping[str, int]] = {}

    @abstractmethod
    def manifests(self) -> list[KubeObject]:
        """All objects, in order of creation; the namespace may be left out."""

    def service_models(self) -> tuple[Any, ...]:
        """None: a memory cluster knows programs by their image."""
        return ()

    def deploy(self, cluster: Cluster) -> None:
        """Create everything."""
        manifests = self.manifests()
        declared = [obj["metadata"]["name"] for obj in manifests if obj["kind"] == "Namespace"]
        for name in self.namespaces:
            if name not in declared:
                metadata = {"name": name}
                cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        for obj in manifests:
            cluster.create(obj)

    def ready(self, cluster: Cluster) -> list[str]:
        """Workloads that are missing or not rolled out."""
        workloads = {part.workload: cluster.get(part.workload) for part in self.components()}
        return [
            f"{ref.kind} {ref.name} is not ready"
            for ref, found in workloads.items()
            if found is None or not rolled_out(found)
        ]

    def remove(self, cluster: Cluster) -> None:
        """Delete the namespaces and all that is in them."""
        for name in self.namespaces:
            cluster.delete(ObjectRef(api_version="v1", kind="Namespace", name=name))

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """What users saw in the last whole seconds; nothing where there are no requests.

        Raises:
            ClusterError: When the application is not deployed.
        """
        if not self.load:
            return Traffic(seconds=0.0)
        memory = _behind(cluster)
        asked = dict.fromkeys(self.paths, 0)
        answered = dict.fromkeys(self.paths, 0)
        for back in range(int(seconds)):
            moment_s = memory.clock.now() - back
            state = memory.state_at(moment_s)
            users = self._users(state, moment_s)
            for operation, path in self.paths.items():
                requests = users * self.rates[operation]
                asked[operation] += requests
                services = [self._ref("v1", "Service", name) for name in path]
                if all(reaches(state, service, moment_s) for service in services):
                    answered[operation] += requests
        operations = {name: OperationTraffic(asked[name], answered[name]) for name in self.paths}
        return Traffic(seconds=float(int(seconds)), operations=operations)

    def _users(self, state: State, moment_s: float) -> int:
        if ObjectRef(api_version="v1", kind="Namespace", name=self.namespaces[0]) not in (
            state.objects
        ):
            raise ClusterError(404, "NotFound", f"application {self.name} is not deployed")
        load = self._ref("apps/v1", "Deployment", self.load)
        return sum(
            all(start.ready_at(moment_s) for start in starts.values())
            for pod, starts in state.starts.items()
            if owned_by(state.objects[pod], load)
        )

    def _ref(self, api_version: str, kind: str, name: str) -> ObjectRef:
        namespace = self.namespaces[0]
        return ObjectRef(api_version=api_version, kind=kind, namespace=namespace, name=name)


def _behind(cluster: Cluster) -> MemoryCluster:
    while isinstance(cluster, WatchedCluster):
        cluster = cluster.behind
    if not isinstance(cluster, MemoryCluster):
        kind = type(cluster).__name__
        raise TypeError(f"nobody visits this application on a {kind}: it lives in a MemoryCluster")
    return cluster
