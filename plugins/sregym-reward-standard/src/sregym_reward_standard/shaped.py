"""A dense reward: verdicts first, then evidence, harm, costs and blunders, each within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Outcome

from sregym_reward_standard import conduct
from sregym_reward_standard.plain import StagesReward, passed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import RewardFacts
    from sregym_core.model import EpisodeRecord, ToolCall

# Objects that a repair may have changed without being rough.
_USUAL_OBJECTS = 3


class ShapedReward(StagesReward):
    """Verdicts, less what a right diagnosis lacks in evidence, harm done, costs, and blunders.

    Bounds keep the order: an agent that solves an episode has more than any that does not, and who
    does not solve it gains nothing by doing more. What counts against an agent counts whatever came
    of the episode; nothing is given but for verdicts.
    """

    name: ClassVar[str] = "shaped"
    low: ClassVar[float] = -0.7
    accepts: ClassVar[Mapping[str, float]] = {
        **StagesReward.accepts,
        "ungrounded": 0.1,
        "step": 0.001,
        "million_tokens": 0.05,
        "invalid": 0.01,
        "repeated": 0.005,
        "premature": 0.05,
        "harm": 0.05,
        "most_costs": 0.2,
        "most_harm": 0.5,
        "most_harm_solved": 0.15,
    }

    def terms(self, facts: RewardFacts) -> Mapping[str, float]:
        """All terms; the last ones are never above zero."""
        record, weights = facts.record, self.weights
        known = conduct.evidence(record.transcript, facts.ground_truths)
        grounded = weights["ungrounded"] * (1.0 - known) if passed(record.diagnosis) else 0.0
        blunders = self._blunders(record.transcript)
        tokens = 0 if record.tokens is None else record.tokens.total
        spent = -weights["million_tokens"] * tokens / 1e6
        solved = record.outcome is Outcome.PASS
        most = weights["most_harm_solved" if solved else "most_harm"]
        terms = {
            **super().terms(facts),
            "ungrounded": -grounded,
            "harm": -min(most, weights["harm"] * harm(record)),
            **blunders,
            # All costs together stay within their bound.
            "tokens": max(spent, -weights["most_costs"] - sum(blunders.values())),
        }
        return {name: round(value, 6) + 0.0 for name, value in terms.items()}

    def so_far(self, calls: Sequence[ToolCall]) -> float:
        """Steps and blunders."""
        return sum(self._blunders(calls).values())

    def _blunders(self, calls: Sequence[ToolCall]) -> dict[str, float]:
        weights = self.weights
        found = {
            "steps": weights["step"] * len(calls),
            "invalid": weights["invalid"] * conduct.invalid(calls),
            "repeated": weights["repeated"] * conduct.repeated(calls),
            "premature": weights["premature"] * conduct.premature(calls),
        }
        # Beyond the bound all are shortened alike.
        share = min(1.0, weights["most_costs"] / max(sum(found.values()), 1e-9))
        return {name: -value * share for name, value in found.items()}


def harm(record: EpisodeRecord) -> float:
    """How much was harmed besides: side effects, objects changed, healthy containers restarted.

    A side effect that decides the verdict counts as four.
    """
    verdict = None if record.mitigation is None else record.mitigation.verdict
    effects = () if verdict is None else verdict.side_effects
    repair = record.repair
    objects = 0 if repair is None else max(0, repair.blast_radius - _USUAL_OBJECTS)
    restarts = 0 if repair is None else repair.restarts
    fatal = sum(effect.severity == "fail" for effect in effects)
    return 4.0 * fatal + 0.5 * (len(effects) - fatal) + 0.5 * objects + 0.2 * restarts
