"""Files that stand in memory: they have a size, and count against the limit of their container."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState

MIB = 1 << 20
KILLED = ExitState(137, "OOMKilled")


def started(shop: Any, script: str, limit_mib: int | None = None) -> Any:
    limit = None if limit_mib is None else limit_mib * MIB
    shop.start_box("sh", "-c", script, memory_limit_bytes=limit)
    shop.run(1)
    return shop


def test_shared_memory_has_the_usual_size(shop: Any) -> None:
    script = "dd if=/dev/zero of=/dev/shm/x bs=1M count=100 status=none; echo $?; df -m /dev/shm | tail -1; rm /dev/shm/x; df -m /dev/shm | tail -1; echo more > /dev/shm/y && cat /dev/shm/y"  # fmt: skip
    started(shop, script)
    assert shop.texts("box") == [
        "dd: error writing '/dev/shm/x': No space left on device",
        "1",
        "shm                         64        64         0 100% /dev/shm",
        "shm                         64         0        64   0% /dev/shm",
        "more",
    ]


@pytest.mark.parametrize(
    "script",
    [
        "echo on; dd if=/dev/zero of=/dev/shm/x bs=1M count=30; echo missed",
        "echo on; (dd if=/dev/zero of=/dev/shm/x bs=1M count=30); echo missed",
        "echo on; dd if=/dev/zero of=/dev/shm/x bs=1M count=30 2>&1 | cat; echo missed",
        "echo on; for n in 1 2 3 4; do dd if=/dev/zero of=/dev/shm/$n bs=1M count=6 status=none; done; echo missed",
        "echo on; tail /dev/zero; echo missed",
        "echo on; x=$(tail -n 1 /dev/zero); echo missed",
    ],
)  # fmt: skip
def test_a_container_that_takes_too_much_is_killed(shop: Any, script: str) -> None:
    started(shop, script, limit_mib=20)
    assert (shop.texts("box"), shop.ended("box")) == (["on"], KILLED)


def test_what_fits_beside_the_process_is_kept(shop: Any) -> None:
    script = "dd if=/dev/zero of=/dev/shm/x bs=1M count=18 status=none; rm /dev/shm/x; dd if=/dev/zero of=/dev/shm/y bs=1M count=18 status=none; sleep 60"  # fmt: skip
    started(shop, script, limit_mib=20)
    assert shop.ended("box") is None


def test_a_command_from_outside_ends_the_container_too(shop: Any) -> None:
    started(shop, "sleep 60", limit_mib=20)
    script = "dd if=/dev/zero of=/tmp/x bs=1M count=30 status=none; dd if=/dev/zero of=/dev/shm/x bs=1M count=30; echo missed"  # fmt: skip
    assert shop.shell("box", script)[:2] == (137, "")
    assert shop.ended("box") == KILLED
