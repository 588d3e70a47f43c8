"""Series with gaps, and counters that begin anew, of parts that users do not notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import ObjectRef
from sregym_injectors.noise import Disturbance, Schedule, SettingNoise
from sregym_kubernetes.node_settings import Daemon

if TYPE_CHECKING:
    from sregym_core.model import NodeSetting
    from sregym_injectors.noise import Occurrence

SYSTEM = "kube-system"
# Their pods may restart at any time: what they did stays done.
RESTARTED = "k8s-app=kube-proxy"


class ScrapeGap(SettingNoise):
    """Lets kube-proxy of a node stand still: it is not scraped, and its rules stay as they are."""

    name: ClassVar[str] = "scrape-gap"
    title: ClassVar[str] = "a target of a node cannot be scraped for some minutes"
    family: ClassVar[str] = "metrics"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(240.0, 420.0), lasts_s=(40.0, 120.0))

    def settings(self, occurrence: Occurrence, node: str) -> list[NodeSetting]:
        """New endpoints are late there meanwhile."""
        return [Daemon(node=node, daemon="kube-proxy", state="frozen")]


class CounterReset(Disturbance):
    """Restarts exporters of the system: their counters begin at zero."""

    name: ClassVar[str] = "counter-reset"
    title: ClassVar[str] = "pods of the system start anew, and their counters with them"
    family: ClassVar[str] = "metrics"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(300.0, 540.0))

    def begin(self, occurrence: Occurrence) -> str:
        """1, 1 or 2 pods; their DaemonSet makes new ones."""
        cluster = occurrence.context.cluster
        pods = cluster.list("v1", "Pod", SYSTEM, RESTARTED)
        pods = [
            p for p in pods if p["spec"].get("nodeName") not in occurrence.context.excluded_nodes
        ]
        names = [pod["metadata"]["name"] for pod in pods]
        chosen = occurrence.chance.sample(names, min(len(names), occurrence.by_level(1, 1, 2)))
        for name in chosen:
            cluster.delete(ObjectRef(api_version="v1", kind="Pod", namespace=SYSTEM, name=name))
            occurrence.note(name)
        return f"deleted {', '.join(chosen)}" if chosen else ""
