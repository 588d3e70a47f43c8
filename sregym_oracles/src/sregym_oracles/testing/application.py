"""An application whose traffic follows from the objects of a memory cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Application, ClusterError, OperationTraffic, Traffic

from sregym_oracles.objects import ref_of
from sregym_oracles.testing.cluster import MemoryCluster

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_oracles.testing.pods import Program


class MemoryApplication(Application):
    """Manifests, and for each operation the Services that every request passes through.

    A request succeeds when each Service on its way exists, selects a ready pod and leads to the
    port on which the pod's program listens. Requests are made, each second, by the ready pods of
    the load Deployment.

    Args:
        manifests: Objects in order of creation.
        components: Their description.
        paths: Operation -> names of the Services on its way.
        rates: Operation -> requests per second of one ready load pod.
        load: Name of the Deployment that asks.
        programs: What runs in a container, by image.
    """

    name = "shop"
    title = "A small shop"
    namespaces = ("shop",)
    description = "A web front, a catalogue and a store of orders."

    def __init__(
        self,
        manifests: Sequence[KubeObject],
        components: Sequence[Component],
        paths: Mapping[str, tuple[str, ...]],
        rates: Mapping[str, int],
        load: str,
        programs: Mapping[str, Program],
    ) -> None:
        self._manifests = list(manifests)
        self._components = tuple(sorted(components, key=lambda component: component.name))
        self._paths = dict(paths)
        self._rates = dict(rates)
        self._load = load
        self._programs = dict(programs)
        self._home: MemoryCluster | None = None

    def manifests(self) -> list[KubeObject]:
        """All objects."""
        return self._manifests

    def components(self) -> tuple[Component, ...]:
        """Its parts."""
        return self._components

    def service_models(self) -> tuple[Any, ...]:
        """None: the memory cluster needs none."""
        return ()

    def deploy(self, cluster: Cluster) -> None:
        """Create everything; traffic is later read from the history of this cluster."""
        if isinstance(cluster, MemoryCluster):
            self._home = cluster
        for obj in self._manifests:
            cluster.create(obj)

    def ready(self, cluster: Cluster) -> list[str]:
        """Deployments that are not ready."""
        return [
            f"Deployment {obj['metadata']['name']} is not ready"
            for obj in cluster.list("apps/v1", "Deployment", self.namespaces[0])
            if obj["status"]["readyReplicas"] < obj["spec"]["replicas"]
        ]

    def remove(self, cluster: Cluster) -> None:
        """Delete everything."""
        for obj in reversed(self._manifests):
            cluster.delete(ref_of(obj))

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """What users saw in the last whole seconds."""
        del cluster  # perhaps somebody's wrapper; the history is where it was deployed
        memory = self._home
        if memory is None:
            raise ClusterError(404, "NotFound", f"application {self.name} is not deployed")
        whole = int(seconds)
        asked = dict.fromkeys(self._paths, 0)
        answered = dict.fromkeys(self._paths, 0)
        for back in range(whole):
            moment = memory.clock.now() - back
            pods = memory.pods_at(moment)
            users = sum(1 for pod in pods if self._is_load(pod) and is_ready(pod))
            services = {
                ref.name: obj
                for ref, obj in memory.store_at(moment).items()
                if ref.kind == "Service"
            }
            for operation, path in self._paths.items():
                requests = users * self._rates[operation]
                asked[operation] += requests
                if all(self._reachable(services.get(name), pods) for name in path):
                    answered[operation] += requests
        return Traffic(
            seconds=float(whole),
            operations={
                name: OperationTraffic(asked[name], answered[name]) for name in self._paths
            },
        )

    def _is_load(self, pod: KubeObject) -> bool:
        return bool(pod["metadata"]["ownerReferences"][0]["name"] == self._load)

    def _reachable(self, service: KubeObject | None, pods: Sequence[KubeObject]) -> bool:
        if service is None:
            return False
        selector = service["spec"]["selector"]
        port = service["spec"]["ports"][0]["targetPort"]
        return any(
            selector.items() <= pod["metadata"]["labels"].items()
            and is_ready(pod)
            and any(
                self._programs[container["image"]].port == port
                for container in pod["spec"]["containers"]
            )
            for pod in pods
        )


def is_ready(pod: KubeObject) -> bool:
    """Whether all containers of the pod are ready."""
    return all(status["ready"] for status in pod["status"]["containerStatuses"])
