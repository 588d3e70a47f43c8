"""Contract tests for every reporter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import pytest
from sregym_core.interfaces.reporter import RunPlan
from sregym_core.model import (
    Check,
    EpisodeRecord,
    Outcome,
    StageRecord,
    TimelineEntry,
    ToolCall,
    Verdict,
)

from sregym_core import events

if TYPE_CHECKING:
    from sregym_core.interfaces import Reporter

MakeReporter: TypeAlias = "Callable[[], Reporter]"

# By the annotation of an event's field.
_SAMPLES: Mapping[str, Any] = {
    "str": "text",
    "int": 1,
    "float": 0.5,
    "bool": True,
    "int | None": 1,
    "dict[str, str]": {"key": "text"},
    "tuple[str, ...]": ("text",),
}
# Would end the page or the markup of a reporter that does not escape.
HOSTILE = "</script><b>[red]%s{0}\x1b[31m\N{SNOWMAN}"


def sample_events() -> list[events.EpisodeEvent]:
    """One event of each class, in the order in which they are declared."""
    return [
        kind(**{f.name: _SAMPLES[str(f.type)] for f in fields(kind) if f.default is MISSING})
        for kind in get_args(events.EpisodeEvent)
    ]


def sample_record(
    outcome: Outcome, episode: str = "0001", text: str = "cart is wrong"
) -> EpisodeRecord:
    """A record as a finished episode has it; an error reaches neither stage."""
    check = Check(name="defect-gone", outcome=outcome, expected="gone", got=text)
    stage = StageRecord(text=text, submitted_at_s=12.0, verdict=Verdict.of([check]))
    graded = None if outcome is Outcome.ERROR else stage
    return EpisodeRecord(
        episode=episode,
        problem="cart-port",
        agent="someone",
        seed=7,
        cluster="memory",
        outcome=outcome,
        reason=text,
        diagnosis=graded,
        mitigation=graded,
        recovered=True,
        ttd_s=None if graded is None else 12.0,
        ttm_s=None if graded is None else 30.0,
        steps=1,
        wall_s=0.4,
        warnings=(text,),
        timeline=(TimelineEntry(at_s=0.0, wall_s=0.0, event="ToolCalled", fields={"tool": text}),),
        transcript=(ToolCall(at_s=1.0, tool="kubectl", arguments={"command": text}, output=text),),
    )


class ReporterContract:
    """Override `make_reporter`."""

    @pytest.fixture
    def make_reporter(self) -> MakeReporter:
        """Makes a fresh instance of the reporter under test."""
        raise NotImplementedError("override the fixture `make_reporter`")

    def test_shows_a_whole_run(self, make_reporter: MakeReporter, tmp_path: Path) -> None:
        """Every kind of event and all three outcomes; two episodes interleave."""
        plan = _plan(tmp_path)
        reporter = make_reporter()
        reporter.run_started(plan)
        for event in sample_events():
            for episode in ("0001", "0002"):
                reporter.event(episode, event)
        records = tuple(sample_record(outcome, f"{n:04}") for n, outcome in enumerate(Outcome, 1))
        for record in records:
            reporter.episode_finished(record)
        _written(reporter.run_finished(plan, records), plan)

    def test_shows_an_empty_run(self, make_reporter: MakeReporter, tmp_path: Path) -> None:
        """Interrupted before the first episode."""
        plan = _plan(tmp_path)
        reporter = make_reporter()
        reporter.run_started(plan)
        _written(reporter.run_finished(plan, ()), plan)

    def test_works_from_records_alone(self, make_reporter: MakeReporter, tmp_path: Path) -> None:
        """`sregym report` shows a run of the past: there are no events then."""
        plan = _plan(tmp_path)
        _written(make_reporter().run_finished(plan, (sample_record(Outcome.PASS),)), plan)

    def test_shows_whatever_agents_write(self, make_reporter: MakeReporter, tmp_path: Path) -> None:
        """Markup, escapes and format fields in submissions are text, not instructions."""
        plan = _plan(tmp_path)
        record = sample_record(Outcome.FAIL, text=HOSTILE)
        reporter = make_reporter()
        reporter.run_started(plan)
        reporter.event("0001", events.ToolCalled(tool="kubectl", summary=HOSTILE, exit_code=0))
        reporter.episode_finished(record)
        path = _written(reporter.run_finished(plan, (record,)), plan)
        if path is not None:
            assert "</script><b>" not in path.read_text(encoding="utf-8")

    def test_writes_into_the_folder_of_the_run(
        self, make_reporter: MakeReporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And nowhere else: neither beside it nor where the process stands."""
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        plan = _plan(tmp_path)
        reporter = make_reporter()
        reporter.run_started(plan)
        reporter.run_finished(plan, (sample_record(Outcome.PASS),))
        assert list(elsewhere.iterdir()) == []
        assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "run"]


def _plan(tmp_path: Path) -> RunPlan:
    folder = tmp_path / "run"
    folder.mkdir(exist_ok=True)
    return RunPlan(folder, ("cart-port",), ("someone",), (7, 8, 9), "memory")


def _written(path: Path | None, plan: RunPlan) -> Path | None:
    """The file that a reporter says it wrote, if any: it has to be there and not empty."""
    if path is not None:
        assert path.is_relative_to(plan.folder)
        assert path.stat().st_size > 0
    return path
