"""Live progress while a run goes on, and a table of its results at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from sregym_core.events import (
    AgentStarted,
    ApplicationDeployed,
    EpisodeStarted,
    FaultInjected,
    StageGraded,
    ToolCalled,
    Waiting,
)
from sregym_core.interfaces import Reporter
from sregym_core.model import Outcome
from sregym_runs.noise_scores import scores_by_noise_level

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.progress import TaskID
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import RunPlan
    from sregym_core.model import EpisodeRecord, StageRecord
    from sregym_runs.noise_scores import NoiseScore

STYLES = {
    Outcome.PASS: "green",
    Outcome.FAIL: "red",
    Outcome.ERROR: "yellow",
    Outcome.UNDECIDED: "cyan",
    Outcome.SKIP: "dim",
}
STEP_WIDTH = 56
# Behind the name of an agent that knows the answers.
MARK = " *"


class Terminal(Console):
    """Standard output; a run goes on, and is written down, when its reader has gone."""

    def on_broken_pipe(self) -> None:
        """Say no more; by default the program would be ended here."""
        self.quiet = True


class ConsoleReporter(Reporter):
    """Writes to the terminal; on anything else than a terminal, plain lines.

    Args:
        console: Where to; standard output when none is given.
    """

    name: ClassVar[str] = "console"

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Terminal()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[step]}", style="dim"),
            console=self._console,
            transient=True,
        )
        self._task: TaskID | None = None
        self._who: dict[str, str] = {}

    def run_started(self, plan: RunPlan) -> None:
        """Show the bar."""
        self._task = self._progress.add_task("episodes", total=plan.episodes, step="")
        if self._console.is_terminal:
            self._progress.start()

    def event(self, episode: str, event: EpisodeEvent) -> None:
        """Show what is going on."""
        if isinstance(event, EpisodeStarted):
            self._who[episode] = f"{event.agent} on {event.problem}"
        if isinstance(event, Waiting):
            # Minutes may pass without any other sign; a bar alone does not say why.
            who = self._who.get(episode, episode)
            self._console.print(Text(f"  {who}: {event.text()}", style="dim"), soft_wrap=True)
        step = _step(event)
        if step and self._task is not None:
            text = f"{self._who.get(episode, episode)}: {step}"
            self._progress.update(self._task, step=text[:STEP_WIDTH])

    def episode_finished(self, record: EpisodeRecord) -> None:
        """Say how an episode ended."""
        if self._task is not None:
            self._progress.advance(self._task)
        line = Text.assemble(
            (f"{record.outcome:<5} ", STYLES[record.outcome]),
            f"{record.problem}  ",
            (record.agent, "bold"),
            (f"  {_meta(record)}", "dim"),
        )
        self._console.print(line, soft_wrap=True)
        if record.outcome in (Outcome.ERROR, Outcome.UNDECIDED, Outcome.SKIP):
            style = STYLES[record.outcome]
            self._console.print(Text(f"      {record.reason}", style=style), soft_wrap=True)
        if seen := _seen(record):
            self._console.print(Text(f"      {seen}", style="dim"), soft_wrap=True)

    def run_finished(self, plan: RunPlan, records: tuple[EpisodeRecord, ...]) -> Path | None:
        """Show the table."""
        self._progress.stop()
        self._console.print()
        self._console.print(_table(plan, records))
        doses = scores_by_noise_level(records)
        if doses:
            self._console.print(_doses(doses))
        return None


def _seen(record: EpisodeRecord) -> str:
    """How much of what a diagnosis names tool output had shown; empty where that is unknown."""
    seen = None if record.diagnosis is None else record.diagnosis.grounding
    if seen is None or seen.coverage is None:
        return ""
    total = len(seen.supported) + len(seen.unsupported)
    shown = f"evidence: tools had shown {len(seen.supported)} of {total} names and values in the diagnosis"
    if record.requests:  # responses to the agent's own clients are not kept
        return f"{shown}; responses to its own clients are not recorded"
    return f"{shown}; not {', '.join(seen.unsupported)[:200]}" if seen.unsupported else shown


def _doses(doses: Sequence[NoiseScore]) -> Table:
    """Score against dose, and which noise was blamed."""
    table = Table(
        title="by level of noise, with 95 % intervals",
        title_style="dim",
        header_style="bold",
        box=SIMPLE,
        pad_edge=False,
        collapse_padding=True,
    )
    for name in ("agent", "noise", "solved", "share", "95 %", "noise blamed"):
        table.add_column(name, overflow="fold")
    for dose in doses:
        blamed = ", ".join(f"{name} {count}" for name, count in dose.blamed)
        table.add_row(
            dose.agent,
            str(dose.level),
            f"{dose.solved}/{dose.graded}",
            f"{100 * dose.share:.0f} %",
            f"{100 * dose.low:.0f}-{100 * dose.high:.0f} %",
            blamed or "-",
        )
    return table


def _step(event: EpisodeEvent) -> str:
    if isinstance(event, ApplicationDeployed):
        return "deployed" if not event.forked else "ready"
    if isinstance(event, FaultInjected):
        return "broken"
    if isinstance(event, AgentStarted):
        return "agent at work"
    if isinstance(event, ToolCalled):
        return event.summary or event.tool
    if isinstance(event, StageGraded):
        return f"{event.stage} graded"
    if isinstance(event, Waiting):
        return event.text(1)
    return ""


def _table(plan: RunPlan, records: tuple[EpisodeRecord, ...]) -> Table:
    """Problems down, agents across: diagnosis/mitigation for each attempt."""
    informed = {record.agent for record in records if _informed(record)}
    table = Table(
        title=_title(plan),
        title_style="dim",
        header_style="bold",
        box=SIMPLE,
        pad_edge=False,
        collapse_padding=True,
        caption=_caption(informed, plan.agents),
        caption_justify="left",
    )
    # Names are folded where the terminal is narrow, never cut: they are what one types next.
    table.add_column("problem", overflow="fold")
    for agent in plan.agents:
        table.add_column(Text(agent + (MARK if agent in informed else "")), overflow="fold")
    for problem in plan.problems:
        cells = []
        for agent in plan.agents:
            played = [r for r in records if r.problem == problem and r.agent == agent]
            cells.append(Text("\n").join(_cell(record) for record in played))
        table.add_row(problem, *cells)
    totals = []
    for agent in plan.agents:
        mine = [record for record in records if record.agent == agent]
        passed = sum(record.outcome is Outcome.PASS for record in mine)
        errors = sum(record.outcome is Outcome.ERROR for record in mine)
        skipped = sum(record.outcome is Outcome.SKIP for record in mine)
        undecided = sum(record.outcome is Outcome.UNDECIDED for record in mine)
        note = f"\n{errors} {'error' if errors == 1 else 'errors'}" if errors else ""
        note += f"\n{skipped} skipped" if skipped else ""
        note += f"\n{undecided} undecided" if undecided else ""
        count = f"{passed} of {len(mine) - errors - skipped - undecided}"
        style = "dim" if agent in informed else "bold"
        shown = f"({count})" if agent in informed else count
        totals.append(Text(f"{shown}{note}", style=style))
    table.add_section()
    table.add_row(Text("solved", style="bold"), *totals)
    return table


def _title(plan: RunPlan) -> str:
    if plan.mode == "standard":
        return "diagnosis/mitigation"
    late = "" if plan.start_before_s is None else f", broken within {plan.start_before_s:g} s"
    return f"diagnosis/mitigation, mode {plan.mode}{late}"


def _meta(record: EpisodeRecord) -> str:
    text = f"{record.wall_s:.1f} s, {record.steps} steps"
    if record.false_alarms:
        alarms = "false alarm" if record.false_alarms == 1 else "false alarms"
        text += f", {record.false_alarms} {alarms}"
    return text


def _caption(informed: set[str], agents: tuple[str, ...]) -> str | None:
    named = [agent for agent in agents if agent in informed]
    if not named:
        return None
    verb = "knows" if len(named) == 1 else "know"
    return f"{MARK.strip()} {', '.join(named)} {verb} the answers: no measure of an agent"


def _informed(record: EpisodeRecord) -> bool:
    return any(
        entry.event == "AgentStarted" and bool(entry.fields.get("privileged"))
        for entry in record.timeline
    )


def _cell(record: EpisodeRecord) -> Text:
    if record.outcome is Outcome.ERROR:
        return Text("error", style=STYLES[Outcome.ERROR])
    if record.outcome is Outcome.SKIP:
        return Text("skip", style=STYLES[Outcome.SKIP])
    return Text.assemble(_stage(record.diagnosis), "/", _stage(record.mitigation))


def _stage(stage: StageRecord | None) -> Text:
    if stage is None:
        return Text("-")
    outcome = stage.verdict.outcome
    return Text(str(outcome), style=STYLES[outcome])
