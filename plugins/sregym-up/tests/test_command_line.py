"""The commands alone, with no other plugin."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from sregym_core.cli import Console
from sregym_core.cli.entry import run

Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.setenv("SREGYM_PLUGINS", "up")
    monkeypatch.delenv("SREGYM_EPISODE", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        code = run(words, Console(out, err))
        return code, out.getvalue(), err.getvalue()

    return call


def test_submit_without_a_session(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert invoke("submit", "x") == (
        4,
        "",
        "sregym: no session found in 'sregym-session'; "
        "set SREGYM_EPISODE to the folder that `sregym up` named\n",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["up"], "up: name a problem (see: sregym problems), or a healthy --application NAME"),
        (
            ["up", "x", "--application", "shop", "--reveal"],
            "up: PROBLEM, --reveal cannot go with --application, which puts up a healthy system",
        ),
    ],
)
def test_up_is_told_what_to_put_up(words: list[str], message: str, invoke: Invoke) -> None:
    assert invoke(*words) == (4, "", f"sregym: {message}\n")
