"""The oracle `checklist`: is what the agent says the root cause?"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_oracle_checklist.answer_rules import Case, answers_from_text
from sregym_oracle_checklist.claims import answers_from_claims, is_scorable, names_mechanism
from sregym_oracle_checklist.evidence import cut
from sregym_oracle_checklist.naming import Names
from sregym_oracles import ChecklistJudge, addressed, verdict_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_core.model import Claims, Component, GroundTruth, Verdict


class ChecklistOracle(ChecklistJudge):
    """Scores the claims exactly, or else reads the text, against each structured ground truth.

    Works offline and is deterministic: the same submission always gets the same answers.
    """

    name: ClassVar[str] = "checklist"

    def judge_diagnosis(
        self,
        text: str,
        claims: Claims | None,
        ground_truths: Sequence[GroundTruth],
        components: Sequence[Component],
    ) -> Verdict:
        """Nine answers for each root cause; all must be covered, the score is the mean."""
        return judge_diagnosis(text, claims, ground_truths, components)


def judge_diagnosis(
    text: str,
    claims: Claims | None,
    ground_truths: Sequence[GroundTruth],
    components: Iterable[Component],
) -> Verdict:
    """The verdict on a submission.

    Args:
        text: Free text; read where the claims do not say which component and mechanism.
        claims: Structured diagnosis, if any. With several root causes it stands for the one
            whose component it names, and the text for the others.
        ground_truths: All root causes of the problem.
        components: The application's.
    """
    text = cut(text)
    names = Names(components, ground_truths)
    found = []
    for truth in ground_truths:
        case = Case(truth, tuple(other for other in ground_truths if other is not truth), names)
        meant = len(ground_truths) == 1 or (
            claims is not None and _means(claims, truth, ground_truths, names)
        )
        if claims is not None and meant and is_scorable(claims):
            answers = answers_from_claims(claims, case, text)
        else:
            answers = answers_from_text(text, case)
        found.append(answers)
    refused = addressed(text)
    return verdict_on(found, ground_truths, () if refused is None else (refused,))


def _means(
    claims: Claims, truth: GroundTruth, ground_truths: Sequence[GroundTruth], names: Names
) -> bool:
    """Whether claims are about one of several root causes: its component, and of several there its mechanism."""
    if names.resolve(claims.component) != truth.component:
        return False
    here = [one for one in ground_truths if one.component == truth.component]
    named = [one for one in here if names_mechanism(claims, one)]
    return truth in (named or here)
