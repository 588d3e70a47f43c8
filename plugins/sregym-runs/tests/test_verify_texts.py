"""`sregym verify` shows what was judged where a check fails."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from sregym_core.model import Claims
from sregym_core.proof import Proof, ProofCheck
from sregym_core.proof.battery import diagnosis_as_text
from sregym_runs.verify_command import Verify, shard


class Heard:
    """Implements what the command needs of a console."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.noted: list[str] = []

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)

    def note(self, text: str) -> None:
        """Keep it."""
        self.noted.append(text)


GOOD = ProofCheck("healthy-passes", "pass", "pass", True)
SOFT = Proof("q", (ProofCheck("noop-fails", "fail", "error", False, "nothing"),), 2.0)


def test_the_diagnosis_stands_below_the_check_that_failed() -> None:
    heard: Any = Heard()
    checks = (
        ProofCheck("healthy-passes", "pass", "pass", True),
        ProofCheck("diagnosis-vague-fails", "fail", "pass", False, "score 0.9", "It is\nbroken."),
    )
    verify = Verify(heard, heard)
    assert list(verify.shown(iter([Proof("p", checks, 1.0)]), quiet=False)) == [
        Proof("p", checks, 1.0)
    ]
    assert heard.said == [
        "p: NOT PROVED (2 checks, 1.0 s)",
        "  diagnosis-vague-fails: expected fail, got pass: score 0.9",
        "    | It is",
        "    | broken.",
    ]


def test_claims_are_shown_as_they_were_handed_in() -> None:
    claims = Claims(component="geo", kind="Service", mechanism="x")
    assert diagnosis_as_text("", claims) == '{"component":"geo","kind":"Service","mechanism":"x"}'
    assert diagnosis_as_text("It is broken.", None) == "It is broken."


def test_a_result_of_json_is_told_beside_it_at_once() -> None:
    heard: Any = Heard()
    proofs = Verify(heard, heard).shown(iter([Proof("p", (GOOD,), 1.0), SOFT]), quiet=True)
    next(proofs)
    assert (heard.said, heard.noted) == ([], ["p: proved (1 check, 1.0 s)"])
    next(proofs)
    assert heard.noted[1:] == ["q: NOT PROVED (1 check, 2.0 s)"]


UNNOTICED = ProofCheck(
    "noop-fails",
    "fail",
    "error",
    False,
    "users did not notice the fault within 300 s: success rate 0.999, healthy 0.999",
)


def test_a_fault_that_hurts_nobody() -> None:
    soft = Proof("p", (UNNOTICED,), 1.0)
    assert (soft.proved, soft.softened) == (False, UNNOTICED.detail)
    heard: Any = Heard()
    assert list(Verify(heard, heard).shown(iter([soft]), quiet=False, soft=True)) == [soft]
    assert heard.said == [f"p: softens to nothing: {UNNOTICED.detail} (1 check, 1.0 s)"]
    broken = ProofCheck("noop-fails", "fail", "error", False, "the application did not start")
    assert Proof("p", (broken,), 1.0).softened == ""
    assert Proof("p", (ProofCheck("noop-fails", "fail", "fail", True),), 1.0).softened == ""


def test_a_share() -> None:
    assert (shard("1/1"), shard("3/4")) == ((1, 1), (3, 4))


@pytest.mark.parametrize("text", ["", "4", "0/4", "5/4", "a/b"])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        shard(text)
    assert str(caught.value) == f"a share like 1/4 is needed, from 1/N to N/N, not {text!r}"
