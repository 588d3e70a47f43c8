"""Moves in a terminal."""

from __future__ import annotations

import io
from dataclasses import replace

from sregym_core.api import Workspace
from sregym_core.cli import Console
from sregym_core.errors import ExitCode
from sregym_replay.story import Story
from sregym_replay.terminal import FORK_HELP, HELP, Terminal, lines


def told(story: Story, *moves: str) -> tuple[ExitCode, list[str]]:
    out = io.StringIO()
    keys = io.StringIO("".join(f"{move}\n" for move in moves))
    code = Terminal(story, Console(out, io.StringIO()), keys).run()
    return code, out.getvalue().splitlines()


def heads(text: list[str]) -> list[str]:
    return [line.removeprefix("--- step ") for line in text if line.startswith("--- step ")]


def test_moves(story: Story) -> None:
    last = story.length
    code, text = told(story, "", "", "b", "3", "a", "99", "x", str(last), "")
    assert code is ExitCode.DONE
    record = story.recorded.record
    assert text[:2] == [
        f"episode e0001: {record.problem}, expert, seed 3: pass",
        HELP,
    ]
    assert heads(text) == [f"{number} of {last}" for number in (0, 1, 2, 1, 3, 3, last)]
    assert f"episode 'e0001' has steps 0 to {last}, and no step 99" in text
    assert f"no move 'x'; {HELP}" in text
    assert text[-1] == "that was the last step"


def test_forks(story: Story) -> None:
    moves = (
        *("1", "f", "get services -n hotel-reservation mongodb-rate", "status {}", "status 1"),
        *("status {", "submit It is the weather.", "submit I did nothing.", "end", "q"),
    )
    code, text = told(story, *moves)
    assert code is ExitCode.DONE
    fork = text[text.index(FORK_HELP) + 1 :]
    assert fork[0].startswith('Error from server (NotFound): services "mongodb-rate" not found')
    assert "status: its arguments are an object of JSON, like {}" in fork
    assert "diagnosis received; mitigation comes next" in fork
    assert fork[-1].startswith("fail: ")


def test_an_answer_that_differs(story: Story) -> None:
    moment = replace(story.moment(1), answer_now="another\nworld", world=None)
    assert moment.call is not None
    shown = lines(moment, 7, 1)
    assert shown[0] == "--- step 1 of 7"
    assert shown[1] == f"$ {moment.call.arguments['command']}"
    assert shown[-3:] == [
        "!!! the answer differs from the record; played again it is:",
        "another",
        "... 1 more lines (a: all)",
    ]


def test_no_fork_without_a_world(story: Story, workspace: Workspace) -> None:
    record = story.recorded.record.model_copy(update={"timeline": ()})
    other = Story(replace(story.recorded, record=record), None, workspace)
    code, text = told(other, "f")
    assert (code, text[-1]) == (
        ExitCode.DONE,
        "no fork: episode 'e0001' ended before its agent began: diagnosis and mitigation passed; "
        "there is nothing to replay",
    )
