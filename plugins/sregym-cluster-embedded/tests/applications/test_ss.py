"""`ss` of iproute2 and `netstat -i`, beside a process that listens."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command

ROW = "LISTEN 0      4096               *:8080            *:*    "


@pytest.fixture(scope="module")
def shell() -> Any:
    cluster = Embedded().provision(ClusterSpec())
    image = "--image=nicolaka/netshoot"
    line = ("kubectl", "run", "box", image, "--", "sh", "-c", "nc -l -p 8080; sleep 9999")
    cluster.kubectl(Command(line))
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
        ("ss -tln", (0, f"State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n{ROW}      \n", "")),
        ("ss -H -tln", (0, "LISTEN 0      4096   *:8080 *:*\n", "")),
        ("ss -tnp state established", (0, "Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n", "")),
        ("ss -tln sport = :80", (0, "State Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n", "")),
        ("ss -lun", (0, "State Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n", "")),
        ("ss -tan -l sport = :8080 | awk 'NR > 1 {print $1, $4}'", (0, "LISTEN *:8080\n", "")),
        (
            "ss -s",
            (0, "Total: 3\nTCP:   1 (estab 0, closed 0, orphaned 0, timewait 0)\n\nTransport Total     IP        IPv6\n"
             "RAW\t  0         0         0        \nUDP\t  0         0         0        \nTCP\t  1         0         1        \n"
             "INET\t  1         0         1        \nFRAG\t  0         0         0        \n\n", ""),
        ),
        ("ss --nosuch", (255, "", "ss: unrecognized option '--nosuch'\nUsage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n")),
        ("ss -q", (255, "", "ss: invalid option -- 'q'\nUsage: ss [ OPTIONS ]\n       ss [ OPTIONS ] [ FILTER ]\n")),
    ],
)  # fmt: skip
def test_words(shell: Any, line: str, expected: tuple[int, str, str]) -> None:
    assert shell(line) == expected
