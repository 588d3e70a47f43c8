"""More of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.settings import SettingFault, SettingParameters, right_value, settings_of
from sregym_injectors.triggers import multiplied
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, ProgramSetting


class LoadFault(SettingFault):
    """Base of faults on load generators."""

    lacking: ClassVar[str] = "none of its settings says how much it asks"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if component.kind != scope.LOAD:
            return "it is no load generator"
        return super().mismatch_reason(component)


class Spike(LoadFault):
    """Lets the load generator ask many times as much as it should."""

    name: ClassVar[str] = "spike"
    title: ClassVar[str] = "Load is many times as high as it should be"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("rate", "users")
    mechanism: ClassVar[str] = "load-spike"
    phrases: ClassVar[tuple[str, ...]] = (
        "load spike",
        "traffic spike",
        "spike in traffic",
        "too many requests",
        "overload",
        "load is too high",
        "request rate was raised",
        "number of users was raised",
        "rate of the load generator",
        "more load than the system can take",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("latency rises", "services are saturated")
    expected: ClassVar[str] = "the load of the manifest"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            times: What the load is multiplied with.
        """

        times: float = Field(default=40.0, gt=1)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        times = context.parameters.times
        return {
            setting: multiplied(right_value(context, setting), times)
            for setting in settings_of(context.component, *self.roles)
        }
