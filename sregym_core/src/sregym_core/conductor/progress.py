"""Progress of an episode: what it waits for, reported on the wall clock, where people look on.

A world in virtual time waits at no cost, and its timeline must not depend on who looks: there
nothing is told.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sregym_core.events import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_core.interfaces import Clock

# A change is told at most so often, and that time goes by is told so often.
CHANGE_S = 10.0
REMINDER_S = 30.0


class Phase:
    """One wait that goes on.

    Args:
        name: What happens, as `waiting until pods are ready`.
        tell: Receives each text; None for no output.
        clock: Of the episode.
        at_most_s: After what time it is given up; None where there is no such time.
    """

    def __init__(
        self,
        name: str,
        tell: Callable[[Waiting], None] | None,
        clock: Clock,
        at_most_s: float | None,
    ) -> None:
        self.name = name
        self.waiting_for: tuple[str, ...] = ()
        self._tell = tell
        self._clock = clock
        self._until = None if at_most_s is None else clock.now() + at_most_s
        self._told_at: float | None = None
        self._told: tuple[str, ...] = ()

    @property
    def watched(self) -> bool:
        """Whether it is worth finding out what is waited for."""
        return self._tell is not None

    def look(self, waiting_for: Sequence[str] = ()) -> None:
        """Set what it waits for now; it is reported when it changed, and periodically."""
        if self._tell is None:
            return
        self.waiting_for = tuple(waiting_for)
        now = self._clock.now()
        if self._told_at is not None:
            since = now - self._told_at
            changed = self.waiting_for != self._told
            if since < (CHANGE_S if changed else REMINDER_S):
                return
        left = None if self._until is None else round(max(0.0, self._until - now), 1)
        self._told_at, self._told = now, self.waiting_for
        self._tell(Waiting(self.name, self.waiting_for, left))


class Progress:
    """Reports the waits of one episode.

    Args:
        tell: Receives each text; None for no output.
    """

    def __init__(self, tell: Callable[[Waiting], None] | None = None) -> None:
        self._tell = tell
        self._current: Phase | None = None

    @contextmanager
    def phase(self, clock: Clock, name: str, at_most_s: float | None = None) -> Iterator[Phase]:
        """A wait; `look` sets for what. It begins with a first word, but for what is over at once."""
        tell = self._tell if clock.real_time else None
        phase = Phase(name, tell, clock, at_most_s)
        outer, self._current = self._current, phase
        yield phase
        # Not when it was interrupted: then it is what was going on.
        self._current = outer

    def where(self) -> str:
        """What was going on at an abort, as the end of a sentence; or empty."""
        phase = self._current
        if phase is None or not phase.watched:
            return ""
        what = f": {'; '.join(phase.waiting_for)}" if phase.waiting_for else ""
        return f" while {phase.name}{what}"
