"""The timeline of an episode: every event with its time, passed to observers as it happens."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from sregym_core.error_location import format_with_location, must_propagate
from sregym_core.model import TimelineEntry

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Clock
    from sregym_core.plugins import Plugins


class Timeline:
    """Records events and notifies plugins and the run's listener.

    An observer that raises becomes a warning; it cannot fail an episode.

    Args:
        episode: Id of the episode.
        plugins: Whose `sregym_episode_event` hooks are called.
        listener: Called as `listener(episode, event)` besides: reporters of this run.
    """

    def __init__(
        self,
        episode: str,
        plugins: Plugins,
        listener: Callable[[str, EpisodeEvent], None] | None = None,
    ) -> None:
        self.entries: list[TimelineEntry] = []
        self.events: list[tuple[float, EpisodeEvent]] = []
        self.warnings: list[str] = []
        self._episode = episode
        self._plugins = plugins
        self._listener = listener
        self._clock: Clock | None = None
        self._clock_start = 0.0
        self._wall_start = time.monotonic()

    @property
    def began(self) -> float:
        """The moment on the clock at which the episode began."""
        return self._clock_start

    def follow(self, clock: Clock, began: float | None = None) -> None:
        """Count the episode's seconds on this clock, from now on or from the moment `began`."""
        self._clock = clock
        self._clock_start = clock.now() if began is None else began

    def fork(self, clock: Clock) -> Timeline:
        """An equal timeline that goes on by itself, on the clock of a forked cluster."""
        twin = Timeline(self._episode, self._plugins, self._listener)
        twin.entries = list(self.entries)
        twin.events = list(self.events)
        twin.warnings = list(self.warnings)
        twin._wall_start = self._wall_start
        twin.follow(clock, self._clock_start)
        return twin

    def at_s(self) -> float:
        """Seconds on the episode's clock since it began; 0.0 before there is a clock."""
        return 0.0 if self._clock is None else round(self._clock.now() - self._clock_start, 3)

    def wall_s(self) -> float:
        """Wall-clock seconds since the episode began."""
        return round(time.monotonic() - self._wall_start, 3)

    def record(self, event: EpisodeEvent, at_s: float | None = None) -> None:
        """Put an event on the timeline and notify all observers; `at_s` where it happened earlier."""
        at_s = self.at_s() if at_s is None else at_s
        fields = _fields(event)
        entry = TimelineEntry(
            at_s=at_s, wall_s=self.wall_s(), event=type(event).__name__, fields=fields
        )
        self.entries.append(entry)
        self.events.append((at_s, event))
        for implementation in self._plugins.manager.hook.sregym_episode_event.get_hookimpls():
            known = {"episode": self._episode, "at_s": at_s, "event": event}
            arguments = {name: known[name] for name in implementation.argnames if name in known}
            try:
                implementation.function(**arguments)
            except BaseException as error:
                if must_propagate(error):
                    raise
                status = self._plugins.status(implementation.plugin_name)
                whose = "" if status is None else f" of {status.owner}"
                self._warn(f"observer {implementation.plugin_name!r}{whose}", error)
        if self._listener is not None:
            try:
                self._listener(self._episode, event)
            except BaseException as error:
                if must_propagate(error):
                    raise
                self._warn("reporter", error)

    def _warn(self, who: str, error: BaseException) -> None:
        self.warnings.append(f"{who} raised {format_with_location(error)}")


# What needs no copy.
_PLAIN = (str, int, float, bool, type(None))


def _fields(event: EpisodeEvent) -> dict[str, Any]:
    """The fields of an event by name, as copies."""
    found = {one.name: getattr(event, one.name) for one in dataclasses.fields(event)}
    if all(type(value) in _PLAIN for value in found.values()):
        return found
    return dataclasses.asdict(event)
