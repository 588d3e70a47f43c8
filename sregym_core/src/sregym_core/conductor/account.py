"""What the parts of an episode leave for its record: fields by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.conductor.episode_setup import EpisodeSetup
    from sregym_core.conductor.grades import Grades
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.session import LiveSession
    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import EpisodeNoise
    from sregym_core.model import StageRecord


def of_plan(plan: EpisodePlan) -> dict[str, Any]:
    """What was requested."""
    return {
        "episode": plan.episode,
        "problem": plan.problem.id,
        "agent": plan.agent.name,
        "seed": plan.seed,
        "mode": plan.mode.name,
        "start_before_s": plan.start_before_s,
        "attempt": plan.attempt,
    }


def of_episode_setup(episode_setup: EpisodeSetup | None) -> dict[str, Any]:
    """How it began."""
    return {} if episode_setup is None else episode_setup.account()


def of_timeline(timeline: Timeline) -> dict[str, Any]:
    """What happened, and how long it took."""
    return {
        "wall_s": timeline.wall_s(),
        "warnings": tuple(timeline.warnings),
        "timeline": tuple(timeline.entries),
    }


def of_stages(
    stages: Mapping[Stage, StageRecord],
    agent_began: float | None,
    episode_setup: EpisodeSetup | None,
) -> dict[str, Any]:
    """What was handed in, and how many seconds after the agent could know of the fault."""
    injected = None if episode_setup is None else episode_setup.injection.injected_at_s
    began = max(agent_began or 0.0, injected or 0.0)

    def after_s(stage: Stage) -> float | None:
        record = stages.get(stage)
        if record is None or record.submitted_at_s is None:
            return None
        return round(record.submitted_at_s - began, 3)

    return {
        "diagnosis": stages.get(Stage.DIAGNOSIS),
        "mitigation": stages.get(Stage.MITIGATION),
        "ttd_s": after_s(Stage.DIAGNOSIS),
        "ttm_s": after_s(Stage.MITIGATION),
    }


def of_noise(
    plan: EpisodePlan, noise: EpisodeNoise | None, timeline: Timeline, grades: Grades
) -> dict[str, Any]:
    """How much noise there was, and which of it the diagnosis blamed."""
    requested = {"noise_level": plan.problem.noise_level}
    if noise is None:
        return requested
    diagnosis = grades.stages.get(Stage.DIAGNOSIS)
    blamed = noise.blamed(diagnosis, timeline.entries, lambda: grades.ground_truths)
    return {**requested, "noise": dict(noise.levels), "noise_blamed": blamed}


def of_session(session: LiveSession | None) -> dict[str, Any]:
    """What the agent did; nothing when there was no session."""
    if session is None:
        return {}
    return {
        "instruction": session.instruction,
        "steps": len(session.transcript) + session.outside.calls,
        "tokens": session.tokens,
        "agent_version": session.agent_version,
        "model": session.model,
        "last_words": session.last_words,
        "transcript": tuple(session.transcript),
        "requests": tuple(session.outside.requests),
        "attempts": tuple(session.outside.attempts),
    }
