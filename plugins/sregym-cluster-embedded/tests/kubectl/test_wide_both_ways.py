"""Commands of all families, their refusals too, print and do the same in process and by the binary."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.kubectl import CommandResult

LINES, REFUSED = (
    [line for line in Path(__file__).with_name(name).read_text().splitlines() if line[0] != "#"]
    for name in ("wide_lines.txt", "refused_lines.txt")
)
# With every run; the others are thorough.
EVERY = 8


def sampled(lines: list[str]) -> list[Any]:
    return [
        pytest.param(line, marks=[pytest.mark.thorough] if number % EVERY else [])
        for number, line in enumerate(lines)
    ]


_LOG_HEAD = re.compile(r"^E\d{4} [\d:.]+ +\d+ ", re.MULTILINE)
# What the binary stamps by its own clock.
_RESTARTED = re.compile(r'("kubectl.kubernetes.io/restartedAt": ")[^"]*')


def plain(result: CommandResult) -> CommandResult:
    """Without the moment and the process before a line of the binary's own log."""
    return replace(result, stderr=_LOG_HEAD.sub("E ", result.stderr))


def told(objects: dict[str, list[dict[str, Any]]], others: dict[str, list[dict[str, Any]]]) -> Any:
    """Those that are not simply equal, without the moments at which they were restarted."""
    unlike = {name: listed for name, listed in objects.items() if listed != others.get(name)}
    return json.loads(_RESTARTED.sub(r"\1<time>", json.dumps(unlike)))


@pytest.mark.parametrize("line", sampled(LINES))
def test_it_prints_the_same(wide: Any, line: str) -> None:
    twin, binary = wide.runs(shlex.split(line))
    assert plain(twin.result) == plain(binary.result)
    waits = ("--wait", "--request-timeout", "timeoutSeconds", "rollout status", "rollout -n shop status")  # fmt: skip
    moves = any(words in line for words in waits)
    # While the binary waits or watches, the world goes on.
    if not moves and not line.startswith(("delete", "drain", "replace --force")):
        assert told(twin.objects, binary.objects) == told(binary.objects, twin.objects)


@pytest.mark.parametrize("line", sampled(REFUSED))
def test_it_is_refused_in_the_same_words(wide: Any, steps: Any, line: str) -> None:
    (*before, words), stdin = steps(line)
    twin, binary = wide.runs(words, stdin, before=before)
    assert plain(twin.result) == plain(binary.result)
    assert twin.result.exit_code != 0
    # While the binary waits, the world goes on.
    if "--timeout" not in line:
        assert twin.objects == binary.objects
