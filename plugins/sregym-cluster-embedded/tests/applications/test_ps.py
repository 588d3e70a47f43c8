"""`ps` of procps in its many forms, and what /proc shows beside it."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

USAGE = """
Usage:
 ps [options]

 Try 'ps --help <simple|list|output|threads|misc|all>'
  or 'ps --help <s|l|o|t|m|a>'
 for additional help text.

For more details see ps(1).
"""


@pytest.fixture(scope="module")
def shell() -> Any:
    cluster = Embedded().provision(ClusterSpec())
    run = ("kubectl", "run", "box", "--image=ubuntu:22.04", "--", "sleep", "3600")
    cluster.kubectl(Command(run))
    cluster.clock.advance(60)

    def run_line(line: str) -> tuple[int, str, str]:
        answer = cluster.kubectl(Command(("kubectl", "exec", "box", "--", "sh", "-c", line)))
        tail = f"command terminated with exit code {answer.exit_code}\n" if answer.exit_code else ""
        return answer.exit_code, answer.stdout, answer.stderr.removesuffix(tail)

    yield run_line
    cluster.close()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ps -p 1 -o args=", (0, "sleep 3600\n", "")),
        ("ps -p 1 -o pid=,comm=", (0, "      1 sleep\n", "")),
        ("ps -C sleep", (0, "    PID TTY          TIME CMD\n      1 ?        00:00:00 sleep\n", "")),
        ("ps -p 77", (1, "    PID TTY          TIME CMD\n", "")),
        ("ps -p 1 -o pid,ppid,stat,nlwp,comm --sort=-pid", (0, "    PID    PPID STAT NLWP COMMAND\n      1       0 Ss      1 sleep\n", "")),
        ("ps -p 1 -o pid,comm --no-headers", (0, "      1 sleep\n", "")),
        ("ps aux --no-headers | head -1 | awk '{print $1, $2, $11}'", (0, "root 1 sleep\n", "")),
        ("ps -eo nosuch", (1, "", f'error: unknown user-defined format specifier "nosuch"\n{USAGE}')),
        ("ps --nosuch", (1, "", f"error: unknown gnu long option\n{USAGE}")),
        ("ps --version", (0, "ps from procps-ng 4.0.2\n", "")),
        ("readlink /proc/1/exe /proc/1/cwd /proc/1/root", (0, "/usr/bin/sleep\n/\n/\n", "")),
        ("tail -1 /proc/net/dev", (0, "  eth0:    1162      14    0    0    0     0          0         0      780      10    0    0    0     0       0          0\n", "")),
        ("head -1 /proc/net/sockstat; cut -f2,3 /proc/net/route | tail -n +2", (0, "sockets: used 2\n00000000\t0103F40A\n0003F40A\t00000000\n", "")),
        ("sysctl -a | grep -c = ; sysctl -n net.ipv4.tcp_fin_timeout", (0, "29\n60\n", "")),
    ],
)  # fmt: skip
def test_words(shell: Any, line: str, expected: tuple[int, str, str]) -> None:
    assert shell(line) == expected
