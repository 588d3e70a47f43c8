"""What people read on their terminal, whole."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sregym_core.interfaces import RunPlan
from sregym_core.model import (
    ApiRequest,
    Check,
    EpisodeRecord,
    Grounding,
    Outcome,
    StageRecord,
    Support,
    TimelineEntry,
    Verdict,
)
from sregym_reporter_console.console import ConsoleReporter, Terminal

from sregym_core import events

LONG = "wrong_service_selector_hotel_reservation"
PLAN = RunPlan(Path("run"), (LONG, "short"), ("expert", "restart-loop", "someone"), (0,), "memory")


def record(
    problem: str, agent: str, diagnosis: Outcome, mitigation: Outcome, reason: str = "because"
) -> EpisodeRecord:
    stages = [
        StageRecord(verdict=Verdict.of([Check(name="check", outcome=outcome)]))
        for outcome in (diagnosis, mitigation)
    ]
    outcomes = {diagnosis, mitigation}
    worst = next(o for o in (Outcome.ERROR, Outcome.FAIL, Outcome.PASS) if o in outcomes)
    fields = {"agent": agent, "privileged": agent == "expert"}
    return EpisodeRecord(
        episode="e0001",
        problem=problem,
        agent=agent,
        seed=0,
        cluster="memory",
        outcome=worst,
        reason=reason,
        diagnosis=stages[0],
        mitigation=stages[1],
        steps=3,
        wall_s=1.25,
        timeline=(TimelineEntry(at_s=0.0, wall_s=0.0, event="AgentStarted", fields=fields),),
    )


RECORDS = (
    record(LONG, "expert", Outcome.PASS, Outcome.PASS),
    record(LONG, "restart-loop", Outcome.FAIL, Outcome.FAIL),
    record(LONG, "someone", Outcome.PASS, Outcome.FAIL),
    record("short", "expert", Outcome.PASS, Outcome.PASS),
    record("short", "restart-loop", Outcome.ERROR, Outcome.ERROR, "the pods [b]never[/b] came"),
    record("short", "someone", Outcome.PASS, Outcome.PASS),
)


def shown(width: int, *records: EpisodeRecord, terminal: bool = False) -> str:
    console = Console(
        file=io.StringIO(), record=True, width=width, force_terminal=terminal, color_system=None
    )
    reporter = ConsoleReporter(console)
    reporter.run_started(PLAN)
    for number, played in enumerate(records):
        started = events.EpisodeStarted(played.problem, played.agent, 0, "memory")
        reporter.event(str(number), started)
        reporter.event(str(number), events.ToolCalled("kubectl", "kubectl get pods", 0))
        reporter.episode_finished(played)
    reporter.run_finished(PLAN, records)
    lines = console.export_text().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def test_eighty_columns_hold_every_name() -> None:
    assert (
        shown(80, *RECORDS)
        == f"""\
pass  {LONG}  expert  1.2 s, 3 steps
fail  {LONG}  restart-loop  1.2 s, 3 steps
fail  {LONG}  someone  1.2 s, 3 steps
pass  short  expert  1.2 s, 3 steps
error short  restart-loop  1.2 s, 3 steps
      the pods [b]never[/b] came
pass  short  someone  1.2 s, 3 steps


                             diagnosis/mitigation

 problem                                   expert *   restart-loop  someone
 ────────────────────────────────────────────────────────────────────────────
 {LONG}  pass/pass  fail/fail     pass/fail
 short                                     pass/pass  error         pass/pass

 solved                                    (2 of 2)   0 of 1        1 of 2
                                                      1 error

* expert knows the answers: no measure of an agent"""
    )


def test_a_narrow_terminal_folds_and_cuts_nothing() -> None:
    text = shown(50, *RECORDS)
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    table = text[text.index("problem ") :]
    column = "".join(line[1:].split(" ")[0] for line in table.splitlines())
    assert LONG in column


def test_a_run_without_episodes() -> None:
    assert (
        shown(80)
        == f"""\
diagnosis/mitigation

 problem                                   expert  restart-loop  someone
 ───────────────────────────────────────────────────────────────────────
 {LONG}
 short

 solved                                    0 of 0  0 of 0        0 of 0"""
    )


def test_progress_names_who_does_what() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    reporter = ConsoleReporter(console)
    reporter.run_started(PLAN)
    reporter.event("1", events.EpisodeStarted("short", "someone", 0, "memory"))
    reporter.event("1", events.ToolCalled("kubectl", "kubectl get pods", 0))
    reporter.run_finished(PLAN, ())
    file = console.file
    assert isinstance(file, io.StringIO)
    assert "0/6" in file.getvalue()
    assert "someone on short: kubectl get pods" in file.getvalue()


def test_what_is_waited_for_is_a_line_of_its_own() -> None:
    console = Console(file=io.StringIO(), width=40, color_system=None)
    reporter = ConsoleReporter(console)
    reporter.run_started(PLAN)
    reporter.event("1", events.EpisodeStarted("short", "someone", 0, "kubeconfig"))
    reporter.event("1", events.Waiting("waiting until pods are ready", ("a: Pending",), 860.0))
    file = console.file
    assert isinstance(file, io.StringIO)
    assert file.getvalue() == (
        "  someone on short: waiting until pods are ready, 14 min 20 s left: a: Pending\n"
    )


def test_the_mode_stands_above_the_table() -> None:
    console = Console(file=io.StringIO(), record=True, width=120, color_system=None)
    reporter = ConsoleReporter(console)
    plan = replace(PLAN, mode="proactive", start_before_s=600.0)
    reporter.run_started(plan)
    alarmed = record("short", "someone", Outcome.PASS, Outcome.PASS)
    reporter.episode_finished(alarmed.model_copy(update={"false_alarms": 2}))
    reporter.run_finished(plan, ())
    lines = [line.strip() for line in console.export_text().splitlines()]
    assert lines[0] == "pass  short  someone  1.2 s, 3 steps, 2 false alarms"
    assert "diagnosis/mitigation, mode proactive, broken within 600 s" in lines


def test_a_run_goes_on_when_nobody_reads_along() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    gone = os.fdopen(writing, "w")
    console = Terminal(file=gone)
    reporter = ConsoleReporter(console)
    reporter.run_started(PLAN)
    for one in RECORDS:
        reporter.episode_finished(one)
    reporter.run_finished(PLAN, RECORDS)
    assert console.quiet
    with suppress(BrokenPipeError):  # of what it still holds
        gone.close()


def test_noise_has_a_table_of_its_own() -> None:
    quiet = record(LONG, "someone", Outcome.PASS, Outcome.PASS)
    noisy = record(LONG, "someone", Outcome.FAIL, Outcome.FAIL)
    noisy = noisy.model_copy(update={"noise_level": 2, "noise_blamed": ("zombies",)})
    assert (
        shown(80, quiet, noisy, noisy).split("by level of noise")[1]
        == """\
, with 95 % intervals

 agent    noise  solved  share  95 %      noise blamed
 ─"""
        + "─" * 52
        + """
 someone  0      1/1     100 %  21-100 %  -
 someone  2      0/2     0 %    0-66 %    zombies 2"""
    )


@pytest.mark.parametrize(
    ("unsupported", "requests", "told"),
    [
        ((), (), "evidence: tools had shown 1 of 1 names and values in the diagnosis"),
        (
            ("10Mi",),
            (),
            "evidence: tools had shown 1 of 2 names and values in the diagnosis; not 10Mi",
        ),
        (
            ("10Mi",),
            (ApiRequest(method="GET", path="/api", status=200),),
            "evidence: tools had shown 1 of 2 names and values in the diagnosis; "
            "responses to its own clients are not recorded",
        ),
    ],
)
def test_what_a_diagnosis_names_was_seen_or_not(
    unsupported: tuple[str, ...], requests: tuple[ApiRequest, ...], told: str
) -> None:
    seen = Grounding(supported=(Support(what="geo", call=0),), unsupported=unsupported)
    played = record("short", "someone", Outcome.PASS, Outcome.PASS)
    assert played.diagnosis is not None
    diagnosis = played.diagnosis.model_copy(update={"grounding": seen})
    played = played.model_copy(update={"diagnosis": diagnosis, "requests": requests})
    assert shown(100, played).splitlines()[1] == f"      {told}"
