"""A campaign that is killed at any moment goes on where it was: nothing is lost, nothing counts twice."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
SEEDS = 3
DEADLINE_S = 100.0


def _begun(project: SregymProject) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        project.command("campaign", "run", "campaign.yaml", "--jobs", "2"),
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _wait(until: Callable[[], Any]) -> Any:
    ends = time.monotonic() + DEADLINE_S
    while not (found := until()):
        assert time.monotonic() < ends, "it did not come true"
        # A look at a folder costs little beside the episodes that are awaited.
        os.sched_yield()
    return found


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _names(folder: Path) -> list[str]:
    found = [path.name for path in folder.iterdir()] if folder.exists() else []
    return [name for name in found if not name.endswith(".part")]


@pytest.mark.parametrize("after", [pytest.param(0, marks=pytest.mark.thorough), 1])
def test_killed_and_gone_on_with(
    campaign: Callable[..., SregymProject], kept: Callable[..., Any], after: int
) -> None:
    """With nothing recorded yet, and in the middle: with workers that are at something."""
    project = campaign(seeds=[*range(SEEDS)])
    folder = project.folder / "campaigns" / "small"
    process = _begun(project)
    _wait(lambda: _children(process.pid))
    _wait(lambda: len(_names(folder / "records")) >= after)
    workers = _children(process.pid)
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()
    before = {name: (folder / "records" / name).read_bytes() for name in _names(folder / "records")}
    assert after <= len(before) < SEEDS
    # What agents could read while others play tells nothing.
    assert all(content.startswith(b"sealed ") for content in before.values())
    _wait(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    done = project.run("campaign", "run", "campaign.yaml", "--json").assert_success()
    told = done.json()
    assert (told["played"], told["left"], told["tries"]) == (SEEDS, 0, {"graded": SEEDS})
    tries = kept(project)
    assert sorted(tries) == [f"e{number:05d}-1" for number in range(1, SEEDS + 1)]
    # What was there was not played again.
    assert done.err.count("seed=") == SEEDS - len(before)
    assert {one["record"]["seed"] for one in tries.values()} == {*range(SEEDS)}
    # All are played in the same worlds, before and after.
    assert len({one["record"]["salt"] for one in tries.values()}) == 1
    again = project.run("campaign", "run", "campaign.yaml", "--json").assert_success()
    assert again.json() == told
    assert again.err == ""


def test_two_writers(campaign: Callable[..., SregymProject]) -> None:
    project = campaign(seeds=[*range(SEEDS)])
    process = _begun(project)
    _wait((project.folder / "campaigns" / "small" / "campaign.json").exists)
    _wait(lambda: _children(process.pid))
    # It stands still, and is not at its end when the other one has begun.
    process.send_signal(signal.SIGSTOP)
    other = project.run("campaign", "run", "campaign.yaml")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    assert process.wait() == 2
    assert process.stderr is not None
    said = process.stderr.read().decode()
    process.stderr.close()
    assert (other.exit_code, other.out) == (4, "")
    assert other.err == (
        "sregym: another process writes to 'campaigns/small'; wait until it has ended\n"
    )
    assert said.endswith("interrupted; the same command goes on with it: campaigns/small\n")
