"""Diagnoses of a finished run, judged by a second judge or by a person."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError
from sregym_core.model import Judgement, Verdict
from sregym_runs import FinishedRun

from sregym_judge.telling import case_to_json, describe_usage, usage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_core.api import Workspace
    from sregym_core.cli import Console
    from sregym_core.interfaces import DiagnosisOracle
    from sregym_core.model import EpisodeRecord, GroundTruth, StageRecord

_WORDS = {"y": True, "yes": True, "n": False, "no": False, "?": None}


def judge_again(
    console: Console,
    workspace: Workspace,
    judge: tuple[str, DiagnosisOracle],
    arguments: argparse.Namespace,
) -> None:
    """Let another judge decide; what it decides counts, the first verdicts are kept."""
    name, oracle = judge
    told, verdicts = [], []
    run = FinishedRun(arguments.run, workspace)
    with run.held():
        for record, stage in _chosen(run, every=arguments.all):
            verdict = oracle.judge_diagnosis(
                stage.text, stage.claims, record.truths, run.components(record)
            )
            run.keep(record, Judgement(by=name, at=_now(), verdict=verdict))
            verdicts.append(verdict)
            told.append(
                {
                    "episode": record.episode,
                    "problem": record.problem,
                    "before": str(stage.verdict.outcome),
                    **case_to_json(record.episode, oracle, verdict),
                }
            )
    spent = usage(verdicts)
    if arguments.json:
        console.json({"run": str(arguments.run), "judge": name, "episodes": told, "usage": spent})
        return
    rows = [(one["episode"], one["problem"], one["before"], one["outcome"]) for one in told]
    console.table(("EPISODE", "PROBLEM", "BEFORE", name.partition(":")[0].upper()), tuple(rows))
    for one in told:
        if "reason" in one:
            console.say(f"{one['episode']}: {one['reason']}")
    if spent is not None:
        console.say(f"\n{describe_usage(spent)}")


def review(
    console: Console, workspace: Workspace, judge: DiagnosisOracle, arguments: argparse.Namespace
) -> None:
    """Ask a person the questions of the judge; every answered episode is kept at once."""
    if not judge.asks:
        judge.verdict_of([], [])
    person = arguments.by or _user()
    run = FinishedRun(arguments.review, workspace)
    told: list[dict[str, Any]] = []
    with run.held():
        for record, stage in _chosen(run, every=arguments.all):
            # Questions go beside the result, which may be JSON.
            _show(console, record, stage)
            answers = _answers(console, judge, record.truths, stage.verdict)
            if answers is None:
                break
            verdict = judge.verdict_of(answers, record.truths)
            run.keep(record, Judgement(by=person, at=_now(), verdict=verdict))
            console.note(f"{record.episode}: {verdict.outcome}, {verdict.reason}\n")
            told.append({**case_to_json(record.episode, judge, verdict), "by": person})
        left = len(list(_chosen(run, every=False)))
    if arguments.json:
        console.json({"run": str(arguments.review), "episodes": told, "undecided": left})
    else:
        console.say(f"{len(told)} reviewed by {person}, {left} undecided")


def _chosen(run: FinishedRun, *, every: bool) -> Iterator[tuple[EpisodeRecord, StageRecord]]:
    for record in run.to_judge(every=every):
        if record.diagnosis is not None:
            yield record, record.diagnosis


def _show(console: Console, record: EpisodeRecord, stage: StageRecord) -> None:
    console.note(f"Episode {record.episode}, problem {record.problem}, agent {record.agent}")
    console.note(f"\nSubmitted:\n{_indented(stage.text)}")
    for truth in record.truths:
        console.note(f"\nGround truth:\n{_indented(truth.sentence())}")
    if (seen := stage.grounding) is not None and seen.coverage is not None:
        shown = ", ".join(one.what for one in seen.supported) or "nothing"
        console.note(f"\nSeen before it was submitted: {shown}")
        if seen.unsupported:
            console.note(f"In no answer of a tool: {', '.join(seen.unsupported)}")
    console.note(f"\nUntil now: {stage.verdict.outcome}, {stage.verdict.reason}")
    for check in stage.verdict.checks:
        if check.got == "unknown":
            console.note(f"  {check.name}: {check.detail}")
    console.note("")


def _answers(
    console: Console,
    judge: DiagnosisOracle,
    ground_truths: Sequence[GroundTruth],
    verdict: Verdict,
) -> list[Mapping[str, bool | None]] | None:
    """A person's answers for each root cause; None where they want to stop."""
    console.note("y: yes, n: no, ?: cannot be told, Enter: as before, q: stop")
    given: list[Mapping[str, bool | None]] = []
    for number, truth in enumerate(ground_truths):
        if len(ground_truths) > 1:
            console.note(f"Root cause {truth.component}, {truth.mechanism.replace('-', ' ')}:")
        one: dict[str, bool | None] = {}
        for question, text in judge.asks.items():
            before = _before(verdict, question, number)
            answer = _answer(console, f"{text} [{before}] ", before)
            if answer == "q":
                return None
            one[question] = _WORDS[answer]
        given.append(one)
    return given


def _before(verdict: Verdict, question: str, number: int) -> str:
    """The former answer; there is one for each root cause, in their order."""
    found = [check.got for check in verdict.checks if check.name.partition("[")[0] == question]
    got = found[number] if number < len(found) else ""
    return {"yes": "y", "no": "n"}.get(got, "?")


def _answer(console: Console, question: str, before: str) -> str:
    while True:
        console.note(question)
        try:
            said = input().strip().lower()
        except EOFError:
            return "q"
        if not said:
            return before
        if said in _WORDS or said == "q":
            return said
        console.note(f"{said!r} is no answer: y, n, ?, Enter or q")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.splitlines())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        msg = "nobody knows who reviews: say it with --by PERSON"
        raise UsageError(msg) from error


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
