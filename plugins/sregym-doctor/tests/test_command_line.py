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
            ("doctor", "--cluster", "kubeconfig"),
            "no cluster named 'kubeconfig'. It comes with sregym-cluster-kubernetes: pip install "
            "sregym-cluster-kubernetes. Known: none; is a plugin missing? See: sregym plugins",
        ),
        (
            ("doctor", "--cluster", "embedded:pace=1,fast"),
            "--cluster 'embedded:pace=1,fast': 'fast' is not of the form key=value",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_4(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "doctor")
    out, err = io.StringIO(), io.StringIO()
    assert run(words, Console(out, err)) == 4
    assert (out.getvalue(), err.getvalue()) == ("", f"sregym: {message}\n")
