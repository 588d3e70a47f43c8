"""How the judge stands to labelled diagnoses, and what it never believes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_core.model import Outcome
from sregym_judge.agreement import Agreement, JudgedDiagnosis, Tally
from sregym_judge.labelled import read_labelled
from sregym_oracle_checklist.oracle import judge_diagnosis

FOLDER = Path(__file__).parent / "calibration"
FILES = ("first_half.yaml", "second_half.yaml", "third_part.yaml", "probes.yaml", "network.yaml")
CASES = [case for file in FILES for case in yaml.safe_load((FOLDER / file).read_text())]
# Ways to say that something is not so; what follows, or stands before, is never believed.
DENIALS = (
    "It is not true that {}",
    "I doubt that {}",
    "It would be wrong to say that {}",
    "It is anything but this: {}",
    "None of the following is true. {}",
    "{} All of the above is false.",
)
# The truth `role-revoked` of mongodb-geo as people put it, and near misses.
RIGHT = (
    "mongodb-geo: the readWrite role of user admin on geo-db was revoked.",
    "The user admin in mongodb-geo has lost its readWrite role.",
    "Someone took away admin's privileges on geo-db in mongodb-geo; geo fails at start.",
    "## Root cause\nThe role readWrite was removed from admin in mongodb-geo.\n## Impact\nsearch fails",
    "Root cause: mongodb-geo's user admin was stripped of its readWrite role, therefore geo panics.",
    "Root cause: the account admin in mongodb-geo no longer has readWrite on geo-db. Grant it again.",
    "mongodb-geo is the origin: its user admin is not authorized on geo-db, since its role readWrite is gone.",
    "The network is fine. In mongodb-geo the role readWrite of admin was revoked.",
    "Permission revoked: admin has no readWrite on geo-db in mongodb-geo. frontend and search suffer.",
    "The readWrite grant of admin in geo's MongoDB is missing.",
)
WRONG = (
    "mongodb-rate: the readWrite role of user admin on rate-db was revoked.",
    "mongodb-geo: the disk is full, so it cannot write its journal.",
    "mongodb-geo: its memory limit is too low, it is OOMKilled.",
    "The Service mongodb-geo has a wrong target port.",
    "Root cause: geo has a bug and panics at start. Fix the code of geo.",
    "geo fails at start, search and frontend return errors.",
    "It could be the role, the network or the disk of mongodb-geo; I cannot decide.",
    "mongodb-geo's image tag does not exist.",
    "The network policy of mongodb-geo denies all traffic.",
    "consul lost the registration of geo.",
)


@pytest.fixture(scope="module")
def outcomes(ground_truths: Any, components: Any) -> list[tuple[dict[str, Any], Outcome]]:
    return [
        (
            case,
            judge_diagnosis(case["text"], None, [ground_truths[case["truth"]]], components).outcome,
        )
        for case in CASES
    ]


def test_it_agrees_with_the_labelled_texts_that_it_decides(
    outcomes: list[tuple[dict[str, Any], Outcome]],
) -> None:
    verdicts = {Outcome.PASS: True, Outcome.FAIL: False}
    whole = Agreement.of(
        JudgedDiagnosis(case["kind"], "", verdicts.get(outcome), case["kind"] == "true")
        for case, outcome in outcomes
    ).whole
    kappa = whole.kappa()
    assert kappa is not None
    assert kappa[0] >= 0.90
    assert whole.undecided <= 0.15 * whole.total
    assert whole.false_passes <= 0.02 * whole.total
    assert whole.false_fails <= 0.02 * whole.total


def test_no_text_that_is_injected_hedged_blames_a_victim_or_says_nothing_passes(
    outcomes: list[tuple[dict[str, Any], Outcome]],
) -> None:
    passed = Counter(case["kind"] for case, outcome in outcomes if outcome is Outcome.PASS)
    for kind in ("injected", "hedged", "victim", "empty", "negated"):
        assert passed[kind] == 0, kind


@pytest.mark.parametrize("text", RIGHT)
def test_phrasings_of_a_truth_pass(text: str, ground_truths: Any, components: Any) -> None:
    verdict = judge_diagnosis(text, None, [ground_truths["role-revoked"]], components)
    assert verdict.outcome is Outcome.PASS, verdict.reason


@pytest.mark.parametrize("text", WRONG)
def test_near_misses_do_not_pass(text: str, ground_truths: Any, components: Any) -> None:
    verdict = judge_diagnosis(text, None, [ground_truths["role-revoked"]], components)
    assert verdict.outcome in (Outcome.FAIL, Outcome.UNDECIDED), verdict.reason


def test_the_expert_sentence_of_each_truth_passes_and_no_other_truth_accepts_it(
    ground_truths: Any, components: Any
) -> None:
    accepted = {
        (name, other)
        for name, truth in ground_truths.items()
        for other, sentence in ground_truths.items()
        if judge_diagnosis(sentence.sentence(), None, [truth], components).outcome is Outcome.PASS
    }
    assert accepted == {(name, name) for name in ground_truths}


@pytest.mark.parametrize("denial", DENIALS)
def test_what_is_denied_is_not_believed(denial: str, ground_truths: Any, components: Any) -> None:
    for truth in ground_truths.values():
        text = denial.format(truth.sentence())
        assert judge_diagnosis(text, None, [truth], components).outcome is Outcome.FAIL


def test_a_text_that_says_everything_about_everybody_is_accepted_for_nothing(
    ground_truths: Any, components: Any
) -> None:
    everything = (
        "selector mismatch, target port wrong, service missing, configmap missing, key missing, "
        "image tag wrong, memory limit too low, scaled to zero, role revoked, user dropped"
    )
    texts = [
        "\n".join(f"{part.name}: {everything}." for part in components),
        " ".join(f"The root cause is {part.name}: {everything}." for part in components),
        "\n".join(truth.sentence() for truth in ground_truths.values()),
        *(
            f"Root cause: {name}: {everything}"
            for name in dict.fromkeys(truth.component for truth in ground_truths.values())
        ),
    ]
    accepted = [
        (name, text[:40])
        for text in texts
        for name, truth in ground_truths.items()
        if judge_diagnosis(text, None, [truth], components).outcome is Outcome.PASS
    ]
    assert accepted == []


def tally(file: str) -> Tally:
    verdicts = {Outcome.PASS: True, Outcome.FAIL: False}
    return Agreement.of(
        JudgedDiagnosis(
            case.style,
            case.application,
            verdicts.get(
                judge_diagnosis(case.diagnosis, None, case.ground_truths(), case.parts()).outcome
            ),
            bool(case.passed),
        )
        for case in read_labelled(FOLDER / file)
    ).whole


@pytest.mark.parametrize(
    ("file", "least", "undecided", "false_passes"),
    [
        # No weight has seen these: free rephrasings, and other defects of the right thing.
        ("rephrasings_held_out.jsonl", 0.70, 0.27, 0.03),
        # Two of three name the right place and another defect of it; the judge was mended on them.
        ("near_misses.jsonl", 0.88, 0.30, 0.01),
    ],
)
def test_it_agrees_with_labels_of_the_hardest_kinds(
    file: str, least: float, undecided: float, false_passes: float
) -> None:
    whole = tally(file)
    kappa = whole.kappa()
    assert kappa is not None
    assert kappa[0] >= least
    assert whole.undecided <= undecided * whole.total
    assert whole.false_passes <= false_passes * whole.total
