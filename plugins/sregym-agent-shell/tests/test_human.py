"""The adapter behind `sregym up`: it waits for whoever comes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from sregym_agent_shell.human import Human
from sregym_testing import ScriptedSession


def test_it_serves_until_both_stages_are_submitted(
    new_session: Callable[..., ScriptedSession], folder: Path
) -> None:
    session = new_session()
    submit = [sys.executable, "-m", "sregym_core", "submit"]
    answers = []

    def visit() -> None:
        while not (folder / "session.json").exists():
            session.clock.now()
        for text in ("the cart", "repaired"):
            done = subprocess.run(
                [*submit, text],
                env={"SREGYM_EPISODE": str(folder)},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            answers.append((done.returncode, done.stdout, done.stderr))

    visitor = Thread(target=visit)
    visitor.start()
    Human().run(session)
    visitor.join()
    assert answers == [
        (0, "diagnosis received; mitigation comes next\n", ""),
        (0, "mitigation received; the episode ends\n", ""),
    ]
    assert session.submissions == ["the cart", "repaired"]
    address = json.loads((folder / "session.json").read_text())
    assert sorted(address) == ["gateway", "token"]
    assert (folder / "session.json").stat().st_mode & 0o077 == 0
