"""Containers around commands: the command line, the environment, the end. The runtime is a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.gateway import Gateway
from sregym_agents.isolation import Needs, supervise, walls_of
from sregym_agents.isolation.containers import Containers
from sregym_agents.isolation.relay import Route
from sregym_core.errors import UsageError
from sregym_core.interfaces import Access
from sregym_testing import ScriptedSession

RUNTIME = """\
#!{python}
import json, os, sys
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], dict(os.environ)]) + "\\n")
if sys.argv[1] == "version" and os.path.exists({down!r}):
    sys.exit("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """A runtime on PATH that notes what it is called with; all notes so far."""
    folder, log = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    text = RUNTIME.format(python=sys.executable, log=str(log), down=str(tmp_path / "down"))
    for name in ("docker", "podman"):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/here.sock")
    monkeypatch.setenv("HOME", "/home/operator")
    monkeypatch.setenv("MODEL_KEY", "of the agent")
    monkeypatch.setenv("JUDGE_API_KEY", "of the judge")

    def read() -> list[Any]:
        return [json.loads(line) for line in log.read_text().splitlines()]

    return read


@pytest.fixture
def access(tmp_path: Path) -> Access:
    folder = tmp_path / "session"
    folder.mkdir()
    for name in ("kubeconfig", "session.json"):
        (folder / name).write_text(name)
        (folder / name).chmod(0o600)
    return Access(folder / "kubeconfig", {"prometheus": "http://127.0.0.1:9090"}, folder)


def test_the_whole_command_line(
    calls: Callable[[], list[Any]], access: Access, new_session: Callable[..., ScriptedSession]
) -> None:
    options = {"isolation": "docker", "pass_env": "MODEL_KEY", "image": "tools:1", "reach": "models.example:443",
               "memory_mib": "2048", "processors": "1"}  # fmt: skip
    share = access.folder.parent
    with Gateway(new_session(), "the token") as gateway:
        walls = walls_of("x", options, Needs(share=(share,)))
        with walls.around(access, gateway) as place:
            scratch = place.work.parent
            start = place.start(("sh", "-c", "true"), {**place.pointing, "SREGYM_INSTRUCTION": "a\nb"})  # fmt: skip
            files = {path.name: path.read_text() for path in (scratch / "files").iterdir()}
            modes = {oct(path.stat().st_mode & 0o777) for path in (scratch / "files").iterdir()}
            sockets = {oct(path.stat().st_mode & 0o777) for path in (scratch / "sockets").iterdir()}
            hosts = (scratch / "hosts").read_text()
            outer = oct(scratch.stat().st_mode & 0o777)
        url, port = gateway.url, int(gateway.url.rpartition(":")[2])
    name = start.argv[start.argv.index("--name") + 1]
    listens = [["127.0.0.1", 9090], ["127.0.0.1", port], ["127.0.1.1", 443]]  # fmt: skip
    program = str(share / "bin" / "docker")
    enter = Path(supervise.__file__).with_name("enter.py")
    assert list(start.argv) == [
        *(program, "run", "--rm", "--init", "--name", name, "--network", "none"),
        *("--hostname", "workstation", "--read-only", "--user", "1000:1000"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--sysctl", "net.ipv4.ip_unprivileged_port_start=0"),
        *("--pids-limit", "512", "--memory", "2048m", "--cpus", "1", "--ulimit", "fsize=268435456"),
        *("--workdir", "/work"),
        *("--tmpfs", "/tmp:rw,exec,mode=1777,size=268435456"),
        *("--tmpfs", "/home/agent:rw,exec,mode=1777,size=268435456"),
        *("--volume", f"{scratch}/work:/work:rw"),
        *("--volume", f"{enter}:/session/enter.py:ro"),
        *("--volume", f"{scratch}/hosts:/etc/hosts:ro"),
        *("--volume", f"{scratch}/sockets:/session/sockets:ro"),
        *("--volume", f"{scratch}/files/kubeconfig:/session/kubeconfig:ro"),
        *("--volume", f"{scratch}/files/session.json:/session/session.json:ro"),
        *("--volume", f"{share}:{share}:ro"),
        *("--env", "HOME=/home/agent"),
        *("--env", "PATH=/session/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        *("--env", "LANG=C.UTF-8", "--env", "MODEL_KEY", "--env", "KUBECONFIG"),
        *("--env", "SREGYM_EPISODE", "--env", "SREGYM_GATEWAY", "--env", "SREGYM_TOKEN"),
        *("--env", "SREGYM_INSTRUCTION"),
        *("tools:1", "python3", "-I", "-S", "/session/enter.py", json.dumps(listens)),
        *("/session/sockets", "sh", "-c", "true"),
    ]  # fmt: skip
    assert dict(start.environment) == {
        "HOME": "/home/operator",
        "PATH": str(share / "bin"),
        "DOCKER_HOST": "unix:///run/here.sock",
        "LANG": "C.UTF-8",
        "MODEL_KEY": "of the agent",
        "KUBECONFIG": "/session/kubeconfig",
        "SREGYM_EPISODE": "/session",
        "SREGYM_GATEWAY": url,
        "SREGYM_TOKEN": "the token",
        "SREGYM_INSTRUCTION": "a\nb",
    }
    assert files == {"kubeconfig": "kubeconfig", "session.json": "session.json"}
    assert (modes, sockets, outer) == ({"0o644"}, {"0o666"}, "0o700")
    assert hosts == "127.0.0.1 localhost\n127.0.1.1 models.example\n"
    # The client may be gone before its container: the container is removed by name.
    assert [call[0] for call in calls()] == [["version"], ["rm", "--force", name]]


def test_podman_keeps_who_it_is(calls: Callable[[], list[Any]], tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    containers = Containers("podman", "x", tmp_path, tmp_path / "work")
    route = Route(("127.0.0.1", 80), ("127.0.0.1", 80))
    command = containers.command(("true",), (route,), {}, {})
    at = command.index("--userns")
    assert command[at : at + 2] == ["--userns", "keep-id:uid=1000,gid=1000"]


def test_packages_of_the_harness_in_shared_places_are_hidden(
    calls: Callable[[], list[Any]], tmp_path: Path
) -> None:
    packages = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    (packages / "sregym_core").mkdir(parents=True)
    (packages / "_sregym_core.pth").write_text("/src")
    (tmp_path / "work").mkdir()
    containers = Containers("docker", "x", tmp_path, tmp_path / "work", (tmp_path / "env",))
    command = containers.command(("true",), (), {}, {})
    assert command[command.index(f"{tmp_path}/env:{tmp_path}/env:ro") + 1 :][:4] == [
        *("--volume", f"/dev/null:{packages}/_sregym_core.pth:ro"),
        *("--tmpfs", f"{packages}/sregym_core"),
    ]


@pytest.mark.parametrize("runtime", ["docker", "podman"])
def test_a_runtime_that_is_not_there(
    runtime: str, access: Access, monkeypatch: pytest.MonkeyPatch, new_session: Callable[..., Any]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    walls = walls_of("x", {"isolation": runtime})
    with (
        Gateway(new_session()) as gateway,
        pytest.raises(UsageError) as refused,
        walls.around(access, gateway),
    ):
        pass
    assert str(refused.value) == (
        f"isolation {runtime!r} needs the program {runtime}: install it, or choose isolation=bubblewrap"
    )


def test_a_runtime_that_does_not_answer(
    calls: Callable[[], list[Any]], tmp_path: Path, access: Access, new_session: Callable[..., Any]
) -> None:
    (tmp_path / "down").touch()
    walls = walls_of("x", {"isolation": "docker"})
    with (
        Gateway(new_session()) as gateway,
        pytest.raises(UsageError) as refused,
        walls.around(access, gateway),
    ):
        pass
    assert str(refused.value) == (
        "isolation 'docker' cannot be used: Cannot connect to the Docker daemon at "
        "unix:///var/run/docker.sock. Is the docker daemon running?"
    )
