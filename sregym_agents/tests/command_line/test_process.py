"""How a command ends; the rest is tested with the agent `shell`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.command_line import attend, process
from sregym_agents.gateway import Gateway
from sregym_agents.isolation import Start
from sregym_agents.isolation.limits import Limits
from sregym_testing import ScriptedSession

GOODBYE = """
use("submit", text="the cart")
use("submit", text="repaired")
tell(said=use("kubectl", command="kubectl delete namespace shop"))
tell(said=use("submit", text="again"))
"""


def test_after_the_last_submission_nothing_is_done(
    acme: Callable[..., Any], new_session: Callable[..., ScriptedSession]
) -> None:
    session = new_session()
    acme(GOODBYE).run(session)
    assert [call.tool for call in session.transcript] == ["submit", "submit"]
    assert session.last_words == "the session is over\n\nthe session is over\n\n(end)"


def test_a_command_does_not_fill_the_disk(
    new_session: Callable[..., ScriptedSession], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "WRITTEN_CAP_BYTES", 1 << 20)
    session = new_session()
    start = Start(("/bin/sh", "-c", "yes >&2"), dict(os.environ), tmp_path)
    output, errors = tmp_path / "output", tmp_path / "errors"
    with (
        Gateway(session) as gateway,
        output.open("wb") as out,
        errors.open("wb") as err,
        pytest.raises(RuntimeError) as ended,
    ):
        attend(session, gateway, start, out, err)
    assert str(ended.value) == f"the command wrote more than 1 MiB to {errors}"


def test_why_a_command_was_ended_is_told(
    new_session: Callable[..., ScriptedSession], tmp_path: Path
) -> None:
    command = (sys.executable, "-c", "kept = []\nwhile True: kept.append(bytearray(1 << 20))")
    start = Start(command, dict(os.environ), tmp_path, Limits(memory_mib=64))
    session = new_session()
    with (
        Gateway(session) as gateway,
        (tmp_path / "output").open("wb") as out,
        pytest.raises(RuntimeError) as ended,
    ):
        attend(session, gateway, start, out)
    assert str(ended.value) == "the command was ended: more than 64 MiB of memory"
    assert (tmp_path / "output").read_text() == f"{ended.value}\n"


# Its parent is the supervisor; what it leaves hides in a session of its own.
MUTINY = """
import os, signal
supervisor = os.getppid()
ready, hidden = os.pipe()
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    os.write(hidden, b".")
    signal.pause()
os.read(ready, 1)
os.kill(supervisor, signal.SIGKILL)
signal.pause()
"""


def test_who_kills_its_supervisor_ends_all_the_same(
    new_session: Callable[..., ScriptedSession], tmp_path: Path
) -> None:
    environment = {**os.environ, "KUBECONFIG": str(tmp_path / "kubeconfig")}
    start = Start((sys.executable, "-c", MUTINY), environment, tmp_path)
    session = new_session()
    with Gateway(session) as gateway, (tmp_path / "output").open("wb") as out:
        assert attend(session, gateway, start, out) == -9
    left = int((tmp_path / "output").read_text())
    with pytest.raises(ProcessLookupError):
        _look(left)


def _look(pid: int) -> None:
    """Raise when a process is gone, or is but waited for by nobody."""
    os.kill(pid, 0)
    if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
        raise ProcessLookupError


def test_behind_walls_no_process_is_looked_for(tmp_path: Path) -> None:
    """Their kubeconfig has the same place in every session."""
    environment = {**os.environ, "KUBECONFIG": "/session/kubeconfig"}
    with subprocess.Popen(["sleep", "30"], env=environment) as other:
        process.end_orphans(Start(("true",), environment, tmp_path))
        assert other.poll() is None
        other.kill()
