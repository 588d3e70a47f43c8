"""Verdicts: pass, fail or error, each with the named checks that led to it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from sregym_core.model.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence


class Outcome(StrEnum):
    """The possible answers.

    `error` means that the world or the judge was not right; it means nothing for the agent and
    is counted apart. `undecided` means that the judge cannot decide between pass and fail by what it was
    given; it is counted apart, too. `skip` is an episode that was not played, since the cluster cannot do what its
    problem needs.
    """

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    UNDECIDED = "undecided"
    SKIP = "skip"


# What decides of several outcomes: an error makes the rest worthless, one fail is enough to fail.
_WORST_FIRST = (Outcome.ERROR, Outcome.FAIL, Outcome.UNDECIDED)


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of several together; of none it is an error."""
    if not outcomes:
        return Outcome.ERROR
    return next((one for one in _WORST_FIRST if one in outcomes), Outcome.PASS)


class Check(Value):
    """One thing that was looked at.

    Attributes:
        name: Short and stable: `defect-gone`, `workloads-ready`.
        outcome: What came out.
        expected: What a pass would have shown.
        got: What was seen.
        detail: Anything that helps to understand the difference.
    """

    name: str
    outcome: Outcome
    expected: str = ""
    got: str = ""
    detail: str = ""

    @property
    def why(self) -> str:
        """Why it came out so, in words for people; empty for a plain pass."""
        if self.got in (
            "yes",
            "no",
            "unknown",
        ):  # a question: what it asked says more than the answer
            if self.got == "yes" and self.outcome is Outcome.PASS:
                return ""
            asked = self.detail or self.name
            word = "tolerated" if self.outcome is Outcome.PASS else "answered"
            return f"{word} {self.got}: {asked}"
        if self.outcome is Outcome.PASS:
            return ""
        seen = f"expected {self.expected}; got {self.got}"
        return f"{seen} ({self.detail})" if self.detail else seen


class Severity(StrEnum):
    """What a side effect of a repair comes to: `fail` decides the verdict, `report` is only listed."""

    FAIL = "fail"
    REPORT = "report"


class SideEffect(Value):
    """An object that a repair changed besides what was broken.

    Attributes:
        kind: Its class: `nodes-cordoned`, `data-lost`.
        severity: What it comes to.
        where: The object, as `KIND NAMESPACE/NAME`.
        what: What changed there, and why that matters, in words for people.
    """

    kind: str
    severity: Severity
    where: str
    what: str


class ModelUsage(Value):
    """What a verdict of a language model cost.

    Attributes:
        model: Its name, as its provider knows it.
        prompt_version: Of its questions.
        requests: How many were made; 0 where the answers were remembered from an earlier verdict.
        prompt_tokens: What it read.
        completion_tokens: What it wrote.
        cost_usd: Price in US dollars; None where that of the model is not known.
    """

    model: str
    prompt_version: str = ""
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None


class Verdict(Value):
    """The answer of an oracle.

    Attributes:
        outcome: Pass only if every check passes; error if any check is an error; undecided if
            none failed and one is undecided.
        checks: All checks, in the order in which they were made.
        score: 0.0 to 1.0 where the oracle gives partial credit, else 1.0 for a pass and 0.0.
        reason: One sentence for people.
        side_effects: What else a repair changed.
        usage: Requests to the language model that gave it; None without one.
    """

    outcome: Outcome
    checks: tuple[Check, ...] = ()
    score: float = 0.0
    reason: str = ""
    side_effects: tuple[SideEffect, ...] = ()
    usage: ModelUsage | None = None

    @classmethod
    def of(cls, checks: Sequence[Check], reason: str = "") -> Verdict:
        """The verdict that follows from checks alone."""
        outcomes = [check.outcome for check in checks]
        outcome = worst(outcomes)
        if not reason:
            bad = [check for check in checks if check.outcome is not Outcome.PASS]
            reason = "; ".join(f"{c.name}: expected {c.expected}, got {c.got}" for c in bad)
        score = 1.0 if outcome is Outcome.PASS else 0.0
        return cls(
            outcome=outcome, checks=tuple(checks), score=score, reason=reason or "all checks passed"
        )
