"""How a program collects garbage."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.settings import SettingFault, SettingParameters, settings_of
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ProgramSetting


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
            growth: By how many percent the heap may grow before it is collected.
        """

        growth: int = Field(default=1, ge=1)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        growth = str(context.parameters.growth)
        return dict.fromkeys(settings_of(context.component, *self.roles), growth)
