"""What all judges share that answer the questions of the checklist."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import DiagnosisOracle
from typing_extensions import override

from sregym_oracles.checklist import CHECKLIST, Answer, combine, verdict_of_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import Check, GroundTruth, Verdict


class ChecklistJudge(DiagnosisOracle):
    """Grades by nine answers for each root cause, whatever their source."""

    questions: ClassVar[tuple[tuple[str, ...], ...]] = tuple(
        tuple(question.id for question in dimension.questions) for dimension in CHECKLIST
    )
    asks: ClassVar[Mapping[str, str]] = {
        question.id: question.text for dimension in CHECKLIST for question in dimension.questions
    }

    @override
    def verdict_of(
        self, answers: Sequence[Mapping[str, bool | None]], ground_truths: Sequence[GroundTruth]
    ) -> Verdict:
        given = [[Answer(question, yes) for question, yes in one.items()] for one in answers]
        return verdict_on(given, ground_truths)


def verdict_on(
    answers: Sequence[Sequence[Answer]],
    ground_truths: Sequence[GroundTruth],
    extra: Sequence[Check] = (),
) -> Verdict:
    """The verdict that follows from the answers for each root cause.

    Args:
        answers: For each root cause, in order.
        ground_truths: The root causes.
        extra: Checks about the submission as a whole.
    """
    verdicts = [
        verdict_of_answers(given, truth_label(truth, ground_truths))
        for given, truth in zip(answers, ground_truths, strict=True)
    ]
    return combine(verdicts, extra)


def truth_label(truth: GroundTruth, ground_truths: Sequence[GroundTruth]) -> str:
    """What separates the checks of this root cause from those of the others; nothing if it is alone."""
    if len(ground_truths) == 1:
        return ""
    alone = sum(1 for other in ground_truths if other.component == truth.component) == 1
    return truth.component if alone else f"{truth.component} {truth.mechanism}"
