"""The agent `shell`: real commands, their environment, and their end."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_agent_shell.shell import Shell
from sregym_agents.testing import LeapingWall
from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Stage
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]
SUBMIT = f"{sys.executable} -m sregym_core submit"


def variables(log: Path) -> dict[str, str]:
    """What `env -0` wrote."""
    pairs = log.read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def test_a_command_is_needed() -> None:
    with pytest.raises(UsageError) as refused:
        Shell({})
    assert str(refused.value) == (
        "agent 'shell' needs a command: --agent-option command='./my-agent'"
    )


def test_the_environment(
    new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SREGYM_PLUGINS", "a,b")
    monkeypatch.setenv("SREGYM_ANYTHING", "secret of the harness")
    monkeypatch.setenv("KUBECONFIG", "/the/users/own")
    monkeypatch.setenv("API_KEY_OF_THE_AGENT", "kept")
    session = new_session()
    Shell({"command": "exec env -0"}).run(session)
    seen = variables(folder / "agent.log")
    ours = {name: value for name, value in seen.items() if name.startswith(("SREGYM", "KUBE"))}
    assert ours == {
        "KUBECONFIG": str(folder / "kubeconfig"),
        "SREGYM_EPISODE": str(folder),
        "SREGYM_INSTRUCTION": session.instruction,
        "SREGYM_MODE": "standard",
    }
    assert seen["API_KEY_OF_THE_AGENT"] == "kept"


def test_it_submits_and_says_goodbye(new_session: NewSession, folder: Path) -> None:
    session = new_session()
    script = f"pwd; {SUBMIT} 'the cart'; {SUBMIT} repaired; echo bye; echo complaint >&2; exit 7"
    Shell({"command": script}).run(session)
    assert session.submissions == ["the cart", "repaired"]
    assert (folder / "agent.log").read_text() == (
        f"{folder}\ndiagnosis received; mitigation comes next\n"
        "mitigation received; the episode ends\nbye\ncomplaint\n"
    )


def test_a_command_that_crashes(new_session: NewSession, folder: Path) -> None:
    session = new_session()
    with pytest.raises(RuntimeError) as crashed:
        Shell({"command": "echo no model; exit 3"}).run(session)
    assert str(crashed.value) == (
        "command 'echo no model; exit 3' ended with exit code 3; its output is in "
        f"{folder / 'agent.log'}"
    )
    assert (folder / "agent.log").read_text() == "no model\n"
    assert session.stage is Stage.DIAGNOSIS


def test_a_command_that_is_not_there(new_session: NewSession, folder: Path) -> None:
    with pytest.raises(RuntimeError) as crashed:
        Shell({"command": "./my-agent"}).run(new_session())
    assert str(crashed.value) == (
        f"command ./my-agent ended with exit code 127; its output is in {folder / 'agent.log'}"
    )


def test_a_command_that_hangs_is_ended_with_its_children(
    new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids_file = folder / "pids"
    wall = LeapingWall(lambda: pids_file.exists() and pids_file.read_text().count("\n") == 2)
    monkeypatch.setattr("sregym_agents.command_line.process.time", wall)
    # Two children, one of which does not listen to the friendly signal.
    script = "sleep 300 & echo $! >> pids; (trap '' TERM; sleep 300) & echo $! >> pids; wait"
    with pytest.raises(BudgetExceededError) as over:
        Shell({"command": script}).run(new_session())
    assert str(over.value) == "the budget of 60 wall-clock seconds is used up"
    pids = [int(line) for line in pids_file.read_text().split()]
    assert _gone(pids)


def _gone(pids: list[int]) -> bool:
    """Whether all of them end; dying of a signal takes the kernel a moment."""
    never = threading.Event()
    return any(not any(map(_alive, pids)) or never.wait(0.01) for _ in range(6000))


def _alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has buried yet does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
