from __future__ import annotations

import pytest
from sregym_regex.backtracking import Backtracking, _Run
from sregym_regex.matches import PatternError
from sregym_regex.trials import trials

MOST = 10_000_000


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^([a-zA-Z]+)*$", "a" * 9 + "!"),
        (r"^([a-zA-Z]+)*$", "telescopes"),
        (r"(?:(?:a|b|ab)*c|x{2,4}?)$", "abababxxxab"),
        (r"(a*)*b", "aaaaaa"),
        (r"\d+(?:-\d+)*\b.\Z", "12-34-56x7"),
        (r"(?i)UNION\s+select", "a union  SELECTED"),
        (r".*.*=.*", "x" * 20),
    ],
)
def test_as_many_as_a_matcher_makes(pattern: str, text: str) -> None:
    run = _Run(Backtracking(pattern), text)
    for start in range(len(text) + 1):
        if run.at(start) is not None:
            break
    assert trials(pattern, text, MOST) == run._trials


def test_what_no_matcher_could_count() -> None:
    # Each further letter doubles it; 4,000 of them are given up as 40 are.
    few = [trials(r"^([a-z]+)*$", "a" * letters + "!", MOST) for letters in (8, 9, 10)]
    assert few[2] - few[1] == pytest.approx(2 * (few[1] - few[0]), rel=0.05)
    assert trials(r"^([a-z]+)*$", "a" * 400 + "!", MOST) == MOST
    assert trials(r"^[a-z]+$", "a" * 400 + "!", MOST) == 7 * 400 + 1


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing ), unterminated subpattern at position 0"),
        (r"(a)\1", "trials of references back, look-around and atomic groups are not told"),
        ("(" * 5000 + ")" * 5000, "regular expression is too large"),
    ],
)
def test_what_is_not_tried(pattern: str, why: str) -> None:
    with pytest.raises(PatternError) as refused:
        trials(pattern, "a", MOST)
    assert str(refused.value) == why
