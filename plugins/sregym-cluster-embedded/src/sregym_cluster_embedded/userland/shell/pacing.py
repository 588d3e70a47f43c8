"""How time passes for a shell: counted for its caller, or between the commands of a main process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.life import LINES_KEPT
from sregym_cluster_embedded.userland.process import change
from sregym_cluster_embedded.userland.shell.control import Suspended
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

# A wait for something that does not end takes so long.
FOR_EVER_S = 3600.0


class Pacing:
    """What has been done, and what is waited for.

    Args:
        session: Where.
        journal: For a main process: what earlier runs recorded; None for everything else, where
            `sleep` only counts the time.
    """

    def __init__(self, session: Session, journal: tuple[Any, ...] | None = None) -> None:
        self.session = session
        self._journal = None if journal is None else list(journal)
        self._position = 0
        self._lines: list[LogLine] = []
        self._captured = 0  # how many pipes and redirections surround the present command

    @property
    def recording(self) -> bool:
        """Whether time passes between commands: for a main process, and in the background."""
        return self._journal is not None

    def recorded(self) -> tuple[Any, ...]:
        """The journal as it stands now."""
        return tuple(self._journal or ())

    def once(self, act: Callable[[], Output]) -> Output:
        """What an earlier run found, or what is found now: the world has changed meanwhile."""
        if self._journal is None:
            return act()
        if self._position == len(self._journal):
            session = self.session
            slept_s, computed_s = session.slept_s, session.computed_s
            found = act()
            self._journal.append(tuple(found))
            if session.computed_s > computed_s:
                # A shell within this one has computed: that takes its time here.
                took_s, worked_s = session.slept_s - slept_s, session.computed_s - computed_s
                session.slept_s, session.computed_s = slept_s, computed_s
                seconds, session.endless = None if session.endless else took_s, False
                raise Suspended(seconds, worked_s / took_s, found)
        self._position += 1
        return Output(*self._journal[self._position - 1])

    def written(self) -> tuple[LogLine, ...]:
        """What a main process wrote in this run, beyond what earlier runs wrote."""
        return tuple(self._lines)

    def emit(self, output: Output) -> None:
        """Let a main process write, once."""
        now = self.session.world.now
        for stream, text in (("stdout", output.out), ("stderr", output.err)):
            for line in text.splitlines()[-LINES_KEPT:]:
                self._lines.append(LogLine(now, stream, line))

    def _emitted(self, before: int, result: Output) -> Output:
        """Let a main process write what a command gave, unless an earlier run has written it."""
        if self._journal is not None and not self._captured and len(self._journal) > before:
            self.emit(result)
        return result

    def wait(
        self,
        seconds: float | None,
        doing: tuple[str, ...] = (),
        threads: float = 0.0,
        said: Output | None = None,
    ) -> None:
        """Let time pass before the next command.

        Args:
            seconds: How much; None is for ever.
            doing: The command line that takes it.
            threads: How many processors that keeps busy.
            said: What is written meanwhile.
        """
        session = self.session
        if self._journal is None:
            took_s = FOR_EVER_S if seconds is None else seconds
            session.endless = session.endless or seconds is None
            session.slept_s += took_s
            session.computed_s += threads * took_s
            return
        self._journal.append((0, "", ""))
        if doing and doing != session.process.argv:
            change(session.world, session.process.ref, waits_for=doing)
        raise Suspended(seconds, threads, said)
