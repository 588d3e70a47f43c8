"""An episode is played again from its transcript: the same commands have to get the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import Claims, Environment, Outcome
from sregym_core.errors import BudgetExceededError, SregymError
from sregym_core.model import sources_and_level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.api import EpisodeRecord, Problem, Session, Workspace
    from sregym_core.model import StageRecord, ToolCall

# Episodes last as long as their transcript, whatever limits they had.
_ENDLESS = None


@dataclass(frozen=True)
class Replay:
    """What came of playing an episode again.

    Attributes:
        episode: Its id.
        agrees: Whether all answers and verdicts are the same; None where it cannot be told.
        why: What differs, or why it cannot be told.
    """

    episode: str
    agrees: bool | None
    why: str = ""


def replayed(
    record: EpisodeRecord,
    problem: Problem,
    noise: int | tuple[str, ...] | None,
    workspace: Workspace,
) -> Replay:
    """Play the calls of a record in the same world, and compare answers and verdicts.

    Args:
        record: Whole, with transcript and salt.
        problem: As it was played.
        noise: As the campaign says it; None for that of the problem.
        workspace: Loaded plugins.
    """
    reason = _beyond(record)
    if reason:
        return Replay(record.episode, None, reason)
    from sregym_core.api import Budget

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
            environment.act(lambda session: _play(session, record.transcript))
            again = environment.close()
    except SregymError as error:
        return Replay(record.episode, False, f"it cannot be played: {error}")
    return _compared(record, again)


def _beyond(record: EpisodeRecord) -> str:
    """Why a transcript does not hold all that an agent did; empty if it does."""
    if record.outcome not in (Outcome.PASS, Outcome.FAIL):
        return f"its outcome is {record.outcome}"
    if not record.salt:
        return "it tells no salt"
    if record.requests:
        return "the agent's own clients wrote past the session's tools"
    if any(call.own for call in record.transcript):
        return "the agent used tools of its own"
    if any(entry.event == "SessionOpened" for entry in record.timeline):
        return "the session was open to processes outside, by the wall clock"
    return ""


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
    for number, (one, two) in enumerate(zip(before.transcript, again.transcript, strict=False), 1):
        if one.digest != two.digest:
            what = one.arguments.get("command", one.tool)
            return Replay(
                before.episode, False, f"call {number} ({what}) was answered in another way"
            )
    if len(before.transcript) != len(again.transcript):
        counts = f"{len(before.transcript)} calls are {len(again.transcript)}"
        return Replay(before.episode, False, f"{counts} when played again")
    for name in ("diagnosis", "mitigation"):
        one_verdict, two_verdict = _verdict(getattr(before, name)), _verdict(getattr(again, name))
        if one_verdict != two_verdict:
            told = f"{name} was {one_verdict}, and is {two_verdict} when played again"
            return Replay(before.episode, False, told)
    if before.outcome is not again.outcome:
        told = f"the outcome was {before.outcome}, and is {again.outcome} when played again"
        return Replay(before.episode, False, told)
    return Replay(before.episode, True)


def _verdict(stage: StageRecord | None) -> str:
    return "not judged" if stage is None else str(stage.verdict.outcome)
