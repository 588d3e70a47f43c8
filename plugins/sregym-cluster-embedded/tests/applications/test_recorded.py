"""Scripts that BusyBox 1.35, and the shells and tools of Debian 12, have answered: ours are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

RECORDED = Path(__file__).parent / "data"
IMAGES = {
    "busybox": ("busybox:1.36", "sh"),
    "debian": ("debian:12", "sh"),
    "bash": ("debian:12", "bash"),
}


@pytest.fixture(scope="module")
def checkpoint() -> Any:
    found = Embedded().provision(ClusterSpec())
    for family, (image, _) in IMAGES.items():
        found.kubectl(
            Command(("kubectl", "run", family, f"--image={image}", "--", "sleep", "9999"))
        )
    found.clock.advance(60)
    yield found.checkpoint()
    found.close()


@pytest.mark.parametrize("family", sorted(IMAGES))
def test_scripts_are_answered_as_recorded(checkpoint: Any, family: str) -> None:
    different = []
    for each in json.loads((RECORDED / f"{family}.json").read_text(encoding="utf-8")):
        fork = checkpoint.fork(ClusterSpec())
        words = ("kubectl", "exec", family, "--", IMAGES[family][1], "-c", each["script"])
        answer = fork.kubectl(Command(words))
        fork.close()
        tail = f"command terminated with exit code {answer.exit_code}\n" if answer.exit_code else ""
        told = (answer.exit_code, answer.stdout, answer.stderr.removesuffix(tail))
        if told != (each["code"], each["out"], each["err"]):
            different.append((each, told))
    assert different == []
