"""Scripts as main processes: from a file, with arguments, waiting, and becoming something else."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount
from sregym_cluster_embedded.userland.process import process_of
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


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("for i in a b; do echo $i; sleep 2; done; echo end $i", ["a", "b", "end b"]),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; sleep 1; done; echo e$?", ["1", "3", "e0"]),
        ("until [ -e /tmp/b ]; do sleep 1; touch /tmp/b; sleep 1; done; ls /tmp/b", ["/tmp/b"]),
        ("for ((i=0; i<3; i++)); do sleep 1; echo $i; done; echo e$i", ["0", "1", "2", "e3"]),
        (
            "f() { local n=1; for i in a b; do echo $i $1 $n; sleep 1; n=$((n+1)); done; return 7; }; n=x; f q r; echo $? $n $#",
            ["a q 1", "b q 2", "7 x 0"],
        ),
        (
            "for a in 1 2; do for b in 1 2 3; do [ $b = 3 ] && continue 2; sleep 1; echo $a$b; done; echo no; done; echo e",
            ["11", "12", "21", "22", "e"],
        ),
        ("if true; then while sleep 1; do echo x; break; done; fi && echo y || echo n", ["x", "y"]),
        ("case a in a) for q in 1 2; do sleep 1; echo $q; done; echo e;; *) echo n;; esac", ["1", "2", "e"]),
        ("trap 'echo bye' EXIT; for q in 1 2; do sleep 1; echo $q; done; cd /tmp; for q in 3; do sleep 1; pwd; done", ["1", "2", "/tmp", "bye"]),
        ("set -e; for q in 1 2; do sleep 1; echo $q; done; for q in 3; do sleep 1; false; echo no; done; echo no", ["1", "2"]),
        ("(x=2; for q in 1 2; do sleep 1; x=$((x+q)); echo $x; done); echo [$x]", ["3", "5", "[]"]),
        ("for q in 1 2; do sleep 1; echo $q; done | tr 1-2 a-b; echo e", ["a", "b", "e"]),
        ("for q in 1 2; do sleep 1; echo $q; done > /tmp/o; cat /tmp/o", ["1", "2"]),
        ("a=(x y); for q in ${a[@]}; do sleep 1; a+=(z$q); done; echo ${a[@]} ${#a[@]}", ["x y zx zy 4"]),
    ],
)  # fmt: skip
def test_a_script_goes_on_where_it_was(shop: Any, script: str, lines: list[str]) -> None:
    shop.start("box", "mongo:4.4.6", "6", command=("bash", "-c", script))
    shop.run(30)
    assert shop.texts("box") == lines


def test_a_script_that_runs_for_long_is_not_repeated_from_its_beginning(shop: Any) -> None:
    shop.start_box("sh", "-c", "i=0; while true; do i=$((i+1)); echo $i; sleep 10; done")
    shop.run(12_000)
    assert shop.texts("box")[-1] == "1200"
    process = process_of(shop.world, shop.ref("box"))
    assert process is not None
    assert len(process.journal) < 10


def test_what_never_rests_costs_as_much_in_every_second(shop: Any) -> None:
    shop.start_box("sh", "-c", "while :; do echo x; sleep 0.001; done")
    shop.run(600)
    first = len(shop.texts("box"))
    assert 1_000 < first <= 4_000


def test_what_computes_for_long_comes_to_its_end(shop: Any) -> None:
    shop.start_box("sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; echo $i")
    shop.run(3600)
    assert shop.texts("box") == ["5000"]
