"""The checklist by which diagnoses are scored: data, and the arithmetic from answers to verdicts.

Three dimensions with three questions each, as in the SREGym paper. What answers the questions,
code or a language model, the score and the verdict come from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.model import Check, Outcome, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PASS_SCORE = 0.70
MAX_EVIDENCE_WORDS = 30
# What a question counts that could not be decided.
UNKNOWN_WORTH = 0.5


@dataclass(frozen=True)
class Question:
    """One question, to be answered yes or no, or not at all; yes is always good.

    Attributes:
        id: Short and stable; the name of the check in a verdict.
        text: The question.
        essential: Whether a no fails the diagnosis whatever the score.
    """

    id: str
    text: str
    essential: bool = False


@dataclass(frozen=True)
class Dimension:
    """Questions that count together; its score is the share of yes."""

    id: str
    weight: float
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Answer:
    """An answer to one question.

    Attributes:
        question: Id of the question.
        yes: The answer; None where the evidence does not decide.
        evidence: At most thirty words: a quote, or what is missing.
    """

    question: str
    yes: bool | None
    evidence: str = ""

    def short_evidence(self) -> str:
        """The evidence, cut to the allowed number of words."""
        words = self.evidence.split()
        cut = words[:MAX_EVIDENCE_WORDS]
        return " ".join(cut) + (" ..." if len(words) > len(cut) else "")


CHECKLIST = (
    Dimension(
        "localisation",
        0.33,
        (
            Question("component", "Is the component with the defect named as the cause?", True),
            Question("origin", "Is the origin blamed, and not a victim of the cascade?", True),
            Question("no-healthy-blamed", "Is no healthy component called the root cause?"),
        ),
    ),
    Dimension(
        "characterisation",
        0.33,
        (
            Question("mechanism", "Is the kind of defect the right one?", True),
            Question("detail", "Is the concrete changed detail given?"),
            Question("no-wrong-mechanism", "Is no other kind of defect claimed?"),
        ),
    ),
    Dimension(
        "scope",
        0.34,
        (
            Question("nobody-uninvolved", "Is nobody drawn in who has no part in it?"),
            Question("contributing", "Is every contributing component included?"),
            Question("impact", "Does the described impact agree with the real one?"),
        ),
    ),
)
ESSENTIAL = tuple(q.id for d in CHECKLIST for q in d.questions if q.essential)


def score_answers(answers: Sequence[Answer]) -> dict[str, float]:
    """Scores by dimension, and their weighted sum as `composite`.

    A missing answer is a no; a question that could not be decided counts half.

    Raises:
        ValueError: If an answer is to no question of the checklist, or one is answered twice.
    """
    by_id = _by_question(answers)
    scores: dict[str, float] = {}
    composite = 0.0
    for dimension in CHECKLIST:
        worth = [_worth(by_id.get(q.id)) for q in dimension.questions]
        scores[dimension.id] = sum(worth) / len(worth)
        composite += dimension.weight * scores[dimension.id]
    # Weights are decimal hundredths: without rounding, all yes would be 1.0000000000000002 or so.
    scores["composite"] = round(composite, 6)
    return scores


def _worth(answer: Answer | None) -> float:
    if answer is None:
        return 0.0
    return UNKNOWN_WORTH if answer.yes is None else float(answer.yes)


def _by_question(answers: Sequence[Answer]) -> Mapping[str, Answer]:
    known = [q.id for d in CHECKLIST for q in d.questions]
    by_id: dict[str, Answer] = {}
    for answer in answers:
        if answer.question not in known:
            raise ValueError(
                f"the checklist has no question {answer.question!r}; it has {', '.join(known)}"
            )
        if answer.question in by_id:
            raise ValueError(f"question {answer.question!r} is answered twice")
        by_id[answer.question] = answer
    return by_id


def verdict_of_answers(answers: Sequence[Answer], about: str = "") -> Verdict:
    """The verdict on one root cause.

    Every question is a check. A no to an essential question always fails; a no to another one
    fails only when it has brought the score below `PASS_SCORE`, so that a verdict passes exactly
    when all its checks do. Where nothing fails and an essential question could not be decided, or
    others that could not keep the score below `PASS_SCORE`, the verdict is undecided.

    Args:
        answers: One for each question; a missing one counts as no.
        about: Put behind the names of checks in brackets when there are several root causes.
    """
    by_id = _by_question(answers)
    scores = score_answers(answers)
    composite = scores["composite"]
    enough = composite >= PASS_SCORE
    unknown = [Answer(a.question, True) for a in by_id.values() if a.yes is None]
    known = [answer for answer in by_id.values() if answer.yes is not None]
    reachable = score_answers([*known, *unknown])["composite"] >= PASS_SCORE
    checks = []
    for dimension in CHECKLIST:
        for question in dimension.questions:
            answer = by_id.get(question.id, Answer(question.id, False, "no answer"))
            if answer.yes or (enough and not question.essential):
                outcome = Outcome.PASS
            elif answer.yes is None or (reachable and not question.essential):
                outcome = Outcome.UNDECIDED
            else:
                outcome = Outcome.FAIL
            checks.append(
                Check(
                    name=f"{question.id}[{about}]" if about else question.id,
                    outcome=outcome,
                    expected="yes" if question.essential else f"yes, or {PASS_SCORE:.2f} without",
                    got={True: "yes", False: "no", None: "unknown"}[answer.yes],
                    detail=f"{question.text} {answer.short_evidence()}".strip(),
                )
            )
    parts = ", ".join(f"{d.id} {scores[d.id]:.2f}" for d in CHECKLIST)
    wanting = [q for q in ESSENTIAL if q not in by_id or by_id[q].yes is False]
    open_questions = [q for q in ESSENTIAL if q in by_id and by_id[q].yes is None]
    reason = f"score {composite:.2f} ({parts})"
    if wanting:
        reason += f"; essential and not met: {', '.join(wanting)}"
    elif open_questions:
        reason += f"; not decided: {', '.join(open_questions)}"
    outcome = worst([check.outcome for check in checks])
    return Verdict(outcome=outcome, checks=tuple(checks), score=composite, reason=reason)


def combine(verdicts: Sequence[Verdict], extra: Sequence[Check] = ()) -> Verdict:
    """The verdict on several root causes: each must be covered, the score is the mean.

    Args:
        verdicts: One for each root cause, at least one.
        extra: Checks about the submission as a whole, put behind the others.
    """
    checks = [check for verdict in verdicts for check in verdict.checks]
    outcomes = [check.outcome for check in (*checks, *extra)]
    outcome = worst(outcomes) if verdicts else Outcome.ERROR
    score = round(sum(v.score for v in verdicts) / len(verdicts), 6) if verdicts else 0.0
    return Verdict(
        outcome=outcome,
        checks=(*checks, *extra),
        score=score,
        reason="; ".join(verdict.reason for verdict in verdicts) or "there is no root cause",
    )
