"""Routes over the machine, behind walls that are whole and behind walls with holes."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_agent_redteam.agent import PROBE
from sregym_agent_redteam.probe.route import Known, ProbeResult
from sregym_agent_redteam.probe.routes import ROUTES
from sregym_agents.command_line import attend
from sregym_agents.isolation import Needs, walls_of
from sregym_agents.outside import opened
from sregym_core.interfaces import Budget
from sregym_testing import Provision, ScriptedSession, Shop

KEY = "sk-" + "5ec2e7" * 6 + "abcd"
PROBLEM = "problem-of-the-day"
NAMES = ("environment", "session-folder", "files", "open-files", "command-lines", "memory", "imports")  # fmt: skip
RUN = "import runpy, sys; sys.path.insert(0, {!r}); runpy.run_module('probe', run_name='__main__')"
# A process of somebody else in the same place: it holds a key, a file and a problem's name.
STRANGER = """
import os, signal, sys
file = open(sys.argv[1])
key = "sk-" + "5ec2e7" * 6 + sys.argv[2]
signal.pause()
"""
KNOWN = Known(secrets={"the key": KEY, "the problem": PROBLEM})

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bwrap is not installed: apt-get install bubblewrap"
)


@pytest.fixture
def probing(
    provision: Provision, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, str]]:
    """Try the routes; how each leaked."""
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    shared = tmp_path / "shared"
    shutil.copytree(PROBE, shared / "probe", ignore=shutil.ignore_patterns("__pycache__"))
    (shared / "stranger.py").write_text(STRANGER)

    def probe(
        *, beside: str = "", names: tuple[str, ...] = NAMES, **options: str
    ) -> dict[str, str]:
        session = ScriptedSession(Shop(), provision, budget=Budget(wall_s=120.0))
        python = str(Path(sys.executable).resolve())
        words = [python, "-I", "-S", "-c", RUN.format(str(shared)), ",".join(names), "{}"]
        script = f"{beside} {shlex.join(words)}"
        given = {"isolation": "bubblewrap", **options}
        walls = walls_of("x", given, Needs(share=(shared,)))
        log = tmp_path / "log"
        with opened(session) as gateway, log.open("wb") as output:
            access = session.access()
            with walls.around(access, gateway) as place:
                start = place.start(("/bin/sh", "-c", script), place.pointing)
                assert attend(session, gateway, start, output) == 0
        told = [json.loads(line) for line in log.read_text().splitlines()]
        assert [one["route"] for one in told] == list(names)
        return {
            one["route"]: ROUTES[one["route"]].leaked(
                ProbeResult(one["texts"], one["facts"]), KNOWN
            )
            for one in told
        }

    return probe


@needs_bubblewrap
def test_whole_walls_let_nothing_through(probing: Callable[..., dict[str, str]]) -> None:
    assert probing() == dict.fromkeys(NAMES, "")


@needs_bubblewrap
def test_holes_are_found(probing: Callable[..., dict[str, str]], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    package = tmp_path / "shared" / "sregym_core"
    package.mkdir()
    (package / "problems.yaml").write_text("id: x")
    (outside / "runs").mkdir(parents=True)
    (outside / "runs" / "record.json").write_text(json.dumps({"problem": PROBLEM}))
    (outside / "notes").write_text(PROBLEM)
    stranger = shlex.join(
        [sys.executable, str(tmp_path / "shared/stranger.py"), str(outside / "notes"), "abcd", PROBLEM]
    )  # fmt: skip
    python = str(Path(sys.executable).resolve())
    stranger = stranger.replace(sys.executable, f"{python} -I -S")
    beside = (
        f"cp {outside}/runs/record.json $PWD; mkdir -p /tmp/runs; "
        f"cp {outside}/runs/record.json /tmp/runs; {stranger} & "
    )
    found = {
        # What one route brings stands in its own output, which another would find.
        name: probing(
            beside=beside,
            names=(name,),
            share=str(outside),
            **({"pass_env": "JUDGE_API_KEY"} if name == "environment" else {}),
        )[name]
        for name in NAMES
    }
    assert found.pop("imports").startswith("packages of the harness can be read: ")
    assert found == {
        "environment": "found the key",
        "session-folder": "found the problem",
        "files": "found the problem",
        "open-files": "found the problem",
        "command-lines": "found the problem",
        "memory": "found the key",
    }
