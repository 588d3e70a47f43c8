"""Faults in how much a program serves at once: requests, connections."""

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

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ProgramSetting


class LimitsWrong(SettingFault):
    """Lets a program take far fewer requests than come."""

    name: ClassVar[str] = "limits-wrong"
    title: ClassVar[str] = "A service takes far fewer requests than come"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("rate-limit", "concurrency")
    lacking: ClassVar[str] = "none of its settings limits the requests that it takes"
    mechanism: ClassVar[str] = "request-limit-too-low"
    phrases: ClassVar[tuple[str, ...]] = (
        "rate limit too low",
        "request limit too low",
        "concurrency limit too low",
        "limit of requests was lowered",
        "QPS limit",
        "throttled by its own limit",
        "capacity limited by configuration",
        "limit below the load",
        "too few requests are admitted",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("requests queue", "latency rises")
    expected: ClassVar[str] = "the limits of the manifest, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            limit: The wrong limit; 0: a twenty-fifth of the right one, at least 1.
        """

        limit: int = Field(default=0, ge=0)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        return _lowered(context, self.roles, context.parameters.limit, 25)


class PoolTooSmall(SettingFault):
    """Leaves a program hardly any connections to what it calls."""

    name: ClassVar[str] = "pool-too-small"
    title: ClassVar[str] = "A pool has hardly any connections"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    roles: ClassVar[tuple[str, ...]] = ("pool",)
    lacking: ClassVar[str] = "none of its settings is the size of a pool"
    mechanism: ClassVar[str] = "connection-pool-too-small"
    phrases: ClassVar[tuple[str, ...]] = (
        "connection pool too small",
        "pool exhausted",
        "connection pool exhaustion",
        "too few connections in the pool",
        "pool size was lowered",
        "max connections too low",
        "waiting for a connection",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("requests wait for connections", "timeouts")
    expected: ClassVar[str] = "the pool of the manifest, or nearly so"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            size: Connections that are left.
        """

        size: int = Field(default=1, ge=1)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        return _lowered(context, self.roles, context.parameters.size, 1)


def _lowered(
    context: FaultContext, roles: tuple[str, ...], wanted: int, share: int
) -> dict[ProgramSetting, str]:
    found = {}
    for setting in settings_of(context.component, *roles):
        right = amount(right_value(context, setting)) or 1.0
        found[setting] = str(wanted or max(1, round(right / share)))
    return found
