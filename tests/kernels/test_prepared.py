"""Disks of user space on this machine's kernel: no device mapper is needed, and nothing is lost."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from real.needing import needs
from sregym_nodes.remote import AgentError, NodeAgent

BEFORE = ("losetup -nO name", "grep -c ' fuse ' /proc/mounts", "ls /dev/shm")


@dataclass(frozen=True)
class Volume:
    """A mounted one with a file of some megabytes."""

    image: Path
    at: Path
    device: str
    blocks: list[list[int]]

    @property
    def file(self) -> Path:
        return self.at / "data"

    def digest(self) -> str:
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def shown() -> list[str]:
    script = "; ".join(BEFORE)
    return subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=False
    ).stdout.splitlines()


@pytest.fixture
def volume(agent: NodeAgent, tmp_path: Path) -> Iterator[Volume]:
    """Prepared, and released without a leftover; the file system is whole then."""
    needs("losetup", "mkfs.ext4", "e2fsck")
    ask = {"key": "k", "kind": "disk", "mode": "bad"}
    if why := agent.examine([ask])[0]["fuse-disk"]:
        pytest.skip(why)
    before, image = shown(), tmp_path / "image"
    subprocess.run(["truncate", "-s", "16M", str(image)], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-b", "4096", str(image)], check=True)
    told = agent.ask("prepare", {"file": str(image), "at": str(tmp_path / "at")})
    made = Volume(image, tmp_path / "at", told["device"], [])
    made.file.write_bytes(bytes(range(256)) * 8000)
    subprocess.run(["sync", "-f", str(made.file)], check=True)
    lies = agent.ask("locate", {"path": str(made.file)})
    assert lies["device"] == told["device"]
    first = lies["blocks"][0][0] + 20
    whole = made.digest()
    yield Volume(image, made.at, made.device, [[first, first + 3]])
    agent.undo()
    assert made.digest() == whole
    assert agent.ask("release", {"file": str(image)})["released"]
    assert (
        subprocess.run(["e2fsck", "-fn", str(image)], check=False, capture_output=True).returncode
        == 0
    )
    assert shown() == before


def disk(volume: Volume, mode: str, **more: Any) -> dict[str, Any]:
    return {"key": f"disk {mode}", "kind": "disk", "mode": mode, "device": volume.device, **more}


def test_bad_and_lying_blocks(agent: NodeAgent, volume: Volume) -> None:
    """Whoever takes away what is wrong has repaired it; a write makes a bad block whole."""
    whole = volume.digest()
    applied = agent.apply(disk(volume, "bad", blocks=volume.blocks), "fuse-disk")
    assert applied.effect == {"seen": "4 blocks give Input/output error, others do not"}
    with pytest.raises(OSError, match="Input/output error"):
        volume.digest()
    (change,) = agent.changes()
    (repair,) = change["repair"]
    subprocess.run(repair, check=True)
    assert (agent.changes(), volume.digest()) == ((), whole)
    agent.apply(disk(volume, "bad", blocks=volume.blocks), "fuse-disk")
    first = volume.blocks[0][0]
    words = ("dd", "bs=4096", "count=4", "conv=notrunc", "status=none")
    back = (f"if={volume.image}", f"skip={first}", f"of=/dev/{volume.device}", f"seek={first}")
    subprocess.run([*words, *back, "oflag=direct"], check=True)
    assert (agent.changes(), volume.digest()) == ((), whole)
    applied = agent.apply(disk(volume, "corrupt", blocks=volume.blocks), "fuse-disk")
    assert applied.effect == {"seen": "4 blocks give other bytes, without an error"}
    assert volume.digest() != whole


def test_slow_and_flaky(agent: NodeAgent, volume: Volume) -> None:
    applied = agent.apply(disk(volume, "slow", delay_ms=200), "fuse-disk")
    assert int(applied.effect["seen"].split()[3]) >= 160
    agent.undo()
    applied = agent.apply(disk(volume, "flaky", share=0.5), "fuse-disk")
    assert applied.effect == {"seen": "reads fail within 3 s"}


def test_what_is_refused(agent: NodeAgent, volume: Volume, tmp_path: Path) -> None:
    with pytest.raises(AgentError) as caught:
        agent.apply(disk(volume, "bad", blocks=[[5000, 5001]]), "fuse-disk")
    assert str(caught.value) == (
        "node 'here': nothing was changed, no back end can do 'disk bad' here. fuse-disk: device "
        f"{volume.device} has blocks 0 to 4095, not 5000 to 5001"
    )
    with pytest.raises(AgentError) as caught:
        agent.apply({**disk(volume, "slow", delay_ms=1), "device": "sda"}, "fuse-disk")
    assert str(caught.value) == (
        "node 'here': nothing was changed, no back end can do 'disk slow' here. fuse-disk: device sda "
        "is not one that was prepared (`prepare`), so nothing of it can go bad here"
    )
    with pytest.raises(AgentError) as caught:
        agent.ask("prepare", {"file": str(volume.image), "at": str(tmp_path / "other")})
    assert str(caught.value) == f"node 'here': {volume.image} is prepared already; release it first"
    with pytest.raises(AgentError) as caught:
        agent.ask("prepare", {"file": "/nowhere/disk", "at": str(tmp_path / "other")})
    assert str(caught.value) == "node 'here': there is no /nowhere/disk to prepare a volume of"
    agent.apply(disk(volume, "slow", delay_ms=1), "fuse-disk")
    with pytest.raises(AgentError) as caught:
        agent.ask("release", {"file": str(volume.image)})
    assert str(caught.value) == (
        f"node 'here': something is wrong with the disk of {volume.image} still; undo that first"
    )
