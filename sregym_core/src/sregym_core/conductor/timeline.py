"""The timeline of an episode: every event with its moment, told to observers as it happens."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

from sregym_core.model import TimelineEntry

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Clock
    from sregym_core.plugins import Plugins


class Timeline:
    """Records events and tells plugins and the run's listener about them.

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
        self.warnings: list[str] = []
        self._episode = episode
        self._plugins = plugins
        self._listener = listener
        self._clock: Clock | None = None
        self._clock_start = 0.0
        self._wall_start = time.monotonic()

    def follow(self, clock: Clock) -> None:
        """Count the episode's seconds on this clock from now on."""
        self._clock = clock
        self._clock_start = clock.now()

    def at_s(self) -> float:
        """Seconds on the episode's clock since it began; 0.0 before there is a clock."""
        return 0.0 if self._clock is None else round(self._clock.now() - self._clock_start, 3)

    def wall_s(self) -> float:
        """Wall-clock seconds since the episode began."""
        return round(time.monotonic() - self._wall_start, 3)

    def record(self, event: EpisodeEvent) -> None:
        """Put an event on the timeline and tell everybody."""
        at_s = self.at_s()
        fields = dataclasses.asdict(event)
        entry = TimelineEntry(
            at_s=at_s, wall_s=self.wall_s(), event=type(event).__name__, fields=fields
        )
        self.entries.append(entry)
        for implementation in self._plugins.manager.hook.sregym_episode_event.get_hookimpls():
            known = {"episode": self._episode, "at_s": at_s, "event": event}
            arguments = {name: known[name] for name in implementation.argnames if name in known}
            try:
                implementation.function(**arguments)
            except Exception as error:
                self._warn(f"observer {implementation.plugin_name!r}", error)
        if self._listener is not None:
            try:
                self._listener(self._episode, event)
            except Exception as error:
                self._warn("reporter", error)

    def _warn(self, who: str, error: Exception) -> None:
        self.warnings.append(f"{who} raised {type(error).__name__}: {error}")
