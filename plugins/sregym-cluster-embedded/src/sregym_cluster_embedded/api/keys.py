"""What the API asks of higher layers, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.dynamic.webhook_client import Caller
    from sregym_cluster_embedded.api.proxying import Passage
    from sregym_cluster_embedded.api.resource_metrics import Usage
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


class Listeners(Protocol):
    """What API and network ask of the container runtime."""

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        """Whether a process of the pod listens on a port."""


class Logs(Protocol):
    """How logs of containers are read."""

    def __call__(
        self, world: World, namespace: str, pod: str, container: str, options: Mapping[str, str]
    ) -> str:
        """What `GET pods/NAME/log` answers."""


class ReachCheck(Protocol):
    """Refuses what needs a kubelet that does not answer."""

    def __call__(self, world: World, pod: Object, action: str, container: str = "") -> None:
        """See `sregym_cluster_embedded.kubelet.unresponsive`."""


class Metrics(Protocol):
    """How the text of a target of scrapes is found."""

    def metrics(self, world: World, url: str) -> str | None:
        """The text at an address; None when there is no target."""


LISTENERS: ServiceKey[Listeners] = ServiceKey("runtime")
LOGS: ServiceKey[Logs] = ServiceKey("logs")
KUBELET_REACHABLE: ServiceKey[ReachCheck] = ServiceKey("kubelet_reachable")
METRICS: ServiceKey[Metrics] = ServiceKey("querying")
PASSAGE: ServiceKey[Passage] = ServiceKey("passage")
# Of nodes, how much their containers and they themselves use.
USAGE: ServiceKey[Usage] = ServiceKey("usage")
WEBHOOKS: ServiceKey[Caller] = ServiceKey("webhooks")
# Those that are programs in pods.
WEBHOOKS_IN_PODS: ServiceKey[Caller] = ServiceKey("webhooks_in_pods")
# (world, resource, object) to the object with its latest sign of life, which is not written.
HEARTBEATS: ServiceKey[Callable[[World, str, Object], Object]] = ServiceKey("heartbeats")
