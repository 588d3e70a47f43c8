"""The checklist's data and arithmetic."""

from __future__ import annotations

import pytest
from sregym_core.model import Check, Outcome, Verdict

from sregym_oracles import (
    CHECKLIST,
    ESSENTIAL,
    Answer,
    combine,
    score_answers,
    verdict_of_answers,
)

ALL = [question.id for dimension in CHECKLIST for question in dimension.questions]


def answers(*no: str) -> list[Answer]:
    return [Answer(question, question not in no, "seen") for question in ALL]


def test_three_dimensions_with_three_questions_each() -> None:
    assert [(d.id, d.weight, len(d.questions)) for d in CHECKLIST] == [
        ("localisation", 0.33, 3),
        ("characterisation", 0.33, 3),
        ("scope", 0.34, 3),
    ]
    assert ESSENTIAL == ("component", "origin", "mechanism")
    assert len(set(ALL)) == 9


def test_scores_are_weighted_shares() -> None:
    assert score_answers(answers()) == {
        "localisation": 1.0,
        "characterisation": 1.0,
        "scope": 1.0,
        "composite": 1.0,
    }
    assert score_answers(answers("detail", "impact"))["composite"] == pytest.approx(
        0.33 + 0.22 + 0.34 * 2 / 3, abs=1e-6
    )
    assert score_answers([])["composite"] == 0.0


def test_a_no_that_does_not_matter_leaves_a_verdict_whose_checks_all_pass() -> None:
    verdict = verdict_of_answers(answers("detail"))
    assert verdict.outcome is Outcome.PASS
    assert verdict.score == pytest.approx(0.89)
    assert [c.outcome for c in verdict.checks] == [Outcome.PASS] * 9
    assert verdict.checks[4] == Check(
        name="detail",
        outcome=Outcome.PASS,
        expected="yes, or 0.70 without",
        got="no",
        detail="Is the concrete changed detail given? seen",
    )
    assert verdict.reason == "score 0.89 (localisation 1.00, characterisation 0.67, scope 1.00)"


@pytest.mark.parametrize("question", ESSENTIAL)
def test_a_no_to_an_essential_question_fails_whatever_the_score(question: str) -> None:
    verdict = verdict_of_answers(answers(question))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.score > 0.7
    assert [c.name for c in verdict.checks if c.outcome is Outcome.FAIL] == [question]
    assert verdict.reason.endswith(f"; essential and not met: {question}")


def test_too_many_small_noes_fail_by_the_score() -> None:
    verdict = verdict_of_answers(answers("detail", "no-wrong-mechanism", "impact"))
    assert verdict.outcome is Outcome.FAIL
    assert {c.name for c in verdict.checks if c.outcome is Outcome.FAIL} == {
        "detail",
        "no-wrong-mechanism",
        "impact",
    }


def test_missing_answers_are_noes_and_evidence_is_cut_to_thirty_words() -> None:
    long = Answer("component", True, " ".join(str(n) for n in range(40)))
    verdict = verdict_of_answers([long], about="geo")
    assert verdict.checks[0].name == "component[geo]"
    assert verdict.checks[0].detail.endswith("28 29 ...")
    assert verdict.checks[1].detail.endswith("no answer")


def test_unknown_and_repeated_questions_are_refused() -> None:
    with pytest.raises(ValueError) as caught:
        score_answers([Answer("colour", True)])
    assert str(caught.value) == (
        "the checklist has no question 'colour'; it has component, origin, no-healthy-blamed, "
        "mechanism, detail, no-wrong-mechanism, nobody-uninvolved, contributing, impact"
    )
    with pytest.raises(ValueError) as caught:
        score_answers([Answer("origin", True), Answer("origin", False)])
    assert str(caught.value) == "question 'origin' is answered twice"


def test_each_of_several_root_causes_must_be_covered_and_the_score_is_the_mean() -> None:
    good, bad = verdict_of_answers(answers()), verdict_of_answers(answers("component"))
    both = combine([good, bad])
    assert (both.outcome, both.score) == (Outcome.FAIL, pytest.approx(0.945))
    assert combine([good, good]).outcome is Outcome.PASS
    assert combine([]) == Verdict(outcome=Outcome.ERROR, reason="there is no root cause")
