"""The commands with no other plugin: they say what is missing."""

from __future__ import annotations

import io

import pytest
from sregym_core.cli import Console
from sregym_core.cli.entry import run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "x"),
            "no agent was named: give --agent NAME (see: sregym run --help)",
        ),
        (
            ("run", "x", "--agent", "noop"),
            "no problem named 'x'. Known: none; is a plugin missing? See: sregym plugins",
        ),
        (
            ("verify", "x", "--jobs", "0"),
            "argument --jobs: a whole number from 1 is needed, not '0' (see: sregym verify --help)",
        ),
        (
            ("verify", "--sample", "3"),
            "--sample N goes with --pairs: it is a sample of all pairs",
        ),
        (
            ("report", "/nowhere"),
            "'/nowhere' is no run: it has no run.json; give the folder that `sregym run` named",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_4(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "runs")
    out, err = io.StringIO(), io.StringIO()
    assert run(words, Console(out, err)) == 4
    assert (out.getvalue(), err.getvalue()) == ("", f"sregym: {message}\n")
