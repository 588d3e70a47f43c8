"""Windows: a condition must come true within some time and then hold for some time.

All time is the cluster's; on a simulated cluster waiting costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.model import Check, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.interfaces import Clock


@dataclass(frozen=True)
class Window:
    """The condition: true at every poll for `window_s`, after waiting at most `repair_s`.

    Attributes:
        window_s: How long it must hold.
        repair_s: At most so long it may take to become true.
        poll_s: Between two looks inside the window.
        repair_poll_s: Between two looks while waiting; None: the same.
    """

    window_s: float
    repair_s: float = 0.0
    poll_s: float = 5.0
    repair_poll_s: float | None = None


@dataclass(frozen=True)
class WindowResult:
    """What came out.

    Attributes:
        recovered: Whether the condition became true in time.
        waited_s: How long that took.
        broken: The first check that did not pass inside the window, None if all did.
        broken_after_s: Seconds from the start of the window to that moment.
    """

    recovered: bool
    waited_s: float
    broken: Check | None = None
    broken_after_s: float = 0.0

    def check(self, name: str, window: Window) -> Check:
        """The result as a check."""
        expected = f"all of it at every look for {window.window_s:g} s"
        if not self.recovered:
            got = f"it did not come true within {window.repair_s:g} s"
            return Check(name=name, outcome=Outcome.FAIL, expected=expected, got=got)
        if self.broken is None:
            got = f"it held, {self.waited_s:g} s after the judging began"
            return Check(name=name, outcome=Outcome.PASS, expected=expected, got=got)
        got = f"{self.broken.name} broke after {self.broken_after_s:g} s: {self.broken.got}"
        return Check(name=name, outcome=self.broken.outcome, expected=expected, got=got)


def first_bad(probes: Sequence[Callable[[], Check]]) -> Check | None:
    """The first check that does not pass; later ones are not looked at."""
    return next((check for probe in probes if (check := probe()).outcome is not Outcome.PASS), None)


def watch_window(
    clock: Clock, condition: Callable[[], Check | None], window: Window, *, brief: bool = False
) -> WindowResult:
    """Wait for the condition, then watch it over the window to its very end.

    The window is played to its end also when the condition breaks, so that figures over the
    window, like traffic, always cover the same time.

    Args:
        clock: The cluster's.
        condition: Returns None while the condition holds, else the check that fails.
        window: The condition.
        brief: Whether to stop as soon as the condition fails.
    """
    began = clock.now()
    poll_s = window.poll_s if window.repair_poll_s is None else window.repair_poll_s
    recovered = clock.wait_until(lambda: condition() is None, window.repair_s, poll_s)
    waited = clock.now() - began
    if not recovered:
        return WindowResult(recovered=False, waited_s=waited)
    opened = clock.now()
    broken: Check | None = None
    broken_after = 0.0
    while (left := opened + window.window_s - clock.now()) > 0:
        clock.advance(min(window.poll_s, left))
        if broken is None:
            broken = condition()
            broken_after = clock.now() - opened
            if brief and broken is not None:
                break
    return WindowResult(True, waited, broken, broken_after if broken else 0.0)
