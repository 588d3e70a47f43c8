"""A registry that has forgotten instances that run: they are healthy, and clients do not find them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.errors import UsageError, WorldError
from sregym_core.model import Change, Check, FailureMode, GroundTruth, ObjectRef, Outcome
from sregym_injectors.component_fault import ComponentFault, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import is_ready, not_terminating, pods_of
from sregym_injectors.workloads import rolled_out, run_in_workload
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.store_fault import failure_line, server_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_LISTED = ("curl", "-s", "http://127.0.0.1:8500/v1/agent/services")
_STARTED_S = 300.0


class RegistryStale(ComponentFault):
    """Takes the instances of a component off the registry in which its callers look for them."""

    name: ClassVar[str] = "registry-stale"
    title: ClassVar[str] = "Instances that run are missing in the registry"
    layer: ClassVar[str] = "datastore"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)

    class Parameters(BaseModel):
        """None."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if not component.registered:
            return "its callers do not look for it in a registry"
        return not_rolling(component)

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        return True

    @override
    def inject(self, context: FaultContext) -> None:
        registry, ours = _registry(context), _addresses(context)
        Edits(context).pause()
        for entry in _listed(context).values():
            if entry["Address"] in ours:
                argv = ("consul", "services", "deregister", f"-id={entry['ID']}")
                done = run_in_workload(
                    context.cluster, server_of(registry), registry.container, argv
                )
                if not done.ok:
                    raise WorldError(
                        f"{self.name} on component {context.component.name!r}: {registry.name!r} "
                        f"did not forget {entry['ID']!r}: {failure_line(done)}"
                    )

    @override
    def present(self, context: FaultContext) -> Check:
        known = {entry["Address"] for entry in _listed(context).values()}
        name = context.component.name
        found = [
            f"{address} of {name} is ready, and {_registry(context).name} does not know it"
            for address in _addresses(context)
            if address not in known
        ]
        return defect_check(f"every ready pod of {name} is registered", found)

    @override
    def recover(self, context: FaultContext) -> None:
        if self.present(context).outcome is Outcome.PASS:
            return
        for pod in _pods(context):
            context.cluster.delete(ObjectRef.of({"apiVersion": "v1", "kind": "Pod", **pod}))
        ref = context.component.workload
        cluster = context.cluster
        cluster.clock.wait_until(lambda: rolled_out(cluster.get(ref) or {}), _STARTED_S, 1.0)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, registry = context.component, _registry(context)
        changed = Change(
            what=f"registrations of {component.name} in {registry.name}",
            before="one for each pod",
            after="none",
        )
        phrases = (
            "registration is missing", "registration was lost", "not registered in consul",
            "not registered in the registry", "service was deregistered", "deregistered from consul",
            "missing from the service registry", "missing in the registry", "registry is stale",
            "service discovery does not know it", "service discovery has no instances",
            "stale service registry", f"{registry.name} does not know {component.name}",
        )  # fmt: skip
        symptoms = ("callers find no address", "produced zero addresses")
        return truth_of(
            context, component.workload, "registration-lost", phrases, changed, *symptoms
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return commands.restart_and_wait((context.component.workload,))


def _registry(context: FaultContext) -> Component:
    """The registry of the application.

    Raises:
        UsageError: It has none.
    """
    for part in context.application.components():
        if family_of(part) is Family.CONSUL:
            return part
    raise UsageError(
        f"component {context.component.name!r}: no component of {context.application.name!r} is a "
        "Consul server (port 8500), in which it could be registered"
    )


def _listed(context: FaultContext) -> dict[str, Any]:
    """What the registry knows, by id; nothing where it does not answer."""
    registry = _registry(context)
    done = run_in_workload(context.cluster, server_of(registry), registry.container, _LISTED)
    return json.loads(done.stdout) if done.ok and done.stdout.strip() else {}


def _pods(context: FaultContext) -> list[KubeObject]:
    workload = context.cluster.get(context.component.workload)
    return (
        []
        if workload is None
        else [p for p in not_terminating(pods_of(context.cluster, workload)) if is_ready(p)]
    )


def _addresses(context: FaultContext) -> list[str]:
    return [pod["status"]["podIP"] for pod in _pods(context)]
