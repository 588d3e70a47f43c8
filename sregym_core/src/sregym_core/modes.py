"""The mode of the core, and what goes with which mode.

A mode defines the agent's instruction, when it starts, which submissions are expected and what is
judged. The conductor calls the mode and knows none by name; plugins bring the others
(`sregym_register_modes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.interfaces.mode import Standard

if TYPE_CHECKING:
    from sregym_core.interfaces.mode import Mode

STANDARD = Standard()


def check_start(mode: Mode, start_before_s: float | None) -> None:
    """Refuse an agent that starts before the system breaks in a mode that reports trouble.

    Raises:
        UsageError: It does, or the system would break within no time.
    """
    if start_before_s is not None and not mode.watching:
        msg = f"--start-before goes with --mode proactive; in mode {mode.name!r} an agent is told of trouble when it starts"
        raise UsageError(msg)
    if start_before_s is not None and not start_before_s > 0:
        msg = f"start_before_s must be a number of seconds greater than 0, not {start_before_s!r}"
        raise UsageError(msg)
