"""Commands as people type them: the shell's grammar, text tools, processes; two flavours."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState


@pytest.fixture
def box(shop: Any) -> Any:
    shop.start_box("sleep", "3600", env={"COLOUR": "dark blue"})
    shop.run(1)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("case abc in x|a*) echo starts;; *) echo no;; esac", (0, "starts\n", "")),
        ("f() { local x=$1; echo $x $#; return 3; }; f a b; echo $?", (0, "a 2\n3\n", "")),
        ('set -- "a b" c; for x in "$@"; do echo "<$x>"; done; shift; echo $#', (0, "<a b>\n<c>\n1\n", "")),
        ("printf 'x 1\\ny 2\\n' | while read n v; do echo $n=$((v * 2)); done", (0, "x=2\ny=4\n", "")),
        ("echo $((1 + 2 * 3)) $((7 % 4)) $((5 > 3)) $((i += 2)) $i", (0, "7 3 1 2 2\n", "")),
        ("echo $((1 / 0)); echo on", (2, "", "sh: divide by zero\n")),
        ("set -e; false; echo on", (1, "", "")),
        ("set -u; echo ${none}", (2, "", "sh: none: parameter not set\n")),
        ("trap 'echo bye' EXIT; exit 4", (4, "bye\n", "")),
        ("ls /none > /tmp/o 2>&1; cat /tmp/o", (0, "ls: /none: No such file or directory\n", "")),
        ("echo one; echo two >&2", (0, "one\n", "two\n")),
        ("x=1; env | grep -c ^x=; export x; env | grep ^x=", (0, "0\nx=1\n", "")),
        ("sh -c 'echo $0 $1' a b", (0, "a b\n", "")),
        ("(cd /tmp; pwd); pwd", (0, "/tmp\n/\n", "")),
        ("sleep 100 & echo started; wait", (0, "started\n", "")),
        ("echo ${COLOUR/ /-} ${COLOUR:0:4} ${COLOUR#dark } ${none:-x}", (0, "dark-blue dark blue x\n", "")),
        ("cd /none", (2, "", "sh: cd: line 0: can't cd to /none: No such file or directory\n")),
        ("/etc/passwd", (126, "", "sh: /etc/passwd: Permission denied\n")),
        ("printf '#!/bin/sh\\necho hi $1\\nexit 4\\n' > /tmp/s; chmod +x /tmp/s; /tmp/s you", (4, "hi you\n", "")),
        ("seq 5 | sed -n '2,3p;$p'", (0, "2\n3\n5\n", "")),
        ("echo a/b | sed -E 's#(\\w)/(\\w)#\\2/\\1#'; echo x | sed 'a y'", (0, "b/a\nx\ny\n", "")),
        ("sed p", (0, "", "")),
        ("sed 'k'", (1, "", "sed: unsupported command k\n")),
        ("printf 'a 1\\nb 2\\n' | awk '{s += $2; n[$1]++} END {printf \"%d %s\\n\", s, n[\"a\"]}'", (0, "3 1\n", "")),
        ("awk -F: '$3 > 1000 {print $1}' /etc/passwd", (0, "nobody\n", "")),
        ("awk '{'", (1, "", "awk: cmd. line:1: Unexpected token\n")),
        ("printf 'b 2\\na 10\\n' | sort -k2 -n; printf '2\\n10\\n' | sort", (0, "b 2\na 10\n10\n2\n", "")),
        ("printf 'a\\nb\\nc\\n' | grep -A1 -n a; echo ab | grep -o b", (0, "1:a\n2-b\nb\n", "")),
        ("printf '1\\n2\\n' | xargs -I{} echo n{}; echo a b | xargs -n1", (0, "n1\nn2\na\nb\n", "")),
        ("find /etc -name 'host*' -type f | sort; find /none", (1, "/etc/hostname\n/etc/hosts\n", "find: /none: No such file or directory\n")),
        ("echo aGkK | base64 -d; printf aGkK= | base64 -d", (0, "hi\nhi\n", "")),
        ("timeout 2 sleep 5; echo $?", (0, "143\n", "")),
        ("kill 999", (1, "", "sh: can't kill pid 999: No such process\n")),
        ("vi /etc/hosts", (1, "", "vi: can't read user input\n")),
        ("printenv HOME", (127, "", "sh: printenv: not found\n")),
        ("IFS=: read -r a b < /etc/passwd; echo $a", (0, "root\n", "")),
        ("printf '%5.2f|%-4s|%03d|%x\\n' 3.14159 ab 7 255; printf %d x", (1, " 3.14|ab  |007|ff\n0", "sh: invalid number 'x'\n")),
        ("ls /proc/1/fd", (0, "0\n1\n2\n", "")),
    ],
)  # fmt: skip
def test_busybox(box: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert box.shell("box", script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("nosuch", (127, "", "sh: 1: nosuch: not found\n")),
        ("bash -c nosuch", (127, "", "bash: line 1: nosuch: command not found\n")),
        ("cat /none; ls /none; head /none", (1, "", "cat: /none: No such file or directory\nls: cannot access '/none': No such file or directory\nhead: cannot open '/none' for reading: No such file or directory\n")),
        ("rm /none; mkdir /etc", (1, "", "rm: cannot remove '/none': No such file or directory\nmkdir: cannot create directory '/etc': File exists\n")),
        ("echo x > /none/x", (2, "", "sh: 1: cannot create /none/x: Directory nonexistent\n")),
        ("timeout 1 sleep 5; echo $?", (0, "124\n", "")),
        ("bash -c '[[ abc == a* && -d /etc ]] && echo yes'", (0, "yes\n", "")),
        ("printenv NOTHING", (1, "", "")),
        ("cat /etc/os-release | head -1", (0, 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', "")),
    ],
)  # fmt: skip
def test_debian(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    shop.start_mongo()
    shop.run(5)
    assert shop.shell("mongodb-stock", script) == expected


def test_each_command_in_a_container_has_a_number_of_its_own(box: Any) -> None:
    numbers = [box.shell("box", "ps | tail -1")[1].split()[0] for _ in range(3)]
    assert numbers == ["8", "14", "20"]


def test_a_script_that_is_killed_ends_with_its_own_words(shop: Any) -> None:
    shop.start("web", "registry.example/shop/web:1.0", "4")
    shop.run(1)
    assert shop.shell("web", "kill 1") == (0, "", "")
    shop.run(1)
    assert (shop.texts("web")[-1], shop.ended("web")) == (
        "web: got SIGTERM, stopping",
        ExitState(0, "Completed"),
    )


def test_a_tool_that_is_killed_does_not_notice(box: Any) -> None:
    assert box.shell("box", "kill 1; kill -9 1") == (0, "", "")
    box.run(5)
    assert box.ended("box") is None


def test_a_script_handles_signals_once_its_command_is_over(shop: Any) -> None:
    script = "trap 'echo asked to stop; exit 9' TERM; while :; do sleep 2; done"
    shop.start_box("sh", "-c", script)
    shop.run(1)
    assert shop.shell("box", "kill 1") == (0, "", "")
    shop.run(2)
    assert (shop.texts("box"), shop.ended("box")) == (["asked to stop"], ExitState(9, "Error"))


def test_what_is_written_to_the_first_process_is_logged(box: Any) -> None:
    box.shell("box", "echo here > /proc/1/fd/1")
    assert box.texts("box") == ["here"]
