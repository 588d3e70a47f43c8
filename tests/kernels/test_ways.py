"""The agent over each way to a node that can be had on this machine: a real sshd, and an engine of Docker's with a node."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from real.engine import NODE, Engine
from real.needing import needs
from real.stores import wait_for
from sregym_cluster_kubernetes.nodes.transports import DockerExec, Ssh, Transport, UnreachedError
from sregym_core.interfaces import CommandResult
from sregym_nodes.remote import NodeAgent

SSHD = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
"""
CONFIG = """Host *
HostName 127.0.0.1
Port {port}
IdentityFile {folder}/user
StrictHostKeyChecking accept-new
UserKnownHostsFile {folder}/known
LogLevel ERROR
"""
UID = "01234567-89ab-cdef-0123-456789abcdef"
GROUP = f"""
top=/sys/fs/cgroup; [ ! -d $top/pids ] || top=$top/pids
pod=$top/kubepods/pod{UID}
"""
SERVE = """
mkdir -p $pod/c1; echo $$ > $pod/c1/cgroup.procs
redis-server --port 0 --unixsocket /tmp/s --save '' --dir /tmp --daemonize yes > /tmp/log
for i in $(seq 200); do if redis-cli -s /tmp/s ping | grep -q PONG; then exit 0; fi; sleep 0.1; done; exit 1
"""
END = """
redis-cli -s /tmp/s shutdown nosave
while grep -q . $pod/c1/cgroup.procs; do sleep 0.1; done
rmdir $pod/c1 $pod $top/kubepods
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[Transport]:
    """A real server on the loopback, found by a configuration of one's own."""
    needs("sshd", "ssh", "ssh-keygen")
    port = free_port()
    for key in ("host", "user"):
        words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key))
        subprocess.run(words, check=True)
    for name, text in (("sshd", SSHD), ("config", CONFIG)):
        (tmp_path / name).write_text(text.format(port=port, folder=tmp_path))
    Path("/run/sshd").mkdir(exist_ok=True)
    program = shutil.which("sshd")
    assert program is not None
    server = subprocess.Popen(
        [program, "-D", "-e", "-f", str(tmp_path / "sshd")], stderr=subprocess.DEVNULL
    )
    try:
        assert wait_for(lambda: answers(port))
        yield Ssh(lambda node: "127.0.0.1", config=str(tmp_path / "config"))
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Nothing of it is left on this machine."""
    folder = tmp_path_factory.mktemp("engine")
    with Engine(folder) as started:
        yield started
    assert [
        line for line in Path("/proc/mounts").read_text().splitlines() if str(folder) in line
    ] == []
    assert [path for path in Path("/sys/fs/cgroup").glob("*/docker/*/") if path.is_dir()] == []


@pytest.fixture
def docker(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Transport:
    monkeypatch.setenv("PATH", f"{engine.programs}:{os.environ['PATH']}")
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    return DockerExec()


@pytest.mark.parametrize("way", ["ssh", "docker"])
def test_the_agent_comes_and_goes(way: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Sent there, it changes something, and undoes it."""
    transport: Transport = request.getfixturevalue(way)
    agent = NodeAgent(
        "worker-1",
        lambda argv, stdin="": transport.run("worker-1", argv, stdin),
        "harness-1",
        folder=str(tmp_path / "nodectl"),
    )
    ask = {"key": "load cpu", "kind": "load", "what": "cpu", "cores": 0.1, "as": "xz"}
    assert agent.examine([ask])[0]["processes"] == ""
    assert agent.apply(ask, "processes").effect["taken"] > 0
    (change,) = agent.changes()
    assert change["repair"] == [["pkill", "-x", "xz"]]
    assert agent.undo() == ("load cpu",)
    assert agent.changes() == ()


def test_words_come_as_they_are(ssh: Transport, docker: Transport) -> None:
    """Whatever a shell would make of them; and exit codes come back."""
    words = (
        "sh",
        "-c",
        "printf '%s|' \"$@\"; cat; exit 3",
        "x",
        "a b",
        "$HOME",
        "it's",
        'a"b',
        "*",
    )
    for transport in (ssh, docker):
        done = transport.run("worker-1", words, "in\nput")
        assert (done.exit_code, done.stdout) == (3, "a b|$HOME|it's|a\"b|*|in\nput"), shlex.join(
            words
        )


def test_nobody_there(ssh: Ssh, docker: Transport, tmp_path: Path) -> None:
    with pytest.raises(UnreachedError) as caught:
        docker.run("worker-2", ("true",))
    assert str(caught.value) == (
        "no container is called 'worker-2'; are the nodes containers of this machine?"
    )
    nowhere = tmp_path / "nowhere"
    nowhere.write_text(CONFIG.format(port=free_port(), folder=tmp_path))
    with pytest.raises(UnreachedError) as caught:
        Ssh(lambda node: "127.0.0.1", config=str(nowhere)).run("worker-1", ("true",))
    assert str(caught.value).startswith("node 'worker-1' cannot be reached by ssh: ")
    assert "Connection refused" in str(caught.value)


def test_a_node_that_does_not_run(
    engine: Engine, docker: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is out of reach, and says so; a command that fails there is something else."""
    assert docker.run(NODE, ("sh", "-c", "echo Error: it is so >&2; exit 1")).exit_code == 1
    missing = docker.run(NODE, ("no-such-program",))
    assert (missing.exit_code, "executable file not found" in missing.stdout) == (126, True)
    ends = {"pause": "unpause", "stop": "start"}
    said = {}
    for end, begin in ends.items():
        engine.said(end, *(("--time", "0") if end == "stop" else ()), NODE)
        with pytest.raises(UnreachedError) as caught:
            docker.run(NODE, ("true",))
        said[end] = str(caught.value)
        engine.said(begin, NODE)
    ident = engine.said("inspect", "--format", "{{.Id}}", NODE).stdout.decode().strip()
    head = f"node '{NODE}' cannot be reached by docker: Error response from daemon: Container"
    assert said == {
        "pause": f"{head} {NODE} is paused, unpause the container before exec",
        "stop": f"{head} {ident} is not running",
    }
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")
    with pytest.raises(UnreachedError) as caught:
        docker.run(NODE, ("true",))
    assert str(caught.value) == (
        f"node '{NODE}' cannot be reached by docker: Cannot connect to the Docker daemon at "
        "unix:///no/such/socket. Is the docker daemon running?"
    )


def test_calls_of_a_pod_on_a_node_of_docker(engine: Engine, docker: Transport) -> None:
    """A store inside the node meets the fault until it is undone, or until nobody renews it."""
    engine.said("exec", NODE, "sh", "-ec", f"{GROUP}{SERVE}")

    def asked() -> str:
        return docker.run(NODE, ("redis-cli", "-s", "/tmp/s", "bgsave")).stdout.strip()

    def way(argv: Sequence[str], stdin: str = "") -> CommandResult:
        return docker.run(NODE, argv, stdin)

    call = {"key": "calls", "kind": "calls", "call": "fork", "error": "EAGAIN"}
    ask = {**call, "scope": {"pods": [UID]}}
    agent = NodeAgent(NODE, way, "harness-1")
    try:
        assert agent.apply(ask, "strace").effect["processes"] == 1
        assert asked() == "ERR"
        assert agent.undo() == ("calls",)
        assert asked() == "Background saving started"
        NodeAgent(NODE, way, "harness-1", lease_s=2.0).apply(ask, "strace")
        # Whoever asked for it is gone with the command; who holds it is not.
        assert wait_for(lambda: asked() != "ERR", 60.0)
        assert agent.changes() == ()
    finally:
        engine.said("exec", NODE, "sh", "-ec", f"{GROUP}{END}")
    assert docker.run(NODE, ("pgrep", "-x", "redis-server|strace|python3")).stdout == ""
