"""How hard problems are: what an expert needs, what a playbook and shortcuts find out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_agents.survey import SIGNALS, is_green
from sregym_core.api import Outcome, play
from sregym_core.errors import UsageError

from sregym_agent_shortcuts.agent import Looker
from sregym_agent_shortcuts.chance import Draw, drawn

if TYPE_CHECKING:
    from sregym_core.api import EpisodeRecord, Problem, Workspace


@dataclass(frozen=True)
class Difficulty:
    """What was found out about one problem.

    Attributes:
        problem: Its id.
        expert_steps: Commands of the expert, who knows the answer.
        signals: Where the broken component can be seen to be abnormal, and the kinds of the objects
            that have to be read to say why.
        green: Whether all pods are ready when the agent starts and no warning tells of the cause.
        playbook: Whether the playbook's diagnosis passes.
        draw: What shortcuts name, and how likely a draw by lot does.
    """

    problem: str
    expert_steps: int
    signals: tuple[str, ...]
    green: bool
    playbook: bool
    draw: Draw

    @property
    def shortcuts(self) -> tuple[str, ...]:
        """Names of the shortcuts that name the broken component."""
        return self.draw.named

    def as_json(self) -> dict[str, Any]:
        """The form that `sregym difficulty --json` prints."""
        return {
            "id": self.problem,
            "expert_steps": self.expert_steps,
            "signals": [*self.signals],
            "green": self.green,
            "playbook": self.playbook,
            "shortcuts": [*self.shortcuts],
        }


def difficulty(problem: Problem, workspace: Workspace, seed: int) -> Difficulty:
    """Let the expert, the playbook and the agent that lists everything play a problem.

    Raises:
        UsageError: Its world does not stand, or one of the agents is not installed.
    """
    expert = _played(problem, workspace, seed, "expert", "one-shot")
    playbook = _played(problem, workspace, seed, "playbook", "diagnosis-only")
    looker = Looker()
    play(problem, looker, workspace=workspace, seed=seed, mode="diagnosis-only")
    seen = looker.seen
    broken = _broken(problem, expert)
    if seen is None:
        msg = f"difficulty of {problem.id!r}: nothing could be listed in its world"
        raise UsageError(msg)
    signals = [name for name, signal in SIGNALS.items() if signal(seen) & broken]
    diagnosis = playbook.diagnosis
    return Difficulty(
        problem=problem.id,
        expert_steps=sum(call.tool != "submit" for call in expert.transcript),
        signals=(*signals, *_kinds(expert)),
        green=is_green(seen, broken),
        playbook=diagnosis is not None and diagnosis.verdict.outcome is Outcome.PASS,
        draw=drawn(problem, seed, seen, broken),
    )


def _played(
    problem: Problem, workspace: Workspace, seed: int, agent: str, mode: str
) -> EpisodeRecord:
    record = play(problem, agent, workspace=workspace, seed=seed, mode=mode)
    if record.outcome is Outcome.ERROR:
        msg = f"difficulty of {problem.id!r}: agent {agent!r} could not play it: {record.reason}"
        raise UsageError(msg)
    return record


def _broken(problem: Problem, expert: EpisodeRecord) -> set[str]:
    """The components in which root causes are: by the truth, and as the problem names them."""
    names = {name for ref in problem.faults for name in ref.components}
    claims = expert.diagnosis.claims if expert.diagnosis is not None else None
    return names | ({claims.component} if claims is not None and claims.component else set())


def _kinds(expert: EpisodeRecord) -> tuple[str, ...]:
    claims = expert.diagnosis.claims if expert.diagnosis is not None else None
    return (claims.kind,) if claims is not None and claims.kind else ()
