"""Listings where there is nothing to be listed."""

from __future__ import annotations

import io

import pytest
from sregym_core.cli import Console
from sregym_core.cli.entry import run


@pytest.mark.parametrize(
    "words", [("problems",), ("applications",), ("faults",), ("faults", "pairs"), ("noise",)]
)
def test_without_other_plugins(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "catalogue")
    out, err = io.StringIO(), io.StringIO()
    code = run((*words, "--json"), Console(out, err))
    assert (code, out.getvalue(), err.getvalue()) == (0, "[]\n", "")
