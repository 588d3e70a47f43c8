"""Too little capacity of the cluster DNS for what it is asked."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sregym_core.model import Change, Check, GroundTruth
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from typing_extensions import override

from sregym_injector_network.cluster_dns import SERVER, unfinished
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, Command, FaultContext

_CONTAINER = "coredns"


class DnsOverloaded(ClusterFault):
    """Leaves CoreDNS one pod with hardly any processor time.

    Only those notice that look names up while they serve: clients that open a connection for each
    call. A host with fewer dots than `ndots` costs them a question for each search domain besides.
    """

    name: ClassVar[str] = "dns-overloaded"
    title: ClassVar[str] = "Cluster DNS has too little capacity for its questions"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            millicores: CPU limit of each pod; Linux grants no less than 10.
            replicas: How many pods share the questions.
            enough_millicores: What is enough in all, by which more pods are as good as larger ones;
                as it is, for clients with more look-ups than most.
            memory_mib: Memory limit; what waits is held there. None leaves it.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        millicores: int = Field(default=2, ge=1)
        replicas: int = Field(default=1, ge=1, le=10)
        enough_millicores: int = Field(default=60, ge=1)
        memory_mib: int | None = Field(default=None, ge=20)

        @model_validator(mode="after")
        def _is_too_little(self) -> DnsOverloaded.Parameters:
            if self.millicores * self.replicas >= self.enough_millicores:
                given = f"{self.replicas} replicas with {self.millicores} millicores"
                raise ValueError(f"{given} are no less than enough_millicores")
            return self

    @override
    def inject(self, context: FaultContext) -> None:
        given = context.parameters
        cpu = f"{given.millicores}m"
        limits = {"cpu": cpu}
        requests = {"cpu": cpu}
        if given.memory_mib is not None:
            limits["memory"] = f"{given.memory_mib}Mi"
            requests["memory"] = f"{min(given.memory_mib, 70)}Mi"
        containers = [{"name": _CONTAINER, "resources": {"limits": limits, "requests": requests}}]
        template = {"spec": {"containers": containers}}
        change = {"spec": {"replicas": given.replicas, "template": template}}
        Edits(context).patch(SERVER, change, "strategic")

    @override
    def outstanding(self, context: FaultContext) -> str:
        return unfinished(context.cluster)

    @override
    def present(self, context: FaultContext) -> Check:
        enough = context.parameters.enough_millicores
        expected = f"CoreDNS may use at least {enough}m of processors"
        return defect_check(expected, _shortages(context.cluster, enough))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        given = context.parameters
        phrases = (
            "CoreDNS is overloaded",
            "CoreDNS has too little CPU",
            "CoreDNS CPU limit is too low",
            "CoreDNS is CPU throttled",
            "CoreDNS is throttled by its CPU limit",
            "cluster DNS is overloaded",
            "cluster DNS is saturated",
            "DNS queries exceed the capacity of CoreDNS",
            "CoreDNS has too few replicas",
            "CoreDNS resources are too small",
        )
        change = Change(
            what="spec.template.spec.containers[coredns].resources.limits.cpu",
            before="",
            after=f"{given.millicores}m with {given.replicas} replicas",
        )
        symptoms = (
            "DNS look-ups time out",
            "name resolution is slow",
            "i/o timeout",
            "Temporary failure in name resolution",
        )
        return cluster_truth(
            context, SERVER, SERVER.name, "dns-overloaded", phrases, change, symptoms
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        given = context.parameters
        replicas = ceil(given.enough_millicores / given.millicores)
        return (commands.scale(SERVER, replicas), commands.rollout_status(SERVER))


def _shortages(cluster: Cluster, enough_m: int) -> list[str]:
    """What keeps CoreDNS from so many millicores, one phrase each."""
    server: Any = cluster.get(SERVER)
    if server is None:
        return [f"{SERVER} does not exist"]
    replicas = server["spec"].get("replicas", 1)
    limit = next(
        (
            one.get("resources", {}).get("limits", {}).get("cpu")
            for one in server["spec"]["template"]["spec"]["containers"]
            if one["name"] == _CONTAINER
        ),
        None,
    )
    if limit is None:
        return [] if replicas else [f"{SERVER} has spec.replicas 0"]
    if _millicores(str(limit)) * replicas >= enough_m:
        return []
    return [f"{SERVER} has {replicas} replicas with a CPU limit of {limit} each"]


def _millicores(text: str) -> float:
    return float(text[:-1]) if text.endswith("m") else float(text) * 1000
