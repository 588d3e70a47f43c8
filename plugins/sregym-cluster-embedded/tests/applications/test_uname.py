"""What uname and the files of the kernel tell in a container, and what is known of its node."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command


@pytest.fixture(scope="module")
def kubectl() -> Any:
    cluster = Embedded().provision(ClusterSpec())

    def run(*words: str) -> tuple[int, str, str]:
        answer = cluster.kubectl(Command(("kubectl", *words)))
        return answer.exit_code, answer.stdout, answer.stderr

    run("run", "site", "--image=nginx:1.27")
    run("run", "new", "--image=curlimages/curl:8.12.1", "--command", "--", "sleep", "9999")
    cluster.clock.advance(60)
    yield run
    cluster.close()


_KERNEL_FILES = ("version", "sys/kernel/ostype", "sys/kernel/osrelease", "sys/kernel/hostname")


def test_a_container_runs_on_the_kernel_of_its_node(kubectl: Any) -> None:
    asked = "{.status.nodeInfo.kernelVersion} {.status.nodeInfo.architecture}"
    _, node, _ = kubectl("get", "pod", "site", "-o", "jsonpath={.spec.nodeName}")
    _, told, _ = kubectl("get", "node", node, "-o", f"jsonpath={asked}")
    release, _ = told.split()
    built = "#1 SMP PREEMPT_DYNAMIC Fri Aug  1 10:02:11 UTC 2025"
    assert told == f"{release} amd64"
    places = " ".join(f"/proc/{name}" for name in (*_KERNEL_FILES, "sys/kernel/version"))
    asks = ("-a", "-r", "-m", "-n", "-v", "-p", "--kernel-version", "-sr")
    line = f"{'; '.join(f'uname {flag}' for flag in asks)}; arch; cat {places}"
    assert kubectl("exec", "site", "--", "sh", "-c", line) == (
        0,
        f"Linux site {release} {built} x86_64 GNU/Linux\n{release}\nx86_64\nsite\n{built}\nunknown\n"
        f"{built}\nLinux {release}\nx86_64\n"
        f"Linux version {release} (build@host) {built}\nLinux\n{release}\nsite\n{built}\n",
        "",
    )
    assert kubectl("exec", "new", "--", "uname", "-a") == (
        0, f"Linux new {release} {built} x86_64 Linux\n", "",
    )  # fmt: skip
