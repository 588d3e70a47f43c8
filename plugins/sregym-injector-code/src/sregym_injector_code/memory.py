"""How a program collects garbage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.edits import Edits
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.settings import SettingFault, SettingParameters, amount, settings_of
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
)
from sregym_injectors.triggers import Peak, bring_about, can_peak
from sregym_injectors.workloads import rolled_out
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, FaultContext
    from sregym_core.model import Component, ProgramSetting

_STARTED_S = 300.0


class GcPressure(SettingFault):
    """Lets a program collect garbage all the time."""

    name: ClassVar[str] = "gc-pressure"
    title: ClassVar[str] = "A program spends its time on garbage collection"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("gc-growth",)
    lacking: ClassVar[str] = "none of its settings says when it collects garbage"
    mechanism: ClassVar[str] = "garbage-collection-too-frequent"
    phrases: ClassVar[tuple[str, ...]] = (
        "GOGC",
        "GOGC too low",
        "garbage collection",
        "garbage collector runs all the time",
        "garbage collection pressure",
        "GC pressure",
        "GC thrashing",
        "aggressive garbage collection",
        "too frequent garbage collection",
        "garbage collection too frequent",
        "collector takes the processor time",
        "garbage collector was misconfigured",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CPU is saturated", "latency rises", "capacity drops")
    expected: ClassVar[str] = "the collector's setting of the manifest, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            growth: By how many percent the heap may grow before it is collected; with 0 it always is.
        """

        growth: int = Field(default=0, ge=0)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        growth = str(context.parameters.growth)
        return dict.fromkeys(settings_of(context.component, *self.roles), growth)


class HeapLimit(PodTemplateFault):
    """Lets the heap of a program be hardly larger than what it needs in quiet times.

    Requests that wait hold memory. What they hold is missing for garbage, so that it is collected
    more often the more of them wait; the processor that this takes is missing for the requests, and
    more of them wait. Under the load of every day nothing is seen of it.
    """

    name: ClassVar[str] = "heap-limit"
    title: ClassVar[str] = "Heap of a program has no room for requests that wait"
    layer: ClassVar[str] = "application"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.METASTABLE, FailureMode.LATENT)
    tipping: ClassVar[tuple[str, ...]] = ("peak",)
    roles: ClassVar[tuple[str, ...]] = ("gc-limit",)
    mechanism: ClassVar[str] = "heap-too-small"
    phrases: ClassVar[tuple[str, ...]] = (
        "GOMEMLIMIT",
        "GOMEMLIMIT too low",
        "memory limit of the garbage collector too low",
        "soft memory limit too low",
        "heap limit too low",
        "heap is too small",
        "GC death spiral",
        "garbage collection death spiral",
        "garbage collector runs all the time under load",
        "GC thrashing",
        "garbage collector was misconfigured",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CPU is saturated", "latency rises", "capacity drops")
    expected: ClassVar[str] = "a heap with room for requests that wait"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            mib: How large the heap may become, in MiB; beyond it all that is garbage is collected.
            peak: A passing peak of load that comes after.
        """

        mib: int = Field(default=7, ge=1)
        peak: Peak | None = None

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        known = settings_of(component, *self.roles)
        return "" if known else "none of its settings limits its heap"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, value = context.component, self._value(context)
        limit, *_ = settings_of(component, *self.roles)
        env = [{"name": limit.name, "value": value}]
        # A program whose heap has a limit of its own often ignores other limits.
        env += [{"name": one.name, "value": "off"} for one in settings_of(component, "gc-growth")]
        before = _variable(right_container(context), limit)
        what = f"containers[name={component.container}].env[name={limit.name}]"
        return TemplateChange(what, value, before or "", container={"env": env})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = [
            (limit.name, _variable(live.container, limit))
            for limit in settings_of(context.component, *self.roles)
        ]
        wrong = 2 * (amount(self._value(context)) or 0.0)
        return [
            f"has {name}={value}, which leaves no room for requests that wait"
            for name, value in found
            if value is not None and (size := amount(value)) is not None and 0 < size < wrong
        ]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        limit, *_ = settings_of(context.component, *self.roles)
        return (f"{limit.name}={self._value(context)}", f"{limit.name} {self._value(context)}")

    @override
    def occasions(
        self, application: Application, component: Component
    ) -> Mapping[str, Mapping[str, Any]]:
        return {"peak": {"peak": {"times": 8, "seconds": 45}}} if can_peak(application) else {}

    @override
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        self.replay(context)

    @override
    def replay(self, context: FaultContext) -> bool:
        if context.parameters.peak is None:
            return False
        edits, ref = Edits(context), context.component.workload
        edits.cluster.clock.wait_until(lambda: rolled_out(edits.read(ref)), _STARTED_S, 1.0)
        bring_about(context, edits, context.parameters.peak, None)
        return True

    def _value(self, context: FaultContext) -> str:
        return f"{context.parameters.mib}MiB"


def _variable(container: Mapping[str, Any], setting: ProgramSetting) -> str | None:
    """The value of a setting in the environment of a container; None where it has none."""
    env = container.get("env") or ()
    return next((str(e["value"]) for e in env if e["name"] == setting.name and "value" in e), None)
