"""An episode as commands print it with `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.model import EpisodeRecord, StageRecord


def episode_summary(record: EpisodeRecord) -> dict[str, Any]:
    """An episode in the form that `--json` promises."""
    return {
        "episode": record.episode,
        "problem": record.problem,
        "agent": record.agent,
        "mode": record.mode,
        "seed": record.seed,
        "attempt": record.attempt,
        "outcome": str(record.outcome),
        "reason": record.reason,
        "diagnosis": _stage(record.diagnosis, with_score=True),
        "mitigation": _stage(record.mitigation, with_score=False),
        "repair": None if record.repair is None else record.repair.model_dump(mode="json"),
        "reward": None if record.reward is None else record.reward.model_dump(mode="json"),
        "stopped": record.stopped,
        "recovered": record.recovered,
        "noise": dict(record.noise),
        "noise_level": record.noise_level,
        "noise_blamed": list(record.noise_blamed),
        "false_alarms": record.false_alarms,
        "ttd_s": record.ttd_s,
        "ttm_s": record.ttm_s,
        "steps": record.steps,
        "wall_s": record.wall_s,
        "warnings": list(record.warnings),
    }


def _stage(stage: StageRecord | None, *, with_score: bool) -> dict[str, Any] | None:
    if stage is None:
        return None
    verdict = stage.verdict
    content: dict[str, Any] = {"outcome": str(verdict.outcome)}
    if with_score:
        content["score"] = verdict.score
        seen = stage.grounding
        content["grounding"] = (
            None
            if seen is None
            else {
                "coverage": None if seen.coverage is None else round(seen.coverage, 4),
                **seen.model_dump(mode="json"),
            }
        )
    content["reason"] = verdict.reason
    content["checks"] = [check.model_dump(mode="json") for check in verdict.checks]
    if not with_score:
        content["side_effects"] = [one.model_dump(mode="json") for one in verdict.side_effects]
    return content
