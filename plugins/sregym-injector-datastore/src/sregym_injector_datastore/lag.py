"""A producer sends more records than its consumers take: what they work on is ever older."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.settings import (
    SettingFault,
    SettingParameters,
    amount,
    right_value,
    settings_of,
)
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, ProgramSetting


class Lag(SettingFault):
    """Lets a producer send many times as many records as its consumers were made for."""

    name: ClassVar[str] = "lag"
    title: ClassVar[str] = "Consumers are slower than their producer"
    layer: ClassVar[str] = "datastore"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("rate",)
    lacking: ClassVar[str] = "none of its settings says how many records it sends"
    mechanism: ClassVar[str] = "consumer-lag"
    phrases: ClassVar[tuple[str, ...]] = (
        "consumer lag",
        "consumer lag grows",
        "consumers are slower than producers",
        "producer sends too many records",
        "consumers cannot keep up",
        "consumer group falls behind",
        "backlog of records",
        "topic is flooded by its producer",
        "rate of the producer was raised",
        "queue grows without bound",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("consumer lag", "records are processed late")
    expected: ClassVar[str] = "as many records as the manifest says, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            factor: How many times as many records it sends.
        """

        factor: float = Field(default=4000.0, gt=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if component.kind == scope.LOAD:
            return "it is the load generator, which sends no records"
        return super().mismatch_reason(component)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        return {
            setting: f"{(amount(right_value(context, setting)) or 1) * context.parameters.factor:g}"
            for setting in settings_of(context.component, *self.roles)
        }
