"""What a container sees of itself is what metrics say of it from outside."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.userland.keys import RUNTIME


def inside(booth: Any, name: str, *command: str) -> str:
    result = booth.world.service(RUNTIME).exec(booth.world, booth.ref(name), command, "")
    assert (result.exit_code, result.error) == (0, "")
    return str(result.stdout)


def test_the_control_group_counts_what_cadvisor_exports(booth: Any) -> None:
    told = dict(
        line.split() for line in inside(booth, "web", "cat", "/sys/fs/cgroup/cpu.stat").splitlines()
    )
    labels = f'{{pod="{booth.ref("web").pod}",container="web"}}'
    (used,) = booth.ask(f"container_cpu_usage_seconds_total{labels}").values()
    (periods,) = booth.ask(f"container_cpu_cfs_periods_total{labels}").values()
    (throttled,) = booth.ask(f"container_cpu_cfs_throttled_periods_total{labels}").values()
    # The newest sample is up to fifteen seconds old.
    assert used <= int(told["usage_usec"]) / 1e6 <= used + 15
    assert periods <= int(told["nr_periods"]) <= periods + 150
    assert throttled <= int(told["nr_throttled"]) <= throttled + 150
    assert int(told["user_usec"]) + int(told["system_usec"]) == int(told["usage_usec"])


def test_top_shows_what_kubectl_top_shows(booth: Any) -> None:
    ref = booth.ref("mongodb")
    uses = booth.world.service(USAGE).containers(booth.world, ref.pod_uid)
    row = inside(booth, "web", "top", "-b", "-n", "1").splitlines()[-2]
    web = booth.world.service(USAGE).containers(booth.world, booth.ref("web").pod_uid)
    found = re.search(r" (\d+)% web$", row)
    assert found is not None
    assert int(found.group(1)) == pytest.approx(web[0].cpu_nanocores / 1e7, abs=1)
    assert uses


def test_sockets_of_the_pod_are_in_the_kernel_s_table(booth: Any) -> None:
    lines = inside(booth, "web", "cat", "/proc/net/tcp6").splitlines()
    listening = [line.split() for line in lines if " 0A " in line]
    assert [words[1].rpartition(":")[2] for words in listening] == [f"{8080:04X}"]
    held = [line.split() for line in lines if " 01 " in line]
    assert {words[1].rpartition(":")[2] for words in held} == {f"{8080:04X}"}
    assert [words[0] for words in (*listening, *held)] == [f"{n}:" for n in range(len(lines) - 1)]
    # What it holds to others is of version 4, and nothing of that listens.
    own = inside(booth, "web", "cat", "/proc/net/tcp").splitlines()[1:]
    assert {line.split()[3] for line in own} == {"01"}
