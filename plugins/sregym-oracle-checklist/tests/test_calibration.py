"""Every labelled diagnosis of the calibration set gets the verdict that a person gave it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_core.model import Outcome
from sregym_oracle_checklist.oracle import judge_diagnosis

from sregym_oracles import CHECKLIST

FOLDER = Path(__file__).parent / "calibration"
FILES = ("first_half.yaml", "second_half.yaml", "third_part.yaml", "probes.yaml", "network.yaml")
CASES = [
    pytest.param(case, id=f"{file.split('.')[0]}-{number}-{case['truth']}-{case['kind']}")
    for file in FILES
    for number, case in enumerate(yaml.safe_load((FOLDER / file).read_text()))
]


@pytest.mark.parametrize("case", CASES)
def test_verdict(case: dict[str, Any], truths: Any, components: Any) -> None:
    verdict = judge_diagnosis(case["text"], None, [truths[case["truth"]]], components)
    expected = Outcome.PASS if case["kind"] == "true" else Outcome.FAIL
    assert verdict.outcome is expected, verdict.reason
    if expected is Outcome.FAIL:
        noes = {check.name for check in verdict.checks if check.got == "no"}
        dimension = next(d for d in CHECKLIST if d.id == case["fails"])
        assert noes & {question.id for question in dimension.questions}


def test_the_set_is_large_and_covers_every_kind_for_every_truth(truths: Any) -> None:
    cases = [param.values[0] for param in CASES]
    assert len(cases) >= 240
    assert {case["kind"] for case in cases} == {
        "true", "wrong-component", "wrong-mechanism", "vague", "listed", "hedged", "negated",
        "injected", "victim", "empty", "language",
    }  # fmt: skip
    for name in truths:
        kinds = {case["kind"] for case in cases if case["truth"] == name}
        assert {"true", "wrong-component", "wrong-mechanism", "vague"} <= kinds


def test_the_expert_sentence_of_each_truth_passes_and_no_other_truth_accepts_it(
    truths: Any, components: Any
) -> None:
    accepted = {
        (name, other)
        for name, truth in truths.items()
        for other, sentence in truths.items()
        if judge_diagnosis(sentence.sentence(), None, [truth], components).outcome is Outcome.PASS
    }
    assert accepted == {(name, name) for name in truths}


def test_a_text_that_says_everything_about_everybody_is_accepted_for_nothing(
    truths: Any, components: Any
) -> None:
    everything = (
        "selector mismatch, target port wrong, service missing, configmap missing, key missing, "
        "image tag wrong, memory limit too low, scaled to zero, role revoked, user dropped"
    )
    texts = [
        "\n".join(f"{part.name}: {everything}." for part in components),
        " ".join(f"The root cause is {part.name}: {everything}." for part in components),
        "\n".join(truth.sentence() for truth in truths.values()),
        *(f"Root cause: {truth.component}: {everything}" for truth in truths.values()),
    ]
    accepted = [
        (name, text[:40])
        for text in texts
        for name, truth in truths.items()
        if judge_diagnosis(text, None, [truth], components).outcome is Outcome.PASS
    ]
    assert accepted == []
