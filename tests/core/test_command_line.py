"""The command line with no plugin at all: it works, and says what is missing."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.cli import Console
from sregym_core.cli.entry import run

from sregym_core import __version__

Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.setenv("SREGYM_PLUGINS", "")
    monkeypatch.delenv("SREGYM_EPISODE", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        code = run(words, Console(out, err))
        return code, out.getvalue(), err.getvalue()

    return call


def test_version(invoke: Invoke) -> None:
    assert invoke("--version") == (0, f"sregym {__version__}\n", "")


def test_help_names_every_command(invoke: Invoke) -> None:
    code, out, err = invoke("--help")
    listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert (code, err) == (0, "")
    assert listed == [
        "plugins",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("plugns",), "no command named 'plugns'; did you mean 'plugins'? (see: sregym --help)"),
        (("--quick",), "unknown option '--quick' (see: sregym --help)"),
        (
            ("run", "x"),
            "no command named 'run'. It comes with sregym-runs: pip install sregym-runs. Known: plugins",
        ),
        (
            ("new", "injector", "dns"),
            "no command named 'new'. It comes with sregym-dev: pip install sregym-dev. Known: plugins",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_4(
    invoke: Invoke, words: tuple[str, ...], message: str
) -> None:
    assert invoke(*words) == (4, "", f"sregym: {message}\n")


def test_plugins_are_listed_also_when_blocked(invoke: Invoke) -> None:
    code, out, err = invoke("plugins", "--json")
    listed = json.loads(out)
    assert (code, err) == (0, "")
    assert {plugin["state"] for plugin in listed} <= {"blocked"}
    assert all(plugin["reason"] == "not in SREGYM_PLUGINS" for plugin in listed)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "")
    err = io.StringIO()
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        code = run(("plugins", "--json"), Console(full, err))
    assert (code, err.getvalue()) == (
        4,
        "sregym: No space left on device at standard output; make room, or choose another folder; "
        "what was written until then stands\n",
    )


def test_a_full_disk_with_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "")
    err = io.StringIO()
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        code = run(("plugins", "--json", "--traceback"), Console(full, err))
    first, *_, last, advice = err.getvalue().splitlines()
    assert (code, first, last, advice) == (
        3,
        "sregym: internal error: Traceback (most recent call last):",
        "OSError: [Errno 28] No space left on device: 'standard output'",
        "(please report it)",
    )


def test_an_error_that_nobody_foresaw(monkeypatch: pytest.MonkeyPatch) -> None:
    class Torn(io.StringIO):
        def write(self, _text: str) -> int:
            raise RuntimeError("torn")

    monkeypatch.setenv("SREGYM_PLUGINS", "")
    err = io.StringIO()
    assert (run(("plugins", "--json"), Console(Torn(), err)), err.getvalue()) == (
        3,
        "sregym: internal error: RuntimeError: torn\n"
        "(add --traceback to see where; please report it)\n",
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--version >&-", (0, "", "")),
        ("--version <&- 2>&-", (0, f"sregym {__version__}\n", "")),
        ("problms 2>/dev/full", (4, "", "")),
        ("--version >/dev/full 2>&1", (4, "", "")),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_words_that_nobody_takes(
    words: str, expected: tuple[int, str, str], unbuffered: str
) -> None:
    command = f"{shlex.quote(sys.executable)} -m sregym_core {words}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == expected


@pytest.mark.parametrize("closed", [(), (1,), (0, 2), (0, 1, 2)])
def test_programs_that_are_started_have_standard_streams(closed: tuple[int, ...]) -> None:
    """What is opened later does not get the number of a closed one, nor what is printed."""
    script = (
        "import os, subprocess, sys\n"
        "from sregym_core import __main__\n"
        "__main__._open_what_is_closed()\n"
        f"told = [os.path.samestat(os.fstat(n), os.stat(os.devnull)) for n in {closed}]\n"
        "child = ['/bin/sh', '-c', 'echo said; echo told >&2']\n"
        "code = subprocess.run(child, check=False).returncode\n"
        "os._exit(0 if (all(told), code) == (True, 0) else 1)\n"
    )
    words = " ".join(("<&-", ">&-", "2>&-")[number] for number in closed)
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {words}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "" if 1 in closed else "said\n",
        "" if 2 in closed else "told\n",
    )
