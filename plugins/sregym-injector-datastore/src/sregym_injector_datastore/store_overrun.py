"""A client that writes into a store, or sends to a broker, until its memory is used up."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import Check, ObjectRef
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.defects import defect_check
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.families import Family, not_of
from sregym_injector_datastore.shells import redis
from sregym_injector_datastore.store_fault import server_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component


class OverrunParameters(ClientParameters):
    """Parameters of those that write.

    Attributes:
        job: Name of the Job; empty: that of the component and `-import`.
    """

    restart_clients: bool | None = False
    job: str = Field(default="", pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$")


class Overrun(AddedObjectFault):
    """Base: a Job writes into a server without end."""

    layer: ClassVar[str] = "datastore"
    # How many of its pods write at once, and what memory they may take.
    memory: ClassVar[str] = "64Mi"

    @abstractmethod
    def script(self, context: FaultContext) -> str:
        """What its containers do."""

    def writers(self, context: FaultContext) -> int:
        """How many pods write at once."""
        return 1

    @override
    def added(self, context: FaultContext) -> KubeObject:
        component, name = context.component, job_of(context).name
        entry: dict[str, Any] = {
            "name": "import",
            "image": component.image,
            "command": ["sh", "-c", self.script(context)],
            "resources": {"limits": {"memory": self.memory}, "requests": {"memory": "16Mi"}},
        }
        labels = {"app": name}
        many = self.writers(context)
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": component.namespace, "labels": labels},
            "spec": {
                "backoffLimit": 6,
                **({"parallelism": many, "completions": many} if many > 1 else {}),
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"restartPolicy": "OnFailure", "containers": [entry]},
                },
            },
        }

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return ()

    @override
    def present(self, context: FaultContext) -> Check:
        ref = job_of(context)
        job = context.cluster.get(ref)
        writes = job is not None and not job["spec"].get("suspend")
        told = [f"{ref} writes into {context.component.name}"] if writes else []
        return defect_check("nobody but the application writes into the store", told)


class StoreOverrun(Overrun):
    """Adds a Job that writes values into a Redis without end; the store is killed at its memory limit."""

    name: ClassVar[str] = "store-overrun"
    title: ClassVar[str] = "A Job writes into a store until its memory is gone"
    mechanism: ClassVar[str] = "store-flooded-by-job"
    phrases: ClassVar[tuple[str, ...]] = (
        "Job floods the store", "job writes large values", "memory flood", "store flooded",
        "flooded with keys", "OOMKilled by the data that a job writes", "store runs out of memory",
        "memory exhausted by writes of a job", "runaway import job", "import job fills the store",
        "writes without end",
    )  # fmt: skip
    symptoms: ClassVar[tuple[str, ...]] = ("OOMKilled", "connection refused", "cache errors")

    class Parameters(OverrunParameters):
        """Parameters.

        Attributes:
            value_kib: Size of each value.
            pause_s: Between two values.
        """

        value_kib: int = Field(default=1024, ge=16, le=65_536)
        pause_s: float = Field(default=0.2, ge=0.05, le=60)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_of(component, (Family.REDIS,)):
            return reason
        if not component.memory_limit:
            return "its container has no memory limit, so that it would take the memory of its node"
        return "" if component.service else "no Service leads to it, so that no Job reaches it"

    @override
    def inject(self, context: FaultContext) -> None:
        component = context.component
        client = redis(component)[0]
        forget = f"{client} --scan --pattern 'import:*' | xargs -r {client} DEL >/dev/null"
        server = server_of(component)
        context.journal.command(component.namespace, server, ("sh", "-c", forget), "")
        super().inject(context)

    @override
    def script(self, context: FaultContext) -> str:
        return _script(context)

    @override
    def describe(self, context: FaultContext) -> str:
        size = context.parameters.value_kib
        return f"writes values of {size} KiB into {context.component.name} without end"


def job_of(context: FaultContext) -> ObjectRef:
    """The Job that writes."""
    component = context.component
    return ObjectRef(
        api_version="batch/v1",
        kind="Job",
        namespace=component.namespace,
        name=context.parameters.job or f"{component.name}-import",
    )


def _script(context: FaultContext) -> str:
    component, given = context.component, context.parameters
    service = component.service
    host = component.name if service is None else service.name
    port = next((port.port for port in component.ports), 6379)
    client = " ".join(redis(component, "-h", host, "-p", str(port), "-x", "SET"))
    value = f"head -c {given.value_kib * 1024} /dev/zero | tr '\\0' x >/tmp/value"
    write = f"{client} import:$n </tmp/value >/dev/null 2>&1"
    return f"{value}; n=0; while true; do n=$((n+1)); {write}; sleep {given.pause_s:g}; done"
