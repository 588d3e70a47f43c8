"""Which disks a file lies on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sregym_nodes.agent import mapper, tables
from sregym_nodes.agent.refusal import Refusal
from sregym_nodes.agent.volumes import carriers


def kernel(folder: Path, devices: dict[str, list[str]], partitions: dict[str, str]) -> Path:
    """Block devices as the kernel lists them: what each stands on, and of which disk it is a part."""
    block = folder / "block"
    block.mkdir()
    places = {number: folder / "devices" / number.replace(":", "-") for number in devices}
    for part, disk in partitions.items():
        places[part] = places[disk] / part.replace(":", "-")
    for number, place in places.items():
        place.mkdir(parents=True, exist_ok=True)
        (place / "dev").write_text(f"{number}\n")
        (block / number).symlink_to(place)
        if number in partitions:
            (place / "partition").write_text("1\n")
    for number, below in devices.items():
        for other in below:
            slaves = places[number] / "slaves"
            slaves.mkdir(exist_ok=True)
            (slaves / other.replace(":", "-")).symlink_to(places[other])
    return block


def number_of(path: Path) -> str:
    device = path.stat().st_dev
    return f"{os.major(device)}:{os.minor(device)}"


def test_all_that_a_file_lies_on_is_found(tmp_path: Path) -> None:
    """A volume on an encrypted one on a partition, and its disk; a disk beside is none of them."""
    own = number_of(tmp_path)
    devices = {own: ["900:1"], "900:1": ["901:1"], "901:1": [], "901:0": [], "902:0": []}
    block = kernel(tmp_path, devices, {"901:1": "901:0"})
    found = carriers(tmp_path / "no" / "such" / "file", block, tmp_path / "mounts")
    assert found == {own, "900:1", "901:1", "901:0"}


def test_what_lies_in_memory_has_no_disk(tmp_path: Path) -> None:
    block = kernel(tmp_path, {"902:0": []}, {})
    assert carriers(tmp_path, block, tmp_path / "mounts") == frozenset()


def test_a_disk_that_the_program_lies_on_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "number", lambda name: {"vol-root": "254:0"}[name])
    monkeypatch.setattr(mapper.volumes, "carriers", lambda path: {"254:0"} if path.name else set())
    with pytest.raises(Refusal) as refused:
        mapper.refuse_own_disk("vol-root", [Path("/"), Path("/usr/sbin/dmsetup")])
    assert str(refused.value) == (
        "device vol-root carries /usr/sbin/dmsetup, which is needed to swap its table: while it "
        "stands still nothing could be read there, and this machine would hang; choose a volume of "
        "its own"
    )
    mapper.refuse_own_disk("vol-root", [Path("/")])
