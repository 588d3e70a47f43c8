"""The words of a command line are handed over in an open file."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from sregym_core.cli import handover


def replaced(monkeypatch, words, orig_argv):
    """The command line that takes the place of this one, and what is handed over to it."""
    seen = []

    def execv(path, argv):
        seen.append((path, argv, json.loads(os.pread(int(argv[-1][1:]), 1000, 0))))

    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.setattr(sys, "orig_argv", orig_argv)
    assert handover.handed_over(words) == words
    return seen


@pytest.mark.parametrize(
    ("before", "interpreter"),
    [
        (["python", "/bin/sregym"], ["/bin/sregym"]),
        (["python", "-X", "dev", "-m", "sregym_core"], ["-X", "dev", "-m", "sregym_core"]),
    ],
)
def test_the_command_line_says_only_where_the_words_are(monkeypatch, before, interpreter) -> None:
    words = ["up", "some_problem", "--json"]
    [(path, argv, handed)] = replaced(monkeypatch, words, [*before, *words])
    assert (path, argv[:-1], handed) == (sys.executable, [sys.executable, *interpreter], words)


def test_who_was_not_started_by_a_command_line_starts_the_module(monkeypatch) -> None:
    [(_, argv, _)] = replaced(monkeypatch, ["run", "x"], ["python", "-c", "..."])
    assert argv[1:-1] == ["-m", "sregym_core"]


@pytest.mark.parametrize(
    "words",
    [[], ["up"], ["--version"], ["problems", "--json"], ["up", "--help"], ["verify", "x", "-h"]],
)
def test_what_names_nothing_is_run_as_it_is(monkeypatch, words) -> None:
    assert replaced(monkeypatch, words, ["sregym", *words]) == []


def test_an_option_for_tracebacks_may_come_first(monkeypatch) -> None:
    words = ["--traceback", "verify", "x"]
    assert len(replaced(monkeypatch, words, ["python", "sregym", *words])) == 1


def opened(content: str) -> int:
    """Number of an open file with this content."""
    read, write = os.pipe()
    os.write(write, content.encode())
    os.close(write)
    return read


def test_words_are_taken_once() -> None:
    number = opened('["up", "x"]')
    assert handover.handed_over([f"@{number}"]) == ["up", "x"]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


@pytest.mark.parametrize("content", ["", "{", "[1]", '"up"'])
def test_what_was_not_handed_over_is_a_word_like_any_other(content) -> None:
    word = f"@{opened(content)}"
    assert handover.handed_over([word]) == [word]


def test_an_unknown_word_stays_an_error() -> None:
    words = [sys.executable, "-m", "sregym_core", "@97"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("sregym: no command named '@97'. Known: ")
