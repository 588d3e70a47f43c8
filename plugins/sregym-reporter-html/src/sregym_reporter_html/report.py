"""One self-contained HTML file for a run: nothing in it comes from elsewhere."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from sregym_core.interfaces import Reporter
from sregym_core.model import Outcome
from sregym_runs.noise_scores import scores_by_noise_level

from sregym_reporter_html.bounds import bounded, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sregym_core.interfaces import RunPlan
    from sregym_core.model import Check, EpisodeRecord, StageRecord, TimelineEntry

FILE = "report.html"


class HtmlReporter(Reporter):
    """Writes `report.html` into the run's folder when the run is over."""

    name: ClassVar[str] = "html"

    def run_finished(self, plan: RunPlan, records: tuple[EpisodeRecord, ...]) -> Path:
        """Write the file; returns its path."""
        path = plan.folder / FILE
        path.write_text(render(plan, records), encoding="utf-8")
        return path


@dataclass(frozen=True)
class AgentTotal:
    """How one agent did: episodes with error, and those left undecided, count neither way.

    Attributes:
        informed: Whether it knows the answers; its results are shown apart and measure no agent.
    """

    name: str
    informed: bool
    played: int
    solved: int
    diagnosed: int
    mitigated: int
    errors: int
    undecided: int

    @property
    def graded(self) -> int:
        """Episodes whose world was right and whose judges could decide."""
        return self.played - self.errors - self.undecided


def render(plan: RunPlan, records: Sequence[EpisodeRecord]) -> str:
    """The report as text."""
    environment = Environment(
        loader=PackageLoader("sregym_reporter_html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["event_text"] = event_text
    environment.filters["duration"] = duration
    environment.filters["shortened"] = shortened
    environment.filters["split"] = split
    environment.filters["word"] = word
    totals = [_total(agent, records) for agent in plan.agents]
    return environment.get_template("report.html").render(
        plan=plan,
        episodes=[bounded(record) for record in records],
        measured=[total for total in totals if not total.informed],
        informed=[total for total in totals if total.informed],
        doses=scores_by_noise_level(records),
        informed_names={total.name for total in totals if total.informed},
        grid=[
            (problem, [_of(records, problem, agent) for agent in plan.agents])
            for problem in plan.problems
        ],
    )


def event_text(entry: TimelineEntry) -> str:
    """One event in words."""
    fields: dict[str, Any] = entry.fields
    texts = {
        "EpisodeStarted": "episode began, seed {seed}, cluster {cluster}",
        "ApplicationDeployed": "{application} is ready",
        "BaselineTaken": "baseline taken: {objects} objects, success rate {success_rate}",
        "FaultInjected": "{fault} injected into {component}",
        "FaultConfirmed": "fault confirmed, success rate {success_rate}",
        "AlertsAwaited": "{alerts} alerts fired after {waited_s} s",
        "AgentStarted": "agent {agent} began",
        "SessionOpened": "session opened to processes outside",
        "ToolCalled": "{tool}: {summary}",
        "NoiseMade": "noise {noise}: {what}",
        "Submitted": "{stage} submitted",
        "StageGraded": "{stage} graded: {outcome}",
        "AgentStopped": "agent stopped {reason}",
        "EpisodeFinished": "outcome: {outcome}",
    }
    if entry.event == "Recovered":
        difference = shortened(str(fields.get("difference", "")), 300)
        return "recovered exactly" if fields.get("exact") else f"not recovered: {difference}"
    if entry.event == "WatchReported":
        return "false alarm" if fields.get("false_alarm") else "the agent says that all is well"
    if entry.event == "Waiting":
        what = "; ".join(map(str, fields.get("waiting_for") or ()))
        text = f"{fields.get('phase', '')}: {what}" if what else str(fields.get("phase", ""))
        return shortened(text, 300)
    template = texts.get(entry.event)
    # Records may be older than this page, or newer: a field that is not there is no disaster.
    known = {name: shortened(str(value), 80) for name, value in fields.items()}
    return template.format_map(defaultdict(str, known)).strip() if template else entry.event


def split(record: EpisodeRecord) -> str:
    """What came of both stages, `pass/fail`; the outcome alone where none was judged."""
    stages = (record.diagnosis, record.mitigation)
    if record.outcome is Outcome.ERROR or stages == (None, None):
        return str(record.outcome)
    return "/".join("-" if stage is None else str(stage.verdict.outcome) for stage in stages)


def word(check: Check) -> str:
    """How a check ended: `tolerated` for a question with a no that the score could bear."""
    tolerated = check.outcome is Outcome.PASS and check.got == "no" and check.expected != "no"
    return "tolerated" if tolerated else str(check.outcome)


def duration(seconds: float | None) -> str:
    """Seconds for people: `12 s`, `3 min 20 s`, or a dash."""
    if seconds is None:
        return "-"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s"


def _total(agent: str, records: Sequence[EpisodeRecord]) -> AgentTotal:
    mine = [record for record in records if record.agent == agent]
    return AgentTotal(
        name=agent,
        informed=any(_informed(record) for record in mine),
        played=len(mine),
        solved=sum(record.outcome is Outcome.PASS for record in mine),
        diagnosed=sum(_passed(record.diagnosis) for record in mine),
        mitigated=sum(_passed(record.mitigation) for record in mine),
        errors=sum(record.outcome is Outcome.ERROR for record in mine),
        undecided=sum(record.outcome is Outcome.UNDECIDED for record in mine),
    )


def _informed(record: EpisodeRecord) -> bool:
    return any(
        entry.event == "AgentStarted" and bool(entry.fields.get("privileged"))
        for entry in record.timeline
    )


def _passed(stage: StageRecord | None) -> bool:
    return stage is not None and stage.verdict.outcome is Outcome.PASS


def _of(records: Sequence[EpisodeRecord], problem: str, agent: str) -> list[EpisodeRecord]:
    return [record for record in records if record.problem == problem and record.agent == agent]
