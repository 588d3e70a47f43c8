"""How far a campaign is, on a terminal that shows it and in lines elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_campaign.tries import SETTLED, TryKind

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console as Terminal
    from rich.console import Group

    from sregym_campaign.play import CampaignPlay
    from sregym_campaign.tries import Try


class ProgressDisplay:
    """Bars, spending and what is being played.

    Args:
        terminal: Where; a terminal that cannot move its cursor gets a line for each episode.
    """

    def __init__(self, terminal: Terminal) -> None:
        from rich.live import Live

        self._terminal = terminal
        # No thread of its own: workers are forked from this process.
        self._live = Live(console=terminal, auto_refresh=False, transient=True)

    def __enter__(self) -> ProgressDisplay:
        """Begin to show."""
        if self._terminal.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        self._live.stop()

    def told(self, play: CampaignPlay, one: Try | None) -> None:
        """Show a try that ended, and where the campaign stands."""
        if self._terminal.is_terminal:
            self._live.update(_picture(play), refresh=True)
        elif one is not None:
            self._terminal.print(_line(play, one), highlight=False, markup=False, soft_wrap=True)


def _line(play: CampaignPlay, one: Try) -> str:
    cell = next(cell for cell in play.state.plan.cells if cell.id == one.cell)
    came = str(one.record.outcome) if one.record is not None else ""
    came = came if one.kind in SETTLED else f"{one.kind}: {one.why}"
    done = len(play.state.plan.cells) - len(play.state.open())
    where = f"{cell.problem} {cell.agent} {cell.mode} noise={cell.noise} seed={cell.seed}"
    return f"[{done}/{len(play.state.plan.cells)}] {where}: {came}"


def _picture(play: CampaignPlay) -> Group:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    state = play.state
    total, left = len(state.plan.cells), len(state.open())
    kinds = state.kinds()
    apart = sum(number for kind, number in kinds.items() if kind is not TryKind.GRADED)
    table = Table.grid(padding=(0, 2))
    table.add_row(
        ProgressBar(total=total, completed=total - left, width=30),
        f"{total - left} of {total}",
        f"{state.tokens:,} tokens",
        f"{state.cost:.2f} money",
        f"{apart} tries apart",
    )
    playing = [
        Text(f"  {cell.problem} {cell.agent} seed {cell.seed}, try {number}")
        for cell, number, _ in play.running.values()
    ]
    return Group(table, *playing)
