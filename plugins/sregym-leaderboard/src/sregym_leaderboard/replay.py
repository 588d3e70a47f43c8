"""An episode is played again from its transcript: the same commands have to get the same answers.

What a record says and playing again cannot show is told, and never counts as verified.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import Claims, Environment, Outcome
from sregym_core.cli import counted
from sregym_core.errors import BudgetExceededError, SregymError
from sregym_core.model import sources_and_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.api import EpisodeRecord, Problem, Session, Workspace
    from sregym_core.model import StageRecord, ToolCall

# Episodes last as long as their transcript, whatever limits they had.
_ENDLESS = None


@dataclass(frozen=True)
class Replay:
    """What came of playing an episode again.

    Attributes:
        episode: Its id.
        agrees: Whether all that could be compared is the same; None where nothing could be.
        why: What differs, or why nothing can be compared.
        verified: What was compared and is the same.
        unverified: What the record says and playing again cannot show, each with the reason.
    """

    episode: str
    agrees: bool | None
    why: str = ""
    verified: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """`agrees`, `in part`, `differs` or `not possible`; only the first counts as verified."""
        if self.agrees is None:
            return "not possible"
        if not self.agrees:
            return "differs"
        return "in part" if self.unverified else "agrees"


def replayed(
    record: EpisodeRecord,
    problem: Problem,
    noise: int | tuple[str, ...] | None,
    workspace: Workspace,
) -> Replay:
    """Play the calls of a record in the same world, and compare answers and verdicts.

    Tools of the agent's own are left out, and told of. What processes outside did cannot be
    repeated: then the root causes and the diagnosis alone are looked at.

    Args:
        record: Whole, with transcript and salt.
        problem: As it was played.
        noise: As the campaign says it; None for that of the problem.
        workspace: Loaded plugins.
    """
    reason = _beyond(record)
    if reason:
        return Replay(record.episode, None, reason, unverified=(f"all of it: {reason}",))
    outside = _outside(record)
    if outside and record.start_before_s is not None:
        why = f"{outside}, and it began before the system broke"
        return Replay(record.episode, None, why, unverified=(f"all of it: {why}",))
    from sregym_core.api import Budget

    def act(session: Session) -> None:
        if outside:
            _hand_in(session, record.diagnosis)
        else:
            _play(session, _shared(record))

    sources, level = sources_and_level(noise)
    try:
        with Environment(
            problem,
            seed=record.seed,
            salt=record.salt,
            mode=record.mode,
            cluster=record.cluster,
            noise=sources,
            noise_level=level,
            start_before_s=record.start_before_s,
            budget=Budget(_ENDLESS, _ENDLESS),
            attempt=record.attempt,
            workspace=workspace,
        ) as environment:
            environment.reset()
            environment.act(act)
            again = environment.close()
    except SregymError as error:
        return Replay(record.episode, False, f"it cannot be played: {error}")
    return _judged(record, again, outside) if outside else _compared(record, again)


def _beyond(record: EpisodeRecord) -> str:
    """Why nothing of a record can be compared; empty where something can be."""
    if record.outcome not in (Outcome.PASS, Outcome.FAIL):
        return f"its outcome is {record.outcome}"
    if not record.salt:
        return "it tells no salt"
    return ""


def _outside(record: EpisodeRecord) -> str:
    """Why what was done to the world does not stand in the transcript; empty if it does."""
    if record.requests:
        return "the agent's own clients asked the cluster past the session's tools"
    if any(entry.event == "SessionOpened" for entry in record.timeline):
        return "the session was open to processes outside, by the wall clock"
    return ""


def _shared(record: EpisodeRecord) -> tuple[ToolCall, ...]:
    """The calls of the session's tools: none of the others reached the world."""
    return tuple(call for call in record.transcript if not call.own)


def _hand_in(session: Session, diagnosis: StageRecord | None) -> None:
    if diagnosis is not None and diagnosis.submitted_at_s is not None:
        session.submit(diagnosis.text, diagnosis.claims)


def _play(session: Session, calls: tuple[ToolCall, ...]) -> None:
    for call in calls:
        try:
            _repeat(session, call)
        except BudgetExceededError:  # a world that ends earlier shows in the answers
            return


def _repeat(session: Session, call: ToolCall) -> None:
    arguments: Mapping[str, object] = call.arguments
    if call.tool == "kubectl":
        session.kubectl(str(arguments.get("command", "")))
    elif call.tool == "wait":
        session.wait(float(str(arguments.get("seconds", 0.0))))
    elif call.tool == "submit":
        claims = arguments.get("claims")
        session.submit(
            str(arguments.get("text", "")),
            Claims.model_validate_json(str(claims)) if claims is not None else None,
        )
    else:
        session.call(call.tool, arguments)


def _compared(before: EpisodeRecord, again: EpisodeRecord) -> Replay:
    calls = _shared(before)
    numbers = [number for number, call in enumerate(before.transcript, 1) if not call.own]
    for number, one, two in zip(numbers, calls, again.transcript, strict=False):
        if one.digest != two.digest:
            what = one.arguments.get("command", one.tool)
            return Replay(
                before.episode, False, f"call {number} ({what}) was answered in another way"
            )
    if len(calls) != len(again.transcript):
        counts = f"{len(calls)} calls are {len(again.transcript)}"
        return Replay(before.episode, False, f"{counts} when played again")
    differs = _differing(before, again, ("diagnosis", "mitigation"))
    if not differs and before.outcome is not again.outcome:
        differs = f"the outcome was {before.outcome}, and is {again.outcome} when played again"
    if differs:
        return Replay(before.episode, False, differs)
    own = Counter(call.tool for call in before.transcript if call.own)
    tools = ", ".join(f"{name} {count}" for name, count in sorted(own.items()))
    return Replay(
        before.episode,
        True,
        verified=(f"answers to {counted(len(calls), 'call')}", "both verdicts"),
        unverified=(f"what the agent's own tools gave it ({tools})",) if own else (),
    )


def _judged(before: EpisodeRecord, again: EpisodeRecord, outside: str) -> Replay:
    """What an unchanged world tells of a record."""
    if before.truths != again.truths:
        return Replay(before.episode, False, "its root causes are others when played again")
    differs = _differing(before, again, ("diagnosis",))
    if differs:
        return Replay(before.episode, False, differs)
    answers = f"answers to {counted(len(before.transcript), 'call')}: {outside}"
    return Replay(
        before.episode,
        True,
        verified=("the root causes", "the verdict on the diagnosis"),
        unverified=(answers, f"the verdict on the mitigation: {outside}"),
    )


def _differing(before: EpisodeRecord, again: EpisodeRecord, stages: Iterable[str]) -> str:
    for name in stages:
        one, two = _verdict(getattr(before, name)), _verdict(getattr(again, name))
        if one != two:
            return f"{name} was {one}, and is {two} when played again"
    return ""


def _verdict(stage: StageRecord | None) -> str:
    return "not judged" if stage is None else str(stage.verdict.outcome)
