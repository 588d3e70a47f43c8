"""A command behind bubblewrap: what it sees, what it reaches, what stays outside."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_shell.shell import Shell
from sregym_core.errors import UsageError
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]
SOURCES = Path(__file__).parents[1]
PYTHON = str(Path(sys.executable).resolve())

needs_bubblewrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bwrap is not installed: apt-get install bubblewrap"
)


@pytest.fixture
def inside(
    new_session: NewSession, folder: Path, tmp_path: Path
) -> Callable[..., tuple[Any, ScriptedSession]]:
    """Run a Python script behind the walls; what it wrote as JSON, and its session."""

    def run(script: str, **options: str) -> tuple[Any, ScriptedSession]:
        shared = tmp_path / "probe"
        shared.mkdir()
        (shared / "probe.py").write_text(f"import json, os, sys\n{script}\n")
        session = new_session()
        command = f"{PYTHON} {shared}/probe.py"
        places = ":".join(filter(None, [str(shared), options.pop("share", "")]))
        given = {"command": command, "isolation": "bubblewrap", "share": places, **options}
        Shell(given).run(session)
        return json.loads((folder / "agent.log").read_text()), session

    return run


SUBMIT = """
import urllib.request
def submit(text):
    request = urllib.request.Request(
        os.environ["SREGYM_GATEWAY"] + "/submit",
        json.dumps({"text": text}).encode(),
        {"Authorization": "Bearer " + os.environ["SREGYM_TOKEN"]},
    )
    return json.load(urllib.request.urlopen(request, timeout=30))
print(json.dumps([submit("the cart")["stage"], submit("repaired")["stage"]]))
"""


@needs_bubblewrap
def test_it_plays_an_episode(inside: Any) -> None:
    said, session = inside(SUBMIT)
    assert said == ["mitigation", "done"]
    assert session.submissions == ["the cart", "repaired"]


LOOK = """
def listing(path):
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return type(error).__name__
processes = [open(f"/proc/{pid}/cmdline").read() for pid in os.listdir("/proc") if pid.isdigit()]
try:
    import sregym_core
    imported = True
except ImportError:
    imported = False
found = [
    os.path.join(folder, name)
    for top in (sys.base_prefix, "/usr", "/opt", "/work", "/root", "/home", "/var", "/tmp")
    for folder, folders, names in os.walk(top)
    for name in folders + names
    if "sregym" in name
    and (os.path.isfile(os.path.join(folder, name)) and os.path.getsize(os.path.join(folder, name))
         or listing(os.path.join(folder, name)) not in ([], "NotADirectoryError", "PermissionError"))
]
print(json.dumps({
    "environment": dict(os.environ),
    "session": listing("/session"),
    "harness": listing(%r),
    "sources": listing(%r),
    "processes": processes,
    "imported": imported,
    "found": found,
    "uid": os.getuid(),
    "cwd": os.getcwd(),
}))
"""


@needs_bubblewrap
def test_it_sees_nothing_of_the_harness(
    inside: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "of the harness")
    monkeypatch.setenv("MY_KEY", "of the agent")
    seen, session = inside(LOOK % (str(folder), str(SOURCES)), pass_env="MY_KEY,MISSING")
    environment = seen["environment"]
    assert environment.pop("SREGYM_GATEWAY").startswith("http://127.0.0.1:")
    assert environment.pop("SREGYM_TOKEN")
    path = environment.pop("PATH")
    assert str(Path(sys.executable).parent) not in path.split(":")
    environment.pop("PWD", None)
    assert environment == {
        "HOME": "/home/agent",
        "LANG": "C.UTF-8",
        "MY_KEY": "of the agent",
        "KUBECONFIG": "/session/kubeconfig",
        "SREGYM_EPISODE": "/session",
        "SREGYM_INSTRUCTION": session.instruction,
        "SREGYM_MODE": "standard",
    }
    assert set(seen["session"]) <= {"bin", "enter.py", "kubeconfig", "session.json", "sockets"}
    assert (seen["harness"], seen["sources"]) == ("FileNotFoundError", "FileNotFoundError")
    assert (seen["imported"], seen["found"]) == (False, [])
    assert (seen["uid"], seen["cwd"]) == (1000, "/work")
    own = ("bwrap", "enter.py", "probe.py", "/bin/sh")
    assert [line for line in seen["processes"] if not any(name in line for name in own)] == []


REACH = """
import socket
def reach(host, port):
    try:
        with socket.create_connection((host, port), timeout=5) as connection:
            connection.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            return connection.makefile("rb").read().split(b"\\r\\n\\r\\n")[-1].decode()
    except OSError as error:
        return type(error).__name__
print(json.dumps([reach("127.0.0.1", %d), reach("127.0.0.1", %d), reach("192.0.2.1", 80)]))
"""


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        """Silence."""


@contextmanager
def greeting() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hello) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@needs_bubblewrap
def test_it_reaches_what_it_may_and_nothing_else(inside: Any) -> None:
    with greeting() as allowed, greeting() as other:
        said, _ = inside(REACH % (allowed, other), reach=f"localhost:{allowed}")
    assert said == ["hello", "ConnectionRefusedError", "OSError"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"isolation": "jail"},
            "agent 'shell', option 'isolation': 'jail' is not one of none, bubblewrap, docker, podman",
        ),
        (
            {"isolation": "bubblewrap", "reach": "models.example"},
            "agent 'shell', option 'reach': 'models.example' is not of the form HOST:PORT",
        ),
        (
            {"isolation": "bubblewrap", "share": "/no/such/place"},
            "agent 'shell', option 'share': '/no/such/place' does not exist",
        ),
        (
            {"memory_mib": "4Gi"},
            "agent 'shell', option 'memory_mib': '4Gi' is not a whole number above zero",
        ),
        (
            {"isolation": "bubblewrap", "processors": "0"},
            "agent 'shell', option 'processors': '0' is not a whole number above zero",
        ),
    ],
)
def test_options_of_no_use(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Shell({"command": "true", **options})
    assert str(refused.value) == message


def test_without_the_program(new_session: NewSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError) as refused:
        Shell({"command": "true", "isolation": "bubblewrap"}).run(new_session())
    assert str(refused.value) == (
        "isolation 'bubblewrap' needs the program bwrap: apt-get install bubblewrap"
    )


@needs_bubblewrap
def test_exit_codes_come_through(new_session: NewSession, folder: Path) -> None:
    options = {"command": "echo no model; exit 3", "isolation": "bubblewrap"}
    with pytest.raises(RuntimeError) as crashed:
        Shell(options).run(new_session())
    assert "ended with exit code 3" in str(crashed.value)
    assert (folder / "agent.log").read_text() == "no model\n"


FILL = """
def fill(path, mebibytes):
    try:
        with open(path, "wb") as file:
            for _ in range(mebibytes):
                file.write(bytes(1 << 20))
    except OSError as error:
        return error.strerror
    return "fits"
places = ("/dev/shm/%d", "/tmp/%d", "/home/agent/%d")
written = {place: [fill(place % number, 200) for number in range(2)] for place in places}
print(json.dumps({**written, "/dev": fill("/dev/x", 1), "/dev/null": fill("/dev/null", 1)}))
"""


@needs_bubblewrap
def test_whatever_it_can_write_to_has_a_size(inside: Any) -> None:
    said, _ = inside(FILL)
    assert said == {
        "/dev/shm/%d": ["fits", "No space left on device"],
        "/tmp/%d": ["fits", "No space left on device"],
        "/home/agent/%d": ["fits", "No space left on device"],
        "/dev": "Read-only file system",
        "/dev/null": "fits",
    }


@needs_bubblewrap
def test_memory_ends_behind_walls_too(inside: Any, folder: Path) -> None:
    with pytest.raises(RuntimeError) as ended:
        inside("kept = []\nwhile True: kept.append(bytearray(1 << 20))", memory_mib="96")
    assert str(ended.value) == "the command was ended: more than 96 MiB of memory"
    assert (folder / "agent.log").read_text() == f"{ended.value}\n"
