"""A pod cannot start, because a ConfigMap that it mounts does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import Change, Check, Component, ConfigUse, GroundTruth
from sregym_injectors.component_fault import ComponentFault, not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injector_kubernetes.configmap_state import config_defects, mounted_configmaps
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext


class ConfigMapMissing(ComponentFault):
    """Deletes a ConfigMap and starts the pods that mount it anew, or leaves them until they are restarted."""

    name: ClassVar[str] = "configmap-missing"
    title: ClassVar[str] = "ConfigMap that a pod mounts is missing"
    layer: ClassVar[str] = "kubernetes"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            config: Name of the ConfigMap; empty: the first that the component mounts.
            restart: Whether the pods are restarted at once; otherwise those that run keep what they
                have read, and the next start meets it.
        """

        config: str = ""
        restart: bool = True

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or not_rolling(component):
            return reason
        return "" if mounted_configmaps(component) else "it mounts no ConfigMap that it needs"

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.delete(_use(context).source)
        if context.parameters.restart:
            restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def present(self, context: FaultContext) -> Check:
        expected = "the pods' ConfigMap exists with the content of the manifest"
        return defect_check(expected, config_defects(context, _use(context)))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        use = _use(context)
        name = use.source.name
        return truth_of(
            context,
            use.source,
            "configmap-missing",
            (
                "configmap is missing",
                "missing configmap",
                "configmap was deleted",
                "deleted configmap",
                "configmap does not exist",
                "configmap not found",
                "non-existent configmap",
                "configmap has been removed",
                "configmap is absent",
                "references a configmap that does not exist",
                "mounts a configmap that does not exist",
                "cannot mount the configmap",
                "volume cannot be mounted because the configmap is missing",
                "FailedMount for a missing configmap",
                f"configmap {name} not found",
            ),
            Change(what=f"ConfigMap {name}", before=f"keys {', '.join(use.keys)}", after=""),
            "pod does not start",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (
            commands.apply(manifest_of(context.application, _use(context).source)),
            commands.rollout_status(context.component.workload),
            *commands.restart_and_wait(clients_of(context)),
        )


def _use(context: FaultContext) -> ConfigUse:
    uses = mounted_configmaps(context.component)
    wanted = context.parameters.config
    for use in uses:
        if wanted in ("", use.source.name):
            return use
    known = ", ".join(use.source.name for use in uses)
    raise UsageError(
        f"parameter 'config' of fault 'configmap-missing': component {context.component.name!r} "
        f"mounts no ConfigMap {wanted!r}; it mounts {known}"
    )
