"""Groups of a match in a text."""

from __future__ import annotations

import pytest
from sregym_regex.go import anywhere
from sregym_regex.go_expansion import expanded


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("$1-$name", "we-b"),
        ("${1}x ${name}", "wex b"),
        ("$1x|$9|${nope}|$$1|$", "|||$1|$"),
        ("$0", "web"),
    ],
)
def test_references(template: str, text: str) -> None:
    found = anywhere("(w.)(?P<name>b)").search("a web")
    assert found is not None
    assert expanded(template, found) == text
