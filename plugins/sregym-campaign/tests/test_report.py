"""The report of a campaign: complete, from nowhere else, and usable in a browser."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_campaign.compare_command import Compare
from sregym_campaign.content import Content
from sregym_campaign.difficulty import classes
from sregym_campaign.file import AgentSpec, Limits
from sregym_campaign.plan import Plan
from sregym_campaign.power_command import PowerCommand
from sregym_campaign.report import render
from sregym_campaign.tries import Try, TryKind
from sregym_core.api import EpisodeRecord, Outcome
from sregym_core.api.workspace import shared
from sregym_core.cli import Console, Subcommand
from sregym_core.errors import UsageError
from sregym_core.interfaces import RunPlan
from sregym_core.model import StageRecord, TimelineEntry, ToolCall, Verdict
from sregym_runs.folder import RunFolder
from sregym_testing.browser import browse, needs_browser

from sregym_statistics import ProblemFacts, facts_of, summarise

HOSTILE = "</script><script>document.title='owned'</script>"


def _record(number: int, problem: str, agent: str, passed: bool) -> EpisodeRecord:
    outcome = Outcome.PASS if passed else Outcome.FAIL
    stage = StageRecord(
        text=f"It was {problem}. {HOSTILE}",
        submitted_at_s=100.0 + number,
        verdict=Verdict(outcome=outcome),
    )
    timeline = [
        TimelineEntry(at_s=10, wall_s=0, event="BaselineTaken", fields={"success_rate": 0.99}),
        TimelineEntry(at_s=50, wall_s=0, event="FaultConfirmed", fields={"success_rate": 0.25}),
        TimelineEntry(
            at_s=60, wall_s=0, event="AgentStarted", fields={"privileged": agent == "expert"}
        ),
    ]
    calls = [
        ToolCall(
            at_s=70.0 + i,
            tool="kubectl",
            arguments={"command": f"kubectl {verb} pods -n shop"},
            output=HOSTILE,
            digest=str(i),
        )
        for i, verb in enumerate(["get", "delete"])
    ]
    return EpisodeRecord(
        episode=f"e{number:05d}-1",
        problem=problem,
        agent=agent,
        seed=0,
        cluster="embedded",
        outcome=outcome,
        reason=HOSTILE,
        diagnosis=stage,
        mitigation=stage,
        ttd_s=40.0,
        ttm_s=41.0,
        steps=len(calls),
        timeline=tuple(timeline),
        transcript=tuple(calls),
    )


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A report of two problems and three agents."""
    plan = Plan(
        name="trial",
        digest="d",
        salt="s",
        cells=(),
        problems={},
        agents={name: AgentSpec(name=name, agent=name) for name in ("expert", "mine", "noop")},
        baselines=("expert", "noop"),
        noise={"none": ()},
        cluster="embedded",
        limits=Limits(),
        plugins={"sregym-core": "0.1.0"},
    )
    lost = Try(cell="e00009", number=1, kind=TryKind.LIMITED, why="429 <b>slow down</b>")
    content = Content("trial", plan, tries=[lost], missing=1)
    number = 0
    for problem, layer in (("cart", "network"), ("pay", "os")):
        for agent in ("expert", "mine", "noop"):
            number += 1
            solved = agent == "expert" or (agent == "mine" and problem == "cart")
            record = _record(number, problem, agent, solved)
            known = ProblemFacts(problem, "shop", layer, ("lite",), "new")
            content.episodes.append((facts_of(record, known, noise="none"), record))
    path = tmp_path / "report.html"
    path.write_text(render(content, summarise(content.facts)), encoding="utf-8")
    return path


def _seen(page: Path, fragment: str = "", act: str = "") -> str:
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{act}</script></body>")
    acting = page.with_name("acting.html")
    acting.write_text(text, encoding="utf-8")
    address = f"{acting.as_uri()}{fragment}"
    return browse(page.parent / "profile", address)


def test_nothing_comes_from_elsewhere_and_no_markup_of_agents_is_markup(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="|url\(|@import|https?://(?!www\.w3\.org/)', text) == []
    assert HOSTILE not in text
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)[0])
    assert data["e00002-1"]["calls"][0]["output"] == HOSTILE
    assert data["e00002-1"]["health"] == [[10.0, 0.99], [50.0, 0.25]]
    assert "<b>slow" not in text
    assert "random was not played" in text
    # Who knows the answers comes first, scripts that know nothing last.
    assert re.findall(r'<tr data-agent="(\w+)"', text) == ["expert", "mine", "noop"]


def test_each_level_of_noise_has_a_score_with_its_interval_and_what_was_blamed() -> None:
    levels = {"calm": 0, "loud": 2}
    plan = Plan(
        name="dose",
        digest="d",
        salt="s",
        cells=(),
        problems={},
        agents={"mine": AgentSpec(name="mine", agent="playbook")},
        baselines=(),
        noise=levels,
        cluster="embedded",
        limits=Limits(),
        plugins={},
    )
    content = Content("dose", plan)
    known = ProblemFacts("cart", "shop", "network", (), "new")
    for number, (name, passed) in enumerate(
        [("calm", True), ("calm", True), ("loud", True), ("loud", False), ("loud", False)]
    ):
        blamed = () if passed else ("decoys",)
        noise = {"noise_level": levels[name], "noise_blamed": blamed}
        record = _record(number, "cart", "playbook", passed).model_copy(update=noise)
        content.episodes.append((facts_of(record, known, agent="mine", noise=name), record))
    assert content.quiet == "calm"
    figures = summarise(content.facts, quiet_noise=content.quiet)
    assert [*figures["agents"]["mine"]["noise_effect"]] == ["loud"]
    text = render(content, figures)
    table = text[text.index('<table id="doses">') :]
    rows = re.findall(r"<tr><td class=\"name\">.*?</tr>", table[: table.index("</table>")])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    assert cells == [
        ["mine", "0", "2 / 2", "100 %", "34 to 100 %", "\N{EN DASH}"],
        ["mine", "2", "1 / 3", "33 %", "6 to 79 %", "decoys (2 times)"],
    ]


@needs_browser
def test_an_episode_opens_by_its_address(page: Path) -> None:
    seen = _seen(page, "#e00002-1")
    assert re.findall(r"<title>(trial|owned)", seen) == ["trial"]
    section = seen[seen.index('<section id="episode"') :]
    assert "hidden" not in section[: section.index(">")]
    assert "kubectl delete pods -n shop" in section
    assert section.count("<circle") == 2 + 2  # two calls, two measurements
    assert "success rate 0.25 at 50 s" in section


@needs_browser
def test_tables_filter_and_sort(page: Path) -> None:
    act = (
        "const f=document.querySelector('form[data-for=episodes]');"
        "f.elements.agent.value='mine';f.dispatchEvent(new Event('input'));"
        "document.querySelectorAll('#heat th button')[0].click();"
        "document.querySelectorAll('#heat th button')[0].click();"
    )
    seen = _seen(page, act=act)
    shown = re.findall(r'<tr data-id="([^"]+)"(?![^>]*hidden)', seen)
    assert shown == ["e00002-1", "e00005-1"]
    assert "2 of 6" in seen
    assert re.findall(r'<tr data-text="(cart|pay)" data-application', seen) == ["pay", "cart"]
    assert '<td class="h10">1/1</td>' in seen


def test_a_runs_folder_has_statistics_and_keeps_its_report(
    sregym_project: Callable[..., Any],
) -> None:
    project = sregym_project()
    problem = "wrong_service_selector_hotel_reservation"
    agents = ("--agent", "noop", "--agent", "expert")
    project.run("run", problem, *agents, "--jobs", "1", "--out", "a")
    between = ("--agent-a", "noop", "--agent-b", "expert")
    done = project.run("compare", "a", "a", *between, "--json").assert_success().json()
    assert list(done) == [
        *("diagnosis", "mitigation", "e2e", "ttd_s", "ttm_s", "tokens", "cost", "steps"),
    ]
    assert done["e2e"] == {
        "a": 0.0,
        "b": 1.0,
        "difference": 1.0,
        "low": None,
        "high": None,
        "p": None,
    }
    (project.folder / "a" / "report.html").write_text("the run's own")
    reported = project.run("campaign", "report", "a")
    assert reported.out == "report: a/statistics.html\n"
    assert (project.folder / "a" / "report.html").read_text() == "the run's own"
    told = project.run("power", "a", "--points", "20", "--agent", "expert").assert_success().out
    assert told.startswith("expert: from 100.0%, 20 points take ")


def _refused(command: type[Subcommand], **words: Any) -> str:
    """Why a command refuses, in this process: plugins are loaded once."""
    console = Console(io.StringIO(), io.StringIO())
    with pytest.raises(UsageError) as refused:
        command(shared().factory.settings, console).run(argparse.Namespace(**words))
    return str(refused.value)


def test_words_of_compare_and_power(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = RunFolder(tmp_path / "a")
    run.begin(RunPlan(tmp_path / "a", ("cart",), ("mine",), (0,), "embedded"), [])
    record = _record(1, "cart", "mine", passed=True)
    run.add(record)
    run.finish([record])
    assert _refused(PowerCommand, folder="a", agent="nobody", points=5.0) == (
        "'a' has no graded episode of agent 'nobody'; it has: mine"
    )
    assert _refused(PowerCommand, folder="a", agent=None, points=0.0) == (
        "--points 0: give a number between 0 and 100"
    )
    assert _refused(Compare, a="a", b="a", agent_a="nobody", agent_b=None) == (
        "'a' has no episode of agent 'nobody'; it has: mine"
    )


def test_files_of_difficulty(tmp_path: Path) -> None:
    file = tmp_path / "d.json"
    remedy = f"make it with: sregym difficulty --json > {file}"
    with pytest.raises(UsageError) as gone:
        classes(file)
    assert str(gone.value) == f"{file}: No such file or directory; {remedy}"
    file.write_text('[{"id": "a", "playbook": "many"}]')
    with pytest.raises(UsageError) as wrong:
        classes(file)
    assert str(wrong.value) == (
        f"{file}: field '[0].playbook': must be true or false, not 'many'; {remedy}"
    )
    found = [
        {"id": "a", "playbook": True, "shortcuts": ["youngest pod"]},
        {"id": "b", "playbook": True, "green": True},
        {"id": "c", "playbook": False},
    ]
    file.write_text(json.dumps(found))
    assert classes(file) == {"a": "guessed", "b": "by lookup", "c": "by reasoning"}
