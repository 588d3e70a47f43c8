"""Another mix of requests: one operation takes the place of others, or comes on top of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode
from sregym_injectors.settings import SettingParameters, amount, right_value, settings_of
from typing_extensions import override

from sregym_injector_load.rates import LoadFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, ProgramSetting


class _MixParameters(SettingParameters):
    """Parameters.

    Attributes:
        operation: Which becomes more frequent; empty: the rarest.
        times: How many times as frequent, relative to the others.
    """

    operation: str = ""
    times: float = Field(default=400.0, gt=1)


class MixShift(LoadFault):
    """Gives one operation a greater part of the same load."""

    name: ClassVar[str] = "mix-shift"
    title: ClassVar[str] = "Users ask for other things than they should"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("weight",)
    lacking: ClassVar[str] = "none of its settings is the weight of an operation"
    mechanism: ClassVar[str] = "load-mix-shifted"
    phrases: ClassVar[tuple[str, ...]] = (
        "mix of requests has shifted",
        "workload mix changed",
        "mix of the load changed",
        "one operation is asked far more often",
        "weight of an operation was raised",
        "hot operation",
        "skewed load",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("latency rises", "a service is saturated")
    expected: ClassVar[str] = "the mix of the manifest"

    class Parameters(_MixParameters):
        """As above."""

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        setting = chosen(context)
        times = context.parameters.times
        return {setting: f"{_number(context, setting) * times:.6g}"}


class Flood(LoadFault):
    """Lets requests for one operation come on top of all others, which stay as many as they were."""

    name: ClassVar[str] = "flood"
    title: ClassVar[str] = "One operation is flooded with requests"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("rate", "users", "weight")
    mechanism: ClassVar[str] = "operation-flooded"
    phrases: ClassVar[tuple[str, ...]] = (
        "flood of requests",
        "flooded with requests",
        "request flood",
        "one endpoint is flooded",
        "denial of service",
        "one operation is asked far too often",
        "load generator floods",
        "too many requests to one endpoint",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("latency rises", "services are saturated")
    expected: ClassVar[str] = "the load and the mix of the manifest"

    class Parameters(_MixParameters):
        """As above."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        both = settings_of(component, "weight") and settings_of(component, "rate", "users")
        return "" if both else "its settings do not say both how much it asks and in which mix"

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        part, times = chosen(context), context.parameters.times
        weights = {s: _number(context, s) for s in settings_of(context.component, "weight")}
        whole = sum(weights.values())
        growth = (whole + weights[part] * (times - 1)) / whole
        more = {
            setting: str(round(_number(context, setting) * growth))
            for setting in settings_of(context.component, "rate", "users")
        }
        return {**more, part: f"{weights[part] * times:.6g}"}


def chosen(context: FaultContext) -> ProgramSetting:
    """The weight of the operation that the parameters name, else of the rarest.

    Raises:
        UsageError: There is no such operation.
    """
    weights = settings_of(context.component, "weight")
    wanted = context.parameters.operation
    if not wanted:
        return min(weights, key=lambda setting: (_number(context, setting), setting.name))
    for setting in weights:
        if setting.operation == wanted:
            return setting
    known = ", ".join(setting.operation for setting in weights)
    raise UsageError(
        f"load generator {context.component.name!r} has no weight of an operation {wanted!r}; "
        f"it has: {known}"
    )


def _number(context: FaultContext, setting: ProgramSetting) -> float:
    return amount(right_value(context, setting)) or 0.0
