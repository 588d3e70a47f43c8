"""`sregym verify` shows what was judged where a check fails."""

from __future__ import annotations

from typing import Any

from sregym_core.cli.verify import Verify
from sregym_core.model import Claims
from sregym_core.proof import Proof, ProofCheck
from sregym_core.proof.battery import diagnosis_as_text


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
