"""The reporter contract accepts a good reporter and finds each kind of bad one."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from sregym_core.interfaces import Reporter
from sregym_testing import ReporterContract


class Good(Reporter):
    """One line an episode, as HTML."""

    name = "lines"

    def run_finished(self, plan, records) -> Path | None:
        lines = [f"<p>{html.escape(r.problem)}: {self.show(r.reason)}</p>" for r in records]
        path = self.folder(plan) / "lines.html"
        path.write_text("\n".join(["<h1>Run</h1>", *lines]), encoding="utf-8")
        return path

    def show(self, text: str) -> str:
        return html.escape(text)

    def folder(self, plan) -> Path:
        return plan.folder


class KnowsOnePeopleOnly(Good):
    def event(self, episode, event) -> None:
        assert event.agent


class NeedsAnEpisode(Good):
    def run_finished(self, plan, records) -> Path | None:
        assert records[0].outcome
        return super().run_finished(plan, records)


class NeedsEvents(Good):
    def run_started(self, plan) -> None:
        self.started = plan

    def run_finished(self, plan, records) -> Path | None:
        if not hasattr(self, "started"):
            raise AssertionError("never started")
        return super().run_finished(plan, records)


class TrustsAgents(Good):
    def show(self, text: str) -> str:
        return text


class WritesWhereItStands(Good):
    def run_finished(self, plan, records) -> Path | None:
        Path("lines.html").write_text("here", encoding="utf-8")
        return super().run_finished(plan, records)


class PromisesAFile(Good):
    def run_finished(self, plan, records) -> Path | None:
        return plan.folder / "lines.html"


class LeavesItEmpty(Good):
    def run_finished(self, plan, records) -> Path | None:
        path = super().run_finished(plan, records)
        path.write_text("")
        return path


class WritesBesideTheRun(Good):
    def folder(self, plan) -> Path:
        return plan.folder.parent


BAD: dict[str, type[Reporter]] = {
    "test_shows_a_whole_run": KnowsOnePeopleOnly,
    "test_shows_an_empty_run": NeedsAnEpisode,
    "test_works_from_records_alone": NeedsEvents,
    "test_shows_whatever_agents_write": TrustsAgents,
    "test_writes_into_the_folder_of_the_run": WritesWhereItStands,
}


class TestGoodReporter(ReporterContract):
    @pytest.fixture
    def make_reporter(self):
        return Good


@pytest.mark.parametrize("check", BAD)
def test_bad_reporter_is_found(check, run_check, tmp_path, monkeypatch) -> None:
    values = {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
    with pytest.raises((AssertionError, AttributeError, IndexError)):
        run_check(ReporterContract, check, make_reporter=BAD[check], **values)


@pytest.mark.parametrize("reporter", [PromisesAFile, LeavesItEmpty, WritesBesideTheRun])
def test_a_file_that_is_not_there(reporter, run_check, tmp_path) -> None:
    with pytest.raises((AssertionError, FileNotFoundError)):
        run_check(
            ReporterContract, "test_shows_a_whole_run", make_reporter=reporter, tmp_path=tmp_path
        )


def test_every_check_has_a_bad_reporter(checks_of) -> None:
    assert set(BAD) == checks_of(ReporterContract)
