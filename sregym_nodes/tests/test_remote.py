"""The agent driven over ways to nodes: what it is told, and what is said when it cannot be run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest
from sregym_nodes.console import Console
from sregym_nodes.remote import AgentError, NodeAgent
from sregym_nodes.renewal import Renewal
from sregym_nodes.transports import Done, InContainer, Local, Ssh

from sregym_nodes import console_guest


class Answers:
    """A way on which each command is answered by the next of these."""

    def __init__(self, *answers: Done) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def __call__(self, argv: Sequence[str], stdin: str = "") -> Done:
        self.asked.append((tuple(argv), stdin))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


THERE = Done(0, "True\nTrue\n")


def refused(*answers: Done) -> str:
    with pytest.raises(AgentError) as caught:
        NodeAgent("n1", Answers(*answers), "me").changes()
    return str(caught.value)


def test_a_node_without_python() -> None:
    said = refused(Done(127, stderr="sh: python3: not found\n"))
    assert said == (
        "node 'n1' has no python3 of version 3.9 or newer (sh: python3: not found); install it there, "
        "or take a node that has one"
    )
    old = refused(Done(0, "False\nFalse\n"))
    assert old.startswith(
        "node 'n1' has no python3 of version 3.9 or newer (nothing was said); "
    ) or (old.startswith("node 'n1' has no python3 of version 3.9 or newer (False); "))


def test_a_node_that_takes_no_file() -> None:
    full = Done(1, stderr="Traceback ...\nOSError: [Errno 28] No space left on device")
    said = refused(Done(0, "True\nFalse\n"), full)
    path = said.partition("put at ")[2].partition(":")[0]
    assert said == (
        f"node 'n1': the agent could not be put at {path}: OSError: [Errno 28] No space left on device"
    )


def test_an_agent_that_refuses() -> None:
    assert refused(THERE, Done(1, '{"error": "no."}')) == "node 'n1': no."


def test_an_agent_that_says_nothing() -> None:
    said = refused(THERE, Done(137, "", "Killed"))
    assert said == "node 'n1': list ended with 137 and no answer: Killed"


def test_it_is_sent_once() -> None:
    way = Answers(THERE, Done(0, '{"changes": [], "facts": {}}'))
    agent = NodeAgent("n1", way, "me")
    assert agent.changes() == agent.changes() == ()
    assert [argv[-1] for argv, _ in way.asked][1:] == ["list", "list"]


def test_ways_are_words_before_the_command(tmp_path: Path) -> None:
    """Programs in the place of `docker` and `ssh` print what they are told."""
    for name in ("docker", "ssh"):
        (tmp_path / name).write_text('#!/bin/sh\nprintf "%s|" "$@"\ncat\n')
        (tmp_path / name).chmod(0o755)
    docker = InContainer("kind-worker", str(tmp_path / "docker"))
    assert docker(("ls", "a b"), "in").stdout == "exec|-i|--user|0|kind-worker|ls|a b|in"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        said = Ssh("10.0.0.1", "admin", ("-p", "2222"))(("ls", "a b"), "in").stdout
    assert said == (
        "-o|BatchMode=yes|-o|ConnectTimeout=10|-p|2222|-l|admin|10.0.0.1|--|sudo -n -- ls 'a b'|in"
    )


def test_a_program_that_is_not_here() -> None:
    with pytest.raises(AgentError) as caught:
        Local(("no-such-program",))(("true",))
    assert str(caught.value) == (
        "'no-such-program' is needed to reach the node and is not on PATH; install it"
    )


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals")
def test_a_guest_by_its_console() -> None:
    """A process on a terminal of its own, with noise of a kernel before it."""
    ours, theirs = os.openpty()
    words = [sys.executable, "-I", str(Path(console_guest.__file__))]
    guest = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        run = Console(terminal, terminal)
        run.wait_until_ready(30)
        long = "x" * 20_000
        assert run(("cat",), long) == Done(0, long)
        assert run(("sh", "-c", "echo no >&2; exit 3")) == Done(3, "", "no\n")
        assert run(("no-such-program",)).exit_code == 127
        guest.kill()
        guest.wait()
        with pytest.raises((AgentError, OSError)):
            run(("true",))


def test_leases_are_renewed_until_it_ends() -> None:
    renewed = Event()

    class Transport(Answers):
        def __call__(self, argv: Sequence[str], stdin: str = "") -> Done:
            if argv[-1] == "renew":
                renewed.set()
            return super().__call__(argv, stdin)

    renewal = Renewal(0.01)
    renewal.see_to(NodeAgent("n1", Transport(THERE, Done(0, "{}")), "me"))
    assert renewed.wait(30)
    renewal.end()
