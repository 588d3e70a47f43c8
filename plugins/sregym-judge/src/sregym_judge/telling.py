"""Verdicts of judges for programs and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import DiagnosisOracle
    from sregym_core.model import Verdict

_ANSWERS = {"yes": True, "no": False}


def answers(judge: DiagnosisOracle, verdict: Verdict) -> dict[str, bool | None]:
    """The verdict's answers by question; with several root causes a no to one is a no."""
    found: dict[str, bool | None] = {}
    for dimension, questions in enumerate(judge.questions, 1):
        for place, question in enumerate(questions, 1):
            given = [
                _ANSWERS.get(check.got)
                for check in verdict.checks
                if check.name.partition("[")[0] == question
            ]
            answer: bool | None = None
            if False in given:
                answer = False
            elif given and None not in given:
                answer = True
            found[f"D{dimension}Q{place}"] = answer
    return found


def case_to_json(name: str, judge: DiagnosisOracle, verdict: Verdict) -> dict[str, Any]:
    """A case for programs; why there is no outcome where there is none."""
    told = {
        "id": name,
        "outcome": str(verdict.outcome),
        "score": round(verdict.score, 4),
        "answers": answers(judge, verdict),
    }
    return {**told, "reason": verdict.reason} if str(verdict.outcome) == "error" else told


def usage(verdicts: Sequence[Verdict]) -> dict[str, Any] | None:
    """What language models were asked for verdicts, in sum; None where none was."""
    spent = [verdict.usage for verdict in verdicts if verdict.usage is not None]
    if not spent:
        return None
    costs = [one.cost_usd for one in spent]
    return {
        "models": sorted({one.model for one in spent}),
        "requests": sum(one.requests for one in spent),
        "prompt_tokens": sum(one.prompt_tokens for one in spent),
        "completion_tokens": sum(one.completion_tokens for one in spent),
        "cost_usd": None if None in costs else sum(cost for cost in costs if cost is not None),
    }


def describe_usage(spent: Mapping[str, Any]) -> str:
    """The same for people."""
    cost = spent["cost_usd"]
    price = "at a price that is not known" if cost is None else f"for {cost:.4f} USD"
    tokens = f"{spent['prompt_tokens']} tokens in, {spent['completion_tokens']} out"
    return f"{', '.join(spent['models'])}: {spent['requests']} requests, {tokens}, {price}"
