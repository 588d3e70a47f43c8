"""Commands of all families, their refusals too, print and do the same in process and by the binary."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

LINES = [
    line
    for line in Path(__file__).with_name("wide_lines.txt").read_text().splitlines()
    if not line.startswith("#")
]
# What the binary stamps by its own clock.
_RESTARTED = re.compile(r'("kubectl.kubernetes.io/restartedAt": ")[^"]*')


def told(objects: dict[str, list[dict[str, Any]]]) -> Any:
    return json.loads(_RESTARTED.sub(r"\1<time>", json.dumps(objects)))


@pytest.mark.parametrize("line", LINES)
def test_it_prints_the_same(wide: Any, line: str) -> None:
    twin, binary = wide.runs(shlex.split(line))
    assert twin.result == binary.result
    if "--wait" not in line and not line.startswith(("delete", "drain", "replace --force")):
        assert told(twin.objects) == told(binary.objects)
