"""Ways out of an isolation, and the command line that makes it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from sregym_agents.isolation import Bubblewrap, Route, bubblewrap, routes_of


def test_routes_keep_the_addresses_of_the_session() -> None:
    endpoints = ("http://127.0.0.1:81", "http://127.0.0.1:82/mcp", "http://127.0.0.1:82/mcp/logs")
    assert routes_of(endpoints, ("models.example:443", "localhost:8000")) == (
        Route(("127.0.0.1", 81), ("127.0.0.1", 81)),
        Route(("127.0.0.1", 82), ("127.0.0.1", 82)),
        Route(("127.0.1.1", 443), ("models.example", 443), "models.example"),
        Route(("127.0.0.1", 8000), ("127.0.0.1", 8000)),
    )


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")
def test_the_command_line(tmp_path: Path) -> None:
    routes = routes_of((), ("models.example:443",))
    walls = Bubblewrap(tmp_path, tmp_path)
    words = walls.command(("agent", "--now"), routes, {"kubeconfig": tmp_path / "kubeconfig"})
    assert words[-5:] == [
        "/session/enter.py",
        '[["127.0.1.1", 443]]',
        "/session/sockets",
        "agent",
        "--now",
    ]
    assert {"--unshare-all", "--die-with-parent", "--new-session"} <= set(words)
    assert (tmp_path / "hosts").read_text() == "127.0.0.1 localhost\n127.0.1.1 models.example\n"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")
def test_what_is_shared_may_lie_below_a_place_named_like_the_agents_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "work"
    program = outside / "programs" / "greet"
    program.parent.mkdir(parents=True)
    program.write_text("hello")
    monkeypatch.setattr(bubblewrap, "WORK", str(outside))
    scratch, own = tmp_path / "scratch", tmp_path / "own"
    (scratch / "sockets").mkdir(parents=True)
    own.mkdir()
    (own / "notes").write_text(" world")
    walls = Bubblewrap(scratch, own, (program.parent,))
    command = walls.command(("cat", str(program), "notes"), (), {})
    done = subprocess.run(command, env=walls.environment({}), capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"hello world", b"", 0)
