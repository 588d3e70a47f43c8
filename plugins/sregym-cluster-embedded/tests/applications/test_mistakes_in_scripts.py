"""What shells and commands say of mistakes: texts and codes that BusyBox, dash and bash printed."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def box(shop: Any) -> Any:
    shop.start_box("sleep", "3600")
    shop.run(1)
    return shop


WC = """BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.

Usage: wc [-cmlwL] [FILE]...

Count lines, words, and bytes for FILEs (or stdin)

\t-c\tCount bytes
\t-m\tCount characters
\t-l\tCount newlines
\t-w\tCount words
\t-L\tPrint longest line length
"""


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("wc -z", (1, "", f"wc: invalid option -- 'z'\n{WC}")),
        ("wc --help", (0, "", WC)),
        ("cd /no\nnosuch\ncd /no", (2, "", "sh: cd: line 0: can't cd to /no: No such file or directory\n"
         "sh: nosuch: not found\nsh: cd: line 2: can't cd to /no: No such file or directory\n")),
        (
            "printf 'cd /no\\nnosuch\\n' > /tmp/s; sh /tmp/s",
            (127, "", "/tmp/s: cd: line 1: can't cd to /no: No such file or directory\n"
             "/tmp/s: line 2: nosuch: not found\n"),
        ),
        (
            "printf 'nosuch\\ncd /no\\n' > /tmp/s; . /tmp/s; nosuch",
            (127, "", "sh: /tmp/s: line 1: nosuch: not found\n"
             "sh: cd: line 2: can't cd to /no: No such file or directory\nsh: nosuch: not found\n"),
        ),
        *(
            (script, (2, "", "sh: syntax error: bad substitution\n"))
            for script in ("case a in ${a[1]}) ;; esac; echo no", "for i in ${a[1]}; do :; done; echo no",
                           "echo a > ${a[1]}; echo no", "cat <<E\n${a[1]}\nE\necho no")
        ),
        ("echo a; (echo ${a[1]}); echo after", (0, "a\nafter\n", "sh: syntax error: bad substitution\n")),
        ("case b in [z-a]) echo y;; [[:digit:]]) echo d;; [!b]) echo a;; []b]) echo n;; esac", (0, "n\n", "")),
        ("case '[' in [) echo y;; esac", (0, "y\n", "")),
        ("x=$(printf 'a\\nb.c.d'); echo \"${x%.*}|${x%%.*}|${x#*.}|${x##*.}|${x#*b}|${x%q}\"",
         (0, "a\nb.c|a\nb|c.d|d|.c.d|a\nb.c.d\n", "")),
        ("sh -c 'sh -c \"echo in\"' & wait; echo out", (0, "in\nout\n", "")),
        ("id nosuch", (1, "", "id: unknown user nosuch\n")),
        ("[ a = ]", (2, "", "sh: =: argument expected\n")),
        ("[ a b ]", (2, "", "sh: b: unknown operand\n")),
        ("[ ! a = a -o b = b ]", (0, "", "")),
        ("readonly r=1; r=2; echo no", (2, "", "sh: r: is read only\n")),
        ("set -u; echo $none; echo no", (2, "", "sh: none: parameter not set\n")),
        ("set -q", (2, "", "sh: set: line 0: illegal option -q\n")),
        ("set -x; a=1; [ $a = 1 ] && echo 'x y'",
         (0, "x y\n", "+ a=1\n+ '[' 1 '=' 1 ]\n+ echo 'x y'\n")),
        ("f() { local v=1; echo $v; }; v=0; f; echo $v", (0, "1\n0\n", "")),
        ("local v=1", (2, "", "sh: local: line 0: not in a function\n")),
        ("for i in 1 2; do for j in a b; do break 2; done; done; echo $i$j", (0, "1a\n", "")),
        ("exec 3>/tmp/x; echo hi >&3; cat /tmp/x; echo a >&4",
         (1, "hi\n", "sh: 4: Bad file descriptor\n")),
        ("printf 'a\\nb\\n' > /tmp/x; exec 3</tmp/x; read x <&3; read y <&3; echo $y$x",
         (0, "ba\n", "")),
        ("set -- -a -b val rest; while getopts ab: o; do echo $o $OPTARG; done; echo $OPTIND",
         (0, "a\nb val\n4\n", "")),
        ("while true; done", (2, "", 'sh: syntax error: unexpected "done" (expecting "do")\n')),
        ("if; then", (2, "", 'sh: syntax error: unexpected ";"\n')),
        (". /no; echo no", (2, "", "sh: .: line 0: can't open '/no': No such file or directory\n")),
        ("trap '' NONE", (1, "", "sh: trap: line 0: NONE: invalid signal specification\n")),
        ("cat <<EOF", (0, "", "")),
        ("let x=3*2; echo $x", (0, "6\n", "")),
        ("type if cd ls f", (127, "if is a shell keyword\ncd is a shell builtin\nls is /bin/ls\n"
         "f: not found\n", "")),
    ],
)  # fmt: skip
def test_busybox(box: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert box.shell("box", script) == expected


@pytest.mark.parametrize(
    ("shell", "script", "expected"),
    [
        ("sh", "cd /no", (2, "", "sh: 1: cd: can't cd to /no\n")),
        ("sh", "[ a b ]", (2, "", "sh: 1: [: a: unexpected operator\n")),
        ("sh", "if", (2, "", 'sh: 1: Syntax error: end of file unexpected (expecting "then")\n')),
        ("sh", "echo a\nfi", (2, "", 'sh: 2: Syntax error: "fi" unexpected\n')),
        ("sh", "shift 9", (2, "", "sh: 1: shift: can't shift that many\n")),
        ("bash", "[ a b ]", (2, "", "bash: line 1: [: a: unary operator expected\n")),
        ("bash", "[ a b c ]", (2, "", "bash: line 1: [: b: binary operator expected\n")),
        ("bash", "set -u; echo $none", (127, "", "bash: line 1: none: unbound variable\n")),
        ("bash", "readonly r=1; r=2", (1, "", "bash: line 1: r: readonly variable\n")),
        ("bash", "set -x; a='b c'; : $a",
         (0, "", "+ a='b c'\n+ : b c\n")),
        ("sh", "[[ a = a ]]", (127, "", "sh: 1: [[: not found\n")),
        ("sh", "x=abc; echo ${x:1}", (2, "", "sh: 1: Bad substitution\n")),
        ("sh", "echo $((1/0))", (2, "", 'sh: 1: arithmetic expression: division by zero: "1/0"\n')),
        ("sh", "set -o pipefail", (2, "", "sh: 1: set: Illegal option -o pipefail\n")),
        ("sh", "echo {a,b}{1..2}", (0, "{a,b}{1..2}\n", "")),
        ("bash", "echo {a,b}{1..2} x{01..03}y ${HOME}{,.bak} {1} {c..a}",
         (0, "a1 a2 b1 b2 x01y x02y x03y /root /root.bak {1} c b a\n", "")),
        ("bash", "echo $((1/0))", (1, "", 'bash: line 1: 1/0: division by 0 (error token is "0")\n')),
        ("bash", "env 'a[x]=1' bash -c 'a+=(2); echo ${a[@]}'", (0, "2\n", "")),
        ("bash", "for i in ${a b}; do :; done; echo no", (1, "", "bash: line 1: ${a b}: bad substitution\n")),
        ("bash", "echo ${x?gone}", (127, "", "bash: line 1: x: gone\n")),
        ("bash", "echo a | | b", (2, "", "bash: -c: line 1: syntax error near unexpected token `|'\n"
         "bash: -c: line 1: `echo a | | b'\n")),
        ("bash", "[ a = b", (2, "", "bash: line 1: [: missing `]'\n")),
        ("bash", "cat < /none", (1, "", "bash: line 1: /none: No such file or directory\n")),
        ("bash", "printf -v x %03d 7; echo $x; wait 99; echo $?", (0, "007\n127\n",
         "bash: line 1: wait: pid 99 is not a child of this shell\n")),
        ("sh", "rm", (1, "", "rm: missing operand\nTry 'rm --help' for more information.\n")),
        ("sh", "cp a", (1, "", "cp: missing destination file operand after 'a'\n"
         "Try 'cp --help' for more information.\n")),
        ("sh", "ls -y", (2, "", "ls: invalid option -- 'y'\nTry 'ls --help' for more information.\n")),
        ("sh", "uname x", (1, "", "uname: extra operand 'x'\n"
         "Try 'uname --help' for more information.\n")),
    ],
)  # fmt: skip
def test_debian(shop: Any, shell: str, script: str, expected: tuple[int, str, str]) -> None:
    shop.start_mongo()
    shop.run(1)
    assert shop.shell("mongodb-stock", script, shell) == expected
