"""A whole simulated cluster, for tests of controllers, exporters and what works together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import yaml
from sregym_apps.model import parse_service_model
from sregym_apps.simulation import installed
from sregym_core.interfaces import ClusterSpec, Command

from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster

if TYPE_CHECKING:
    from sregym_apps.simulation import Installed
    from sregym_core.interfaces import CommandResult

    from sregym_cluster_embedded.world import World


@dataclass
class ClusterTestbed:
    """A simulated cluster without an episode around it.

    Attributes:
        world: The world; what is called here may change it.
        cluster: The same as faults and oracles meet it.
    """

    world: World
    cluster: EmbeddedCluster

    @classmethod
    def of(cls, *models: str, known: Installed | None = None, seed: int = 7) -> Self:
        """A cluster that knows the images and programs of service models, and nothing on it yet.

        Args:
            models: Service models, as YAML.
            known: Extensions that take part; those that are installed unless given.
            seed: Its seed.
        """
        extensions = installed() if known is None else known
        read = tuple(parse_service_model(text, "model.yaml", extensions) for text in models)
        return cls._around(build(Blueprint(models=read, seed=seed, extensions=extensions)))

    @classmethod
    def _around(cls, world: World) -> Self:
        return cls(world, EmbeddedCluster(world, ClusterSpec(seed=0, salt="bench")))

    def apply(self, manifests: str) -> None:
        """Apply manifests, as YAML; AssertionError with kubectl's words when one is refused."""
        for document in yaml.safe_load_all(manifests):
            done = self.kubectl("apply", "-f", "-", stdin=json.dumps(document))
            assert done.ok, done.stderr
            if document["kind"] == "CustomResourceDefinition":
                self.run(5.0)

    def run(self, seconds: float) -> None:
        """Let so many virtual seconds pass."""
        self.world.run_until(self.world.now + seconds)

    def kubectl(self, *words: str, stdin: str = "") -> CommandResult:
        """Run a kubectl command with full rights."""
        return self.cluster.kubectl(Command(("kubectl", *words), stdin))

    def query(self, promql: str) -> dict[tuple[tuple[str, str], ...], float]:
        """What Prometheus answers now: labels, sorted, without those of the target -> value."""
        answer = self.cluster.observe("prometheus", "/api/v1/query", [("query", promql)])
        found = json.loads(answer.body)
        assert found["status"] == "success", found
        return {
            tuple(sorted(one["metric"].items())): float(one["value"][1])
            for one in found["data"]["result"]
        }

    def firing(self) -> list[str]:
        """The names of the alerts that fire now, sorted, but for those that always do."""
        answer = self.cluster.observe("prometheus", "/api/v1/alerts")
        alerts = json.loads(answer.body)["data"]["alerts"]
        return sorted({one["labels"]["alertname"] for one in alerts if one["state"] == "firing"})

    def fork(self) -> ClusterTestbed:
        """A copy that goes its own way."""
        return type(self)._around(self.world.fork())
