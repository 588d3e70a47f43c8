"""Which commands read their input, and when a shell has heard enough."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.userland.dialogue import unfinished
from sregym_cluster_embedded.userland.shell.input import (
    is_console,
    is_shell,
    never_reads,
    reads_input,
)

CONSOLES = {"redis-cli", "mysql", "mongosh", "psql"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sh", True),
        ("/bin/bash -l", True),
        ("sh -c ls", False),
        ("sh script.sh", False),
        ("cat", True),
        ("cat /etc/hosts", False),
        ("cat -", True),
        ("wc -l", True),
        ("grep x", True),
        ("grep x file", False),
        ("tee out", True),
        ("redis-cli -h db", True),
        ("mongosh --eval 1", False),
        ("psql --command=select", False),
        ("sleep 100", False),
        ("", False),
    ],
)
def test_main_processes_that_read(line: str, expected: bool) -> None:
    assert reads_input(line.split(), CONSOLES) is expected


def test_shells_and_consoles_are_told_apart() -> None:
    commands = (["ash"], ["mysql", "-uroot"], ["ls"], [])
    assert [is_shell(one) for one in commands] == [True, False, False, False]
    assert [is_console(one, CONSOLES) for one in commands] == [False, True, False, False]
    assert [never_reads(one) for one in commands] == [False, False, True, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls\n", False),
        ("if true; then\n", True),
        ("for a in 1 2; do\necho $a\n", True),
        ("for a in 1 2; do\necho $a\ndone\n", False),
        ("echo 'a\n", True),
        ("ls \\\n", True),
        ("ls )\n", False),
        ("", False),
    ],
)
def test_a_shell_asks_for_more_until_its_lines_are_complete(text: str, expected: bool) -> None:
    assert unfinished(text) is expected
