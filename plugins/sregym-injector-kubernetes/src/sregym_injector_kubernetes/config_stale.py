"""The ConfigMap is right again, but the processes that read it were started with what it said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import Change, Check, Component, FailureMode, GroundTruth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.settings import (
    SettingFault,
    SettingParameters,
    amount,
    change_settings,
    locate_setting,
    readers,
    right_location,
    right_value,
    settings_of,
)
from sregym_injectors.workloads import rolled_out
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import ProgramSetting

_ROLLED_OUT_S = 300.0


class ConfigStale(SettingFault):
    """Gives a ConfigMap a wrong value, starts its readers, and takes the value back without them."""

    name: ClassVar[str] = "config-stale"
    title: ClassVar[str] = "Processes run with a configuration that nobody sees any more"
    layer: ClassVar[str] = "kubernetes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    roles: ClassVar[tuple[str, ...]] = ("timeout",)
    lacking: ClassVar[str] = "none of its settings is a timeout that a ConfigMap gives it"
    mechanism: ClassVar[str] = "config-stale"
    phrases: ClassVar[tuple[str, ...]] = (
        "stale configuration",
        "stale config",
        "pods run with an old configuration",
        "process was not restarted after the ConfigMap changed",
        "ConfigMap was corrected but pods were not restarted",
        "environment of the pods is older than the ConfigMap",
        "pods have not picked up the ConfigMap change",
        "outdated environment variable",
        "configuration drift between pods and ConfigMap",
        "missing rollout restart",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("deadline exceeded", "timeouts")
    expected: ClassVar[str] = "processes that run with what their ConfigMap says"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            part: Of the right timeout that the processes were started with.
        """

        part: float = Field(default=0.001, gt=0, lt=1)

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        return True

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if _mapped(component) else self.lacking

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        part = context.parameters.part
        return {
            setting: _shorter(right_value(context, setting), part)
            for setting in _mapped(context.component)
        }

    @override
    def inject(self, context: FaultContext) -> None:
        edits, wrong = Edits(context), self.wrong(context)
        change_settings(edits, context, wrong)
        ref = context.component.workload
        context.cluster.clock.wait_until(lambda: rolled_out(edits.read(ref)), _ROLLED_OUT_S, 1.0)
        for setting in wrong:
            place = right_location(context, setting)
            edits.patch(place.ref, {"data": {place.key: place.value}}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        component, found = context.component, []
        workload = context.cluster.get(component.workload)
        if workload is None:
            return defect_check(self.expected, [f"{component.workload} does not exist"])
        pods = not_terminating(pods_of(context.cluster, workload))
        for setting in _mapped(component):
            place = locate_setting(context.cluster.get, component, setting)
            if place is None or amount(place.value) != amount(right_value(context, setting)):
                found.append(
                    f"{setting.name} of {component.workload} is not what the manifest says"
                )
                continue
            for pod in pods:
                name = pod["metadata"]["name"]
                argv = ("printenv", setting.name)
                said = context.cluster.exec(
                    component.namespace, name, argv, container=component.container
                ).stdout.strip()
                if said != place.value:
                    found.append(f"pod {name} runs with {setting.name}={said or 'nothing'}")
        return defect_check(self.expected, found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        setting, value = next(iter(self.wrong(context).items()))
        place = right_location(context, setting)
        return truth_of(
            context,
            context.component.workload,
            self.mechanism,
            (
                *self.phrases,
                f"pods still have {setting.name} {value}",
                f"pods have not read ConfigMap {place.ref.name} since it was corrected",
            ),
            Change(what=f"{setting.name} of the running pods", before=place.value, after=value),
            *self.symptoms,
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        setting = next(iter(self.wrong(context)))
        place = right_location(context, setting)
        return commands.restart_and_wait(readers(context.application, place.ref))


def _mapped(component: Component) -> list[ProgramSetting]:
    """Timeouts of a component that stand in a ConfigMap which feeds its environment."""
    keys = {
        key
        for use in component.config
        if use.source.kind == "ConfigMap" and not use.path
        for key in use.keys
    }
    return [setting for setting in settings_of(component, "timeout") if setting.name in keys]


def _shorter(text: str, part: float) -> str:
    number = (amount(text) or 1.0) * part
    if text.strip()[-1:].isdigit():
        return f"{number:.6g}"
    return f"{number * 1000:.6g}ms"
