"""`sregym replay` as people call it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Project = Callable[..., SregymProject]


def test_a_tampered_answer_is_told(sregym_project: Project, episode: Path, tmp_path: Path) -> None:
    """The step, what was recorded, and what comes out; also on the page, which needs nothing else."""
    copied = tmp_path / "e0001"
    shutil.copytree(episode, copied)
    record: dict[str, Any] = json.loads((copied / "record.json").read_text())
    true = record["transcript"][1]["output"]
    record["transcript"][1].update(output="<b>forged</b>", digest="0" * 32)
    (copied / "record.json").write_text(json.dumps(record))
    page = tmp_path / "replay.html"
    done = sregym_project().run("replay", str(copied), "--json", "--page", str(page))
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    told = done.json()
    assert (told["mismatches"], told["rebuilt"]) == ([2], True)
    step = told["steps"][2]
    assert (step["same"], step["answer"], step["answer_now"]) == (False, "<b>forged</b>", true)
    assert [one["number"] for one in told["steps"]] == list(range(len(record["transcript"]) + 1))
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;forged&lt;/b&gt;" in text
    assert "<b>forged" not in text
    assert text.count('class="differs"') == 1
    assert "http" not in text.replace(record["instruction"], "").split("<section")[0]


def test_one_step_and_an_agent_from_there(sregym_project: Project, episode: Path) -> None:
    project = sregym_project()
    one = project.run("replay", str(episode), "--step", "0").assert_success()
    assert one.out.startswith("--- step 0 of ")
    words = ("replay", str(episode), "--step", "1", "--agent", "noop", "--json")
    on = project.run(*words).assert_exit(ExitCode.FAILED).json()
    assert (on["from_step"], on["agent"], on["outcome"]) == (1, "noop", "fail")
    assert [call["tool"] for call in on["steps"]] == ["submit", "submit"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "'nowhere' is no episode: it has no record.json"),
        (("EPISODE", "--step", "99"), "episode 'e0001' has steps 0 to {last}, and no step 99"),
        (
            ("EPISODE", "--agent", "expert"),
            "--agent expert: it needs the answer key, which a fork of an episode does not have",
        ),
        (
            ("EPISODE", "--step", "0", "--page", "gone/replay.html"),
            "'gone/replay.html' cannot be written: No such file or directory; name another with "
            "--page",
        ),
    ],
)
def test_refusals(
    sregym_project: Project, episode: Path, words: tuple[str, ...], message: str
) -> None:
    given = [str(episode) if word == "EPISODE" else word for word in words]
    done = sregym_project().run("replay", *given)
    last = len(json.loads((episode / "record.json").read_text())["transcript"])
    told = f"sregym: {message.format(last=last)}\n"
    assert (done.exit_code, done.out, done.err) == (ExitCode.USAGE, "", told)
