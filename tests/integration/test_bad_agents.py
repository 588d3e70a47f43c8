"""Agents that say nothing, too much, too late, crash, hang, fork or write without end.

Whatever they do, the episode ends with a verdict and a reason, its record is complete, the world is
given back and nothing of them is left.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.api import Workspace, play
from sregym_core.errors import ExitCode
from sregym_core.interfaces import Budget
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Projects = Callable[..., SregymProject]
NOTHING = "diagnosis: nothing was submitted"
ENDED = f"{NOTHING}; the agent raised RuntimeError: the command was ended: more than"
START = """\
import http.client, json, os, signal, socket, sys
from pathlib import Path
address = json.loads((Path(os.environ["SREGYM_EPISODE"]) / "session.json").read_text())
place = address["gateway"].removeprefix("http://")
def submit(text):
    connection = http.client.HTTPConnection(place, timeout=30)
    body = text if isinstance(text, bytes) else json.dumps({"text": text}).encode()
    connection.request("POST", "/submit", body, {"Authorization": "Bearer " + address["token"]})
    return connection.getresponse().status
def say(*statuses):
    print(json.dumps(statuses), flush=True)
"""
OVER = "the budget of 2 wall-clock seconds is used up"
CASES = {
    "silent": ("", NOTHING),
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", NOTHING),
    "crashes-half-way": ('submit("no idea"); os.kill(os.getpid(), 9)', "diagnosis: score 0.00"),
    "hangs": ("signal.pause()", f"{NOTHING}; {OVER}"),
    "hangs-deaf": (
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nsignal.pause()",
        f"{NOTHING}; {OVER}",
    ),
    "forks": ("[os.fork() for _ in range(10)]; signal.pause()", f"{ENDED} 512 processes"),
    "takes-all-memory": (
        "kept = []\nwhile True: kept.append(bytearray(1 << 24))",
        f"{ENDED} 512 MiB of memory",
    ),
    "leaves-children": (
        "if os.fork() == 0:\n    os.setsid(); signal.signal(15, signal.SIG_IGN); signal.pause()",
        NOTHING,
    ),
    "fills-the-disk": ('f = open("large", "wb")\nwhile True: f.write(bytes(1 << 24))', NOTHING),
    "writes-without-end": ('while True: os.write(1, b"x" * 65536)', NOTHING),
    "hangs-up": (
        "for _ in range(50):\n"
        '    s = socket.create_connection(place.split(":"))\n'
        '    s.sendall(b"POST /submit HTTP/1.1\\r\\nContent-Length: 99\\r\\n\\r\\n{"); s.close()\n'
        'say(submit("no idea"), submit("done"))',
        "diagnosis: score 0.00",
    ),
    "talks-nonsense": (
        'say(submit(b"{"), submit(b"[]"), submit(b"[" * 100000), submit(b"\\xff"),\n'
        '    submit(b\'{"text": "\\\\ud800"}\'), submit(b\'{"text": 7}\'), submit("x" * 2000000))',
        NOTHING,
    ),
    "says-too-much": ('say(submit("x" * 70000), submit("no idea"))', "diagnosis: score 0.00"),
    "repeats-itself": ("say(*[submit('no idea') for _ in range(2)])", "diagnosis: score 0.00"),
}
# Who does not end by themselves are ended by the budget; the others have time.
HANGING = ("hangs", "hangs-deaf")
SAID = {
    "hangs-up": [200, 200],
    "talks-nonsense": [400, 400, 400, 400, 400, 400, 413],
    "says-too-much": [200, 200],
    "repeats-itself": [200, 200],
}


def left(mark: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in text:
            found.append(text)
    return found


@pytest.fixture(scope="module")
def warm(workspace: Workspace) -> Workspace:
    """Its world stands already: each episode begins with a copy."""
    problem = workspace.problem(PROBLEM)
    application = workspace.application(problem.application)
    workspace.worlds("embedded").prepare(application, problem.timing.warm_up_s, 0)
    return workspace


@pytest.mark.parametrize("case", CASES)
def test_the_episode_ends_with_a_verdict(case: str, warm: Workspace, tmp_path: Path) -> None:
    script, reason = CASES[case]
    program, folder = tmp_path / "bad_agent.py", tmp_path / "e0001"
    program.write_text(f"{START}{script}\n")
    folder.mkdir()
    record = play(
        PROBLEM,
        "shell",
        agent_options={
            "command": f"exec {sys.executable} {program}",
            "memory_mib": str(512 if case == "takes-all-memory" else 1 << 20),
        },
        budget=Budget(wall_s=2.0 if case in HANGING else 60.0),
        folder=folder,
        workspace=warm,
    )
    assert (str(record.outcome), record.recovered) == ("fail", True)
    assert record.reason.startswith(reason)
    assert [entry.event for entry in record.timeline][-2:] == ["Recovered", "EpisodeFinished"]
    for stage in (record.diagnosis, record.mitigation):
        assert stage is not None
        assert str(stage.verdict.outcome) == "fail"
    if case in SAID:
        assert json.loads((folder / "agent.log").read_text()) == SAID[case]
    assert left(str(program)) == []


MUTINY = """\
import os, signal
from pathlib import Path
supervisor = os.getppid()
worker = int(Path(f"/proc/{supervisor}/stat").read_text().rpartition(")")[2].split()[1])
os.kill(worker, signal.SIGKILL)
signal.pause()
"""


def test_an_agent_that_kills_a_worker_of_the_harness(sregym_project: Projects) -> None:
    """Without walls it can; its episode is an error, the run goes on, and nothing is left of it."""
    project = sregym_project({"bad_agent.py": MUTINY, "tmp/kept": ""})
    temporary = project.folder / "tmp"
    command = f"exec {sys.executable} {project.folder / 'bad_agent.py'}"
    words = ["run", PROBLEM, "--agent", "shell", "--agent-option", f"command={command}"]
    words += ["--attempts", "2", "--jobs", "2", "--out", "run"]
    done = project.run(*words, env={"TMPDIR": str(temporary)})
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    lines = (project.folder / "run" / "episodes.jsonl").read_text().splitlines()
    records = sorted(map(json.loads, lines), key=lambda record: str(record["episode"]))
    reason = "its worker process was ended from outside, by lack of memory for instance"
    assert [(one["episode"], one["outcome"], one["reason"]) for one in records] == [
        ("e0001", "error", reason),
        ("e0002", "error", reason),
    ]
    never = threading.Event()
    mark = str(project.folder / "bad_agent.py")
    assert any(not left(mark) or never.wait(0.1) for _ in range(600))
    assert [path.name for path in temporary.iterdir()] == ["kept"]
