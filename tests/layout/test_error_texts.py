"""Each text of an error is compared whole by a test; what is not yet stands in a list that shrinks."""

from __future__ import annotations

import pytest
from error_texts import KNOWN, known, untested


@pytest.fixture(scope="module")
def found() -> list[str]:
    return untested()


def test_no_error_text_is_added_without_a_test(found: list[str]) -> None:
    assert [text for text in found if text not in known()] == []


def test_a_text_with_a_test_leaves_the_list(found: list[str]) -> None:
    assert [text for text in known() if text not in found] == [], (
        f"take these lines out of {KNOWN.name}: `python tools/error_texts.py --write`"
    )
