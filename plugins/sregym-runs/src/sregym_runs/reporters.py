"""The reporters of a run, told together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.error_location import format_with_location, must_propagate, past_caller

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Reporter


def _told(error: BaseException) -> str:
    return format_with_location(past_caller(error))


class ReporterSet:
    """The reporters of a run: one that raises is dropped with a warning, the run goes on.

    Args:
        reporters: Who is told.
        tell: Says whose an exception is.
    """

    def __init__(
        self,
        reporters: Sequence[Reporter],
        tell: Callable[[BaseException], str] = _told,
    ) -> None:
        self._tell = tell
        self._reporters = list(reporters)
        self.warnings: list[str] = []
        self.files: list[str] = []

    def tell(self, what: str, *arguments: Any) -> None:
        """Call a method of every reporter."""
        for reporter in list(self._reporters):
            try:
                answer = getattr(reporter, what)(*arguments)
            except BaseException as error:
                if must_propagate(error):
                    raise
                message = f"reporter {reporter.name!r} raised {self._tell(error)}"
                self.warnings.append(message)
                self._reporters.remove(reporter)
            else:
                if answer is not None:
                    self.files.append(str(answer))

    def listen(self, episode: str, event: EpisodeEvent) -> None:
        """Pass an event of an episode on."""
        self.tell("event", episode, event)
