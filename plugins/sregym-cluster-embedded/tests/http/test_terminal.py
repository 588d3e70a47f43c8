"""What a terminal makes of keys."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.http.terminal import LineEditor, Typed, terminal_output


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("ls\r", Typed("ls\r\n", ("ls",), False)),
        ("a\rb\rc", Typed("a\r\nb\r\nc", ("a", "b"), False)),
        ("lx\x7fs\r", Typed("lx\b \bs\r\n", ("ls",), False)),
        ("\x7f", Typed("", (), False)),
        ("sleep\x03", Typed("sleep^C\r\n", (None,), False)),
        ("\x04", Typed("", (), True)),
        ("x\x04", Typed("x", (), False)),
        ("\x1b[A\x1bOB\x1b[3~\tls\r", Typed("ls\r\n", ("ls",), False)),
    ],
)
def test_keys(keys: str, expected: Typed) -> None:
    assert LineEditor().keys(keys) == expected


def test_a_line_may_arrive_key_by_key() -> None:
    editor = LineEditor()
    assert [editor.keys(key).lines for key in "id\r"] == [(), (), ("id",)]


def test_output_has_the_line_ends_of_a_terminal() -> None:
    assert terminal_output("a\nb\n") == "a\r\nb\r\n"
