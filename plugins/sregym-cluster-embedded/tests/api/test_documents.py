"""Whatever somebody writes into a file of YAML or TOML is content or an error of who reads it."""

from __future__ import annotations

import datetime

import pytest
from sregym_cluster_embedded.api.documents import DocumentError, read_toml, read_yaml

BOMB = "a: &a [1, 2]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", None),
        ("net: {port: 27017}", {"net": {"port": 27017}}),
        ("a: &a [1]\nb: *a", {"a": [1], "b": [1]}),
        ("at: 2026-01-02", {"at": datetime.date(2026, 1, 2)}),
    ],
)
def test_files_that_can_be_read(text: str, content: object) -> None:
    assert read_yaml(text) == content


@pytest.mark.parametrize(
    ("text", "why", "place"),
    [
        ("a: [1", "expected ',' or ']', but got '<stream end>'", (1, 6)),
        ("a: b: c", "mapping values are not allowed here", (1, 5)),
        ("[" * 20_000, "exceeded max depth", (0, 0)),
        ("a: " + "9" * 5000, "Exceeds the limit (4300 digits)", (0, 0)),
        ("at: 2026-13-40", "month must be in 1..12", (0, 0)),
        ("a: \x07", "unacceptable character #x0007: special characters are not allowed", (0, 0)),
        (BOMB, "yaml: document contains excessive aliasing", (0, 0)),
        ("a: &a [*a]", "yaml: anchor contains itself", (0, 0)),
    ],
)
def test_files_that_cannot(text: str, why: str, place: tuple[int, int]) -> None:
    with pytest.raises(DocumentError) as caught:
        read_yaml(text)
    assert str(caught.value).partition(" for integer")[0] == why
    assert (caught.value.line, caught.value.column) == place


def test_toml() -> None:
    assert read_toml("a = 1") == {"a": 1}
    for text in ("a = ", "a = " + "[" * 20_000, "a = " + "9" * 5000):
        with pytest.raises(DocumentError):
            read_toml(text)
