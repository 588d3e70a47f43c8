"""A Service whose name becomes an alias of a host outside."""

from __future__ import annotations

import json
from typing import ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef, Outcome


class ServiceAlias(Fault):
    """The Service gets type ExternalName."""

    name: ClassVar[str] = "acme-service-alias"
    title: ClassVar[str] = "Service is an alias of a host that does not exist"
    layer: ClassVar[str] = "network"

    class Parameters(BaseModel):
        """Where the alias leads."""

        model_config = ConfigDict(extra="forbid")

        host: str = "legacy.example.invalid"

    def fits(self, component: Component) -> bool:
        """Whatever has a Service."""
        return component.service is not None

    def inject(self, context: FaultContext) -> None:
        """Turn the Service into an alias."""
        service = _service(context)
        context.journal.restore(service, context.cluster.get(service))
        alias = {"type": "ExternalName", "externalName": context.parameters.host}
        context.cluster.patch(service, {"spec": alias}, "merge")

    def present(self, context: FaultContext) -> Check:
        """Gone when the Service is no alias."""
        service = context.cluster.get(_service(context)) or {"spec": {"type": "none"}}
        got = str(service["spec"].get("type", "ClusterIP"))
        gone = got in ("ClusterIP", "NodePort", "LoadBalancer")
        outcome = Outcome.PASS if gone else Outcome.FAIL
        return Check(name="service-type", outcome=outcome, expected="ClusterIP", got=got)

    def ground_truth(self, context: FaultContext) -> GroundTruth:
        """The alias is the cause."""
        service = _service(context)
        return GroundTruth(
            component=context.component.name,
            kind="Service",
            object_name=service.name,
            namespace=service.namespace,
            mechanism="service-external-name",
            changed=Change(what="spec.type", before="ClusterIP", after="ExternalName"),
            affected=context.component.callers,
        )

    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """Take the alias away."""
        service = _service(context)
        patch = json.dumps({"spec": {"type": "ClusterIP", "externalName": None}})
        words = ("kubectl", "-n", service.namespace, "patch", "service", service.name)
        return (Command((*words, "--type", "merge", "-p", patch)),)


def _service(context: FaultContext) -> ObjectRef:
    assert context.component.service is not None
    return context.component.service
