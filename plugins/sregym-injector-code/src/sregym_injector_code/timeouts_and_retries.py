"""Faults in how a program calls others: timeouts and retries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.edits import Edits
from sregym_injectors.settings import (
    SettingFault,
    SettingParameters,
    amount,
    duration_for,
    right_value,
    settings_of,
)
from sregym_injectors.triggers import Dip, Peak, bring_about, can_dip, can_peak
from sregym_injectors.workloads import rolled_out
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, FaultContext
    from sregym_core.model import Component, ProgramSetting

_STARTED_S = 300.0


class RetryPolicy(SettingFault):
    """Lets a program give up early and try again very often: what is slow for a moment gets a storm."""

    name: ClassVar[str] = "retry-policy"
    title: ClassVar[str] = "Failed calls are made again so often that an overload feeds itself"
    modes: ClassVar[tuple[FailureMode, ...]] = (
        FailureMode.METASTABLE,
        FailureMode.LATENT,
    )
    tipping: ClassVar[tuple[str, ...]] = ("peak", "dip")
    roles: ClassVar[tuple[str, ...]] = ("attempts", "retries", "timeout", "backoff")
    decisive: ClassVar[tuple[str, ...]] = ("attempts", "retries")
    lacking: ClassVar[str] = "none of its settings says how often it tries a failed call again"
    mechanism: ClassVar[str] = "retry-policy-too-aggressive"
    phrases: ClassVar[tuple[str, ...]] = (
        "retry storm",
        "aggressive retries",
        "too many retries",
        "retry policy too aggressive",
        "retries amplify load",
        "retry amplification",
        "metastable failure",
        "retries keep the system overloaded",
        "RPC timeout too short and too many retries",
        "number of retries was raised",
        "calls are made again too often",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("overload", "congestion collapse", "latency rises")
    expected: ClassVar[str] = "as few attempts as in the manifest, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            timeout: How long an attempt may take, where there is such a setting; empty leaves it.
            attempts: How many there are in all.
            backoff: Pause before the first further one, likewise; empty leaves it.
            peak: A passing peak of load that comes after.
            dip: A passing lack of processor of those that are called, that comes after.
        """

        timeout: str = "50ms"
        attempts: int = Field(default=30, gt=1)
        backoff: str = ""
        peak: Peak | None = None
        dip: Dip | None = None

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        given = context.parameters
        values = {
            "attempts": str(given.attempts),
            "retries": str(given.attempts - 1),
            "timeout": given.timeout,
            "backoff": given.backoff,
        }
        return {
            setting: duration_for(setting, values[setting.role])
            for setting in settings_of(context.component, *self.roles)
            if values[setting.role]
        }

    @override
    def occasions(
        self, application: Application, component: Component
    ) -> Mapping[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        if can_peak(application):
            found["peak"] = {"peak": {}}
        if can_dip(application, component):
            found["dip"] = {"dip": {}}
        return found

    @override
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        self.replay(context)

    @override
    def replay(self, context: FaultContext) -> bool:
        given = context.parameters
        if given.peak is None and given.dip is None:
            return False
        edits = Edits(context)
        ref = context.component.workload
        edits.cluster.clock.wait_until(lambda: rolled_out(edits.read(ref)), _STARTED_S, 1.0)
        bring_about(context, edits, given.peak, given.dip)
        return True


class TimeoutsMisordered(SettingFault):
    """Lets a program give calls up before those whom it calls can have answered."""

    name: ClassVar[str] = "timeouts-misordered"
    title: ClassVar[str] = "Calls are given up before they can be answered"
    roles: ClassVar[tuple[str, ...]] = ("timeout",)
    lacking: ClassVar[str] = "none of its settings says how long it waits for an answer"
    mechanism: ClassVar[str] = "timeout-too-short"
    phrases: ClassVar[tuple[str, ...]] = (
        "timeout too short",
        "timeout is too low",
        "timeouts are misordered",
        "caller gives up before the callee answers",
        "deadline exceeded",
        "timeout shorter than the latency of the callee",
        "wrong timeout",
        "misconfigured timeout",
        "calls time out too early",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("deadline exceeded", "timeouts")
    expected: ClassVar[str] = "the timeout of the manifest, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            part: Of the right timeout that is left.
        """

        part: float = Field(default=0.001, gt=0, lt=1)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        return {
            setting: _shortened(right_value(context, setting), context.parameters.part)
            for setting in settings_of(context.component, *self.roles)
        }


def _shortened(text: str, part: float) -> str:
    """A duration so much shorter, in the same or a smaller unit."""
    number = (amount(text) or 1.0) * part
    if text.strip()[-1:].isdigit():
        return f"{number:.6g}"
    return f"{number * 1000:.6g}ms"
