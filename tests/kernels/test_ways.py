"""The agent over each way to a node that can be had on this machine: a real sshd, and the words of docker."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from real.needing import needs
from real.stores import wait_for
from sregym_cluster_kubernetes.nodes.transports import DockerExec, Ssh, Transport, UnreachedError
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
# No engine runs here: this is its command line, with this machine for the only container.
DOCKER = """#!/bin/sh
[ "$1 $2 $3 $4" = "exec -i --user 0" ] || { echo "docker: unknown command: docker $*" >&2; exit 125; }
[ "$5" = worker-1 ] || { echo "Error response from daemon: No such container: $5" >&2; exit 1; }
shift 5
exec "$@"
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


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transport:
    needs()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "docker"
    program.write_text(DOCKER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
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
