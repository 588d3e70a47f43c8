"""What programs try requests on: regular expressions that backtrack."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.settings import SettingFault, SettingParameters, settings_of
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ProgramSetting


class HotPath(SettingFault):
    """Gives a filter of requests an expression that takes very long to find nothing in some of them."""

    name: ClassVar[str] = "hot-path"
    title: ClassVar[str] = "A filter of requests has a regular expression that backtracks"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("filter",)
    lacking: ClassVar[str] = "none of its settings is an expression that requests are tried on"
    mechanism: ClassVar[str] = "regular-expression-backtracks"
    phrases: ClassVar[tuple[str, ...]] = (
        "catastrophic backtracking",
        "regular expression backtracks",
        "regex backtracking",
        "exponential regular expression",
        "ReDoS",
        "nested quantifiers in a regular expression",
        "expensive regular expression",
        "request filter burns CPU",
        "WAF rule with a bad regular expression",
        "firewall rule saturates the CPU",
        "filter rule takes too much processor time",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("CPU is saturated", "latency rises", "requests time out")
    expected: ClassVar[str] = "the expression of the manifest, or another that does not backtrack"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            expression: What the filter tries requests on.
        """

        expression: str = Field(default="^([a-zA-Z]+)*$", min_length=1)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        expression = context.parameters.expression
        return dict.fromkeys(settings_of(context.component, *self.roles), expression)
