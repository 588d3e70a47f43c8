"""Scripts as main processes: from a file, with arguments, waiting, and becoming something else."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount
from sregym_cluster_embedded.userland.shell.invocation import Invocation, invocation


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("sh -c x", Invocation("x", "", ("sh",))),
        ("sh -ec x a -b", Invocation("x", "", ("a", "-b"), True)),
        ("bash -eo pipefail -c x", Invocation("x", "", ("bash",), True)),
        ("bash -o errexit f", Invocation(None, "f", ("f",), True)),
        ("sh f -x -e", Invocation(None, "f", ("f", "-x", "-e"))),
        ("sh -x -- -f", Invocation(None, "-f", ("-f",), options="x")),
        ("bash --login +e f", Invocation(None, "f", ("f",))),
        ("sh -", Invocation(None, "", ("sh",))),
        ("sh -e", Invocation(None, "", ("sh",), True)),
        ("sh -s a", Invocation(None, "", ("sh", "a"))),
        ("sh -q f", Invocation(unknown="q")),
        ("sh -c", Invocation(lacks_command=True)),
    ],
)
def test_what_a_shell_is_asked_to_do(line: str, asked: Invocation) -> None:
    assert invocation(line.split()) == asked


def started(shop: Any, text: str, *command: str) -> None:
    mounts = {"/scripts": Mount("files", "scripts", {"run.sh": text}, ("configmaps", "scripts"))}
    shop.start_box(*command, mounts=mounts)


def test_a_script_from_a_file_runs_on_the_clock(shop: Any) -> None:
    text = "echo got $1 $#\nsleep 5\necho slept\nexit 3\n"
    started(shop, text, "sh", "/scripts/run.sh", "-x", "b")
    shop.run(4)
    assert (shop.texts("box"), shop.ended("box")) == (["got -x 2"], None)
    shop.run(2)
    assert shop.texts("box") == ["got -x 2", "slept"]
    assert shop.ended("box") == ExitState(3, "Error")


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ('say() { echo "said $1"; }; say a; (say b); for i in c d; do say $i; done', ["said a", "said b", "said c", "said d"]),
        ('say() { echo "said $1"; }; say a > /tmp/f; cat /tmp/f; x=$(say b); echo $x; say c | cat', ["said a", "said b", "said c"]),
        ("eval 'echo a'; echo 'echo b' > /tmp/s; . /tmp/s; . /tmp/s > /tmp/f; cat /tmp/f", ["a", "b", "b"]),
        ('say() { echo $1; sleep 1; echo $1; }; say a; say b > /tmp/f; cat /tmp/f', ["a", "a", "b", "b"]),
    ],
)  # fmt: skip
def test_what_functions_and_other_files_write_is_written_once(
    shop: Any, script: str, lines: list[str]
) -> None:
    shop.start_box("sh", "-c", script)
    shop.run(4)
    assert shop.texts("box") == lines


def test_a_script_with_the_option_e_ends_at_the_first_failure(shop: Any) -> None:
    started(shop, "echo on\nfalse\necho off\n", "/bin/sh", "-e", "/scripts/run.sh")
    shop.run(1)
    assert (shop.texts("box"), shop.ended("box")) == (["on"], ExitState(1, "Error"))


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ('exec echo "$@"', ["a  b c"]),
        ('case $2 in c) exec echo "$2" ;; esac; echo missed', ["c"]),
        ("exec echo out >&2; echo missed", ["out"]),
        ("exec cat < /scripts/run.sh", ["text"]),
    ],
)
def test_what_a_shell_has_become_writes_to_the_log(
    shop: Any, script: str, lines: list[str]
) -> None:
    started(shop, "text\n", "sh", "-c", script, "sh", "a  b", "c")
    shop.run(1)
    assert (shop.texts("box"), shop.ended("box")) == (lines, ExitState(0, "Completed"))


def test_a_script_that_is_missing(shop: Any) -> None:
    started(shop, "", "sh", "/scripts/none.sh")
    shop.run(1)
    assert shop.texts("box") == ["sh: can't open '/scripts/none.sh': No such file or directory"]
    assert shop.ended("box") == ExitState(2, "Error")
