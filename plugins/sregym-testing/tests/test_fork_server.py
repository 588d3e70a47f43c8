"""Commands that are forked do what commands in an interpreter of their own do, and import once."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sregym_testing import ForkServer, RunOutcome, SregymProject

needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system has no pidfd")
LANGUAGE = {"LANG": "C.UTF-8"}
# A plugin with a command: a worker imports something and is killed.
FORKING = """
import os, signal, sys
from sregym_core import Registration, hookimpl
from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

@hookimpl
def sregym_register_commands():
    return [Registration("forking", "forking:Forking")]

class Forking(Subcommand):
    name, summary, examples = "forking", "fork a worker", ("sregym forking",)

    def run(self, arguments):
        self.console.json("sregym_lint.documents" in sys.modules)
        worker = os.fork()
        if worker == 0:
            import sregym_lint.documents
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(worker, 0)
        return ExitCode.DONE
"""


@pytest.fixture
def server() -> Iterator[ForkServer]:
    made = ForkServer()
    yield made
    made.close()


@pytest.fixture
def project(sregym_project: Callable[..., SregymProject], server: ForkServer) -> SregymProject:
    return dataclasses.replace(sregym_project({"broken.yaml": "id: [\n"}), server=server)


@needs_pidfd
@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        ("plugins", "--json"),
        ("plugins", "--help"),
        ("plugins", "--nope"),
        ("lint", "broken.yaml", "--json"),
        ("no-such-command", "ä", "two words", ""),
    ],
    ids=lambda words: words[0] + words[1] if len(words) > 1 else words[0],
)
def test_a_command_does_the_same(
    project: SregymProject, server: ForkServer, words: tuple[str, ...]
) -> None:
    alone = dataclasses.replace(project, server=None)
    first, second = project.run(*words), project.run(*words)
    assert server.can_run(project.environment)
    assert isinstance(first, RunOutcome)
    assert first == second == alone.run(*words)
    assert first.out + first.err != ""


@needs_pidfd
def test_variables_are_those_of_the_command(project: SregymProject) -> None:
    assert project.run("plugins", "--json").json() != []
    assert {
        one["state"] for one in project.run("plugins", "--json", env={"SREGYM_PLUGINS": ""}).json()
    } == {"blocked"}
    assert project.run("plugins", "--json").json()[0]["state"] == "ok"


@needs_pidfd
def test_the_second_command_finds_imported_what_the_first_one_imported(
    project: SregymProject, server: ForkServer
) -> None:
    def libraries() -> set[str]:
        assert server.pid is not None
        lines = Path(f"/proc/{server.pid}/maps").read_text(encoding="utf-8").splitlines()
        return {line.split()[-1] for line in lines if ".so" in line}

    assert server.pid is None
    project.run("plugins")
    # Nothing but what the server itself needs, until it is known that there is a second one.
    before = libraries()
    project.run("--version")
    assert before < libraries()


@needs_pidfd
def test_what_a_worker_imported_is_there_too_and_workers_may_be_killed(
    project: SregymProject,
) -> None:
    about = project.folder / "forking-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: forking\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[sregym]\nforking = forking\n")
    (project.folder / "forking.py").write_text(FORKING)
    run = [project.run("forking").assert_success().out for _ in range(3)]
    assert run == ["false\n", "true\n", "true\n"]
    assert dataclasses.replace(project, server=None).run("forking").out == "false\n"


@needs_pidfd
def test_what_takes_too_long_is_killed(project: SregymProject) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as error:
        project.run("plugins", timeout_s=0.001)
    assert str(error.value) == "Command '['sregym', 'plugins']' timed out after 0.001 seconds"
    assert project.run("--version").assert_success().err == ""


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONHASHSEED"])
def test_what_the_interpreter_is_told_needs_one_of_its_own(
    project: SregymProject, server: ForkServer, name: str
) -> None:
    assert not server.can_run({**LANGUAGE, name: "0"})
    done = project.run("--version", env={name: "0"})
    assert done.assert_success().command[0] == sys.executable
    assert server.pid is None


@needs_pidfd
def test_nothing_is_left_of_a_server_that_was_closed(project: SregymProject) -> None:
    server = project.server
    assert server is not None
    project.run("--version").assert_success()
    pid = server.pid
    server.close()
    assert not Path(f"/proc/{pid}").exists()
    assert server.pid is None


@needs_pidfd
def test_a_command_that_goes_on_is_one_of_a_session_of_its_own(
    project: SregymProject, server: ForkServer
) -> None:
    words = ("plugins", "--json")
    started = server.start(words, project.folder, project.environment)
    with started.stdout, started.stderr:
        assert os.getpgid(started.pid) == os.getsid(started.pid) == started.pid
        assert started.poll() is None
        told = (started.stdout.read(), started.stderr.read())
    assert started.wait(60.0) == started.poll() == 0
    started.send_signal(signal.SIGKILL)  # of a process that has ended: nothing happens
    done = project.run(*words)
    assert told == (done.out, done.err)


@needs_pidfd
def test_a_command_that_goes_on_hears_signals(project: SregymProject, server: ForkServer) -> None:
    started = server.start(("plugins",), project.folder, project.environment)
    with started.stdout, started.stderr:
        os.kill(started.pid, signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired) as error:
            started.wait(0.01)
        assert str(error.value) == "Command '['sregym', 'plugins']' timed out after 0.01 seconds"
        started.send_signal(signal.SIGKILL)
        assert started.wait(60.0) == -signal.SIGKILL


@needs_pidfd
def test_the_end_of_a_command_is_unknown_once_its_server_was_closed(
    project: SregymProject, server: ForkServer
) -> None:
    started = server.start(("plugins",), project.folder, project.environment)
    with started.stdout, started.stderr:
        os.kill(started.pid, signal.SIGSTOP)
        server.close()
        os.kill(started.pid, signal.SIGKILL)
        with pytest.raises(EOFError) as error:
            started.wait(60.0)
        assert str(error.value) == "the server of forks has ended"
