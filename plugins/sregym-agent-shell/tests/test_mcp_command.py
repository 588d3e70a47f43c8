"""`sregym mcp` outside of any session; inside of one it is tested end to end."""

from __future__ import annotations

from collections.abc import Callable

from sregym_core.errors import ExitCode
from sregym_testing import SregymProject


def test_without_a_session(sregym_project: Callable[..., SregymProject]) -> None:
    done = sregym_project().run("mcp", "--only", "logs")
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: no session found in 'sregym-session'; set SREGYM_EPISODE to the folder that "
        "`sregym up` named\n",
    )


def test_with_a_session_that_is_gone(sregym_project: Callable[..., SregymProject]) -> None:
    address = '{"gateway": "http://127.0.0.1:1", "token": "t"}'
    done = sregym_project({"sregym-session/session.json": address}).run("mcp")
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
    assert done.err == (
        "sregym: the session at http://127.0.0.1:1 does not answer: Cannot connect to host "
        "127.0.0.1:1 ssl:default [Connect call failed ('127.0.0.1', 1)]; is it still running?\n"
    )
