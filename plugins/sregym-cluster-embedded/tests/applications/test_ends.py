"""head and tail: lines and bytes, from either side, of several files."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def box(shop: Any) -> Any:
    shop.start_box("sleep", "36000")
    shop.run(1)
    shop.shell("box", "cd /tmp; seq 1 12 > a; echo b > b")
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("head -2 /tmp/a", (0, "1\n2\n", "")),
        ("head -c 3 /tmp/a", (0, "1\n2", "")),
        ("tail -n 2 /tmp/a", (0, "11\n12\n", "")),
        ("tail -2 /tmp/a", (0, "11\n12\n", "")),
        ("tail -n +11 /tmp/a", (0, "11\n12\n", "")),
        ("tail -c 3 /tmp/a", (0, "12\n", "")),
        ("seq 3 | tail -1", (0, "3\n", "")),
        (
            "cd /tmp; tail -n1 a b; head -qn1 a b",
            (0, "==> a <==\n12\n\n==> b <==\nb\n1\nb\n", ""),
        ),
        (
            "cd /tmp; head -n1 b none",
            (1, "==> b <==\nb\n", "head: none: No such file or directory\n"),
        ),
    ],
)
def test_head_and_tail(box: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert box.shell("box", script) == expected


def test_a_followed_file_is_read_on_from_where_it_was(box: Any) -> None:
    run = box.runtime.exec
    result = run(box.world, box.ref("box"), ("tail", "-fn1", "/tmp/a"), "")
    assert (result.stdout, result.grows.ends) == ("12\n", False)
    box.shell("box", "echo 13 >> /tmp/a")
    assert result.grows.written(box.world) == "12\n13\n"
    limited = run(box.world, box.ref("box"), ("timeout", "9", "tail", "-f", "/tmp/b"), "")
    assert (limited.exit_code, limited.duration_s, limited.grows.ends) == (143, 9.0, True)
    box.runtime.kill(box.world, box.ref("box"))
    assert result.grows.written(box.world) is None


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("sort /none", (2, "", "sort: cannot read: /none: No such file or directory\n")),
        ("kill 4321", (1, "", "sh: 1: kill: No such process\n")),
        ("bash -c 'kill 4321'", (1, "", "bash: line 1: kill: (4321) - No such process\n")),
        ("test 1 -gt a", (2, "", "sh: 1: test: Illegal number: a\n")),
        ("printf '%d' x", (1, "0", "sh: 1: printf: x: expected numeric value\n")),
        (
            "seq a",
            (
                1,
                "",
                "seq: invalid floating point argument: 'a'\n"
                "Try 'seq --help' for more information.\n",
            ),
        ),
        (
            "tr a < /dev/null",
            (
                1,
                "",
                "tr: missing operand after 'a'\nTwo strings must be given when translating.\n"
                "Try 'tr --help' for more information.\n",
            ),
        ),
    ],
)
def test_mistakes_in_the_words_of_gnu_and_dash(
    shop: Any, script: str, expected: tuple[int, str, str]
) -> None:
    shop.start_mongo()
    shop.run(1)
    assert shop.shell("mongodb-stock", script) == expected
