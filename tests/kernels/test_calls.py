"""System calls of real stores fail on this machine's own kernel, and succeed again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from real.needing import SYSTEM, leftovers, needs
from real.stores import Postgres, Redis, Store, wait_for
from sregym_nodes.remote import AgentError, Applied, NodeAgent
from sregym_nodes.transports import Local

WORDS = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text())
CASES = [(store, name) for store, cases in WORDS.items() for name in cases]
UID = "01234567-89ab-cdef-0123-456789abcdef"
# Starts a process in a group again as soon as it ends, which it does when a file cannot be opened.
RUNTIME = """
import os, select, sys
while not select.select([0], [], [], 0)[0]:
    child = os.fork()
    if child == 0:
        with open(sys.argv[1] + "/cgroup.procs", "w") as file:
            file.write("0")
        while not select.select([0], [], [], 0.01)[0]:
            open("/etc/hostname").close()
        os._exit(0)
    os.waitpid(child, 0)
"""
SLEEPER = "import time, os\nwhile True: time.sleep(0.01); open('/etc/hostname').close()"


def calls(pid: int, call: str = "openat", error: str = "EIO", **more: Any) -> dict[str, Any]:
    return {"key": f"calls {call}", "kind": "calls", "call": call, "error": error} | (
        {"scope": {"pids": [pid]}} | more
    )


class Tracing(NodeAgent):
    """Asks for tracing unless told otherwise, whatever else works here."""

    def apply(self, ask: Mapping[str, Any], backend: str = "strace") -> Applied:
        return super().apply(ask, backend)


@pytest.fixture
def agent(agent: NodeAgent, tmp_path: Path) -> NodeAgent:
    return Tracing("here", Local(SYSTEM), "harness-1", folder=str(tmp_path / "nodectl"))


@pytest.mark.parametrize(("kind", "case"), CASES, ids=map(" ".join, CASES))
def test_a_store_says_what_it_says_on_a_real_kernel(
    kind: str, case: str, agent: NodeAgent, request: pytest.FixtureRequest
) -> None:
    store: Store = request.getfixturevalue(kind)
    wanted = WORDS[kind][case]
    ask = dict(wanted["ask"])
    if "path" in ask:
        ask["path"] = store.file(ask["path"])
    before = len(store.lines())
    applied = agent.apply(calls(store.pid, **ask))
    assert (applied.backend, applied.effect["share"]) == ("strace", 1.0)
    for words in wanted["does"]:
        store.ask(*([words] if isinstance(store, Postgres) else words.split()))  # type: ignore[attr-defined]
    missing = lambda: [line for line in wanted["lines"] if line not in store.lines()[before:]]  # noqa: E731
    assert wait_for(lambda: not missing(), 60.0), (missing(), store.lines()[before:])
    assert agent.undo() == (f"calls {ask['call']}",)
    assert wait_for(lambda: store.lives == wanted["lives"], 10.0)
    if store.lives:
        # PostgreSQL recovers first where it fell.
        asked, answer = ("ping", "PONG") if isinstance(store, Redis) else ("select 1", "1")
        assert wait_for(lambda: store.ask(asked) == answer, 60.0)  # type: ignore[attr-defined]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that opens a file all the time, and dies when it cannot."""
    process = subprocess.Popen(["python3", "-Ic", SLEEPER], stderr=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


def test_a_share_of_the_calls_and_a_file(agent: NodeAgent, redis: Redis) -> None:
    """Each fourth call on that file, none on others, and late ones without an error."""
    agent.apply(calls(redis.pid, "read", "EIO", share=0.25, path="/etc/hostname"))
    assert [redis.ask("ping") for _ in range(8)] == ["PONG"] * 8
    agent.apply(calls(redis.pid, "read", "EIO", share=0.25))
    said = []
    for _ in range(4):
        said += [redis.ask("ping") for _ in range(4)]
        # Each session is read an even number of times, the last time at its end, where an error hurts
        # nobody: one that says nothing shifts which of the reads is the fourth.
        with socket.socket(socket.AF_UNIX) as idle:
            idle.connect(str(redis.folder / "s"))
    assert 0 < said.count("PONG") < 16, said
    agent.undo()
    agent.apply(calls(redis.pid, "write", "", delay_ms=300))
    before = os.times().elapsed
    redis.ask("ping")
    assert os.times().elapsed - before > 0.3


def test_nobody_else_is_concerned(agent: NodeAgent, tmp_path: Path) -> None:
    with Redis(tmp_path / "one") as one, Redis(tmp_path / "two") as two:
        agent.apply(calls(one.pid, "fork", "EAGAIN"))
        assert (one.ask("bgsave"), two.ask("bgsave")) == ("ERR", "Background saving started")


@pytest.fixture
def group() -> Iterator[Path]:
    """That of a container of a pod."""
    tops = map(Path, ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"))
    top = next((path for path in tops if (path / "cgroup.procs").exists()), None)
    if top is None:
        pytest.skip("needs control groups")
    inner = top / "kubepods" / f"pod{UID}" / "c1"
    try:
        inner.mkdir(parents=True)
    except OSError as error:
        pytest.skip(f"control groups cannot be made here: {error}")
    yield inner
    assert wait_for(lambda: not (inner / "cgroup.procs").read_text())
    for folder in (inner, inner.parent, inner.parent.parent):
        folder.rmdir()


def test_a_control_group_with_who_comes_later(
    agent: NodeAgent, group: Path, tmp_path: Path
) -> None:
    """A container that starts again stays in its pod's group, and meets the fault again."""
    with Redis(tmp_path / "one") as store:
        (group / "cgroup.procs").write_text(str(store.pid))
        agent.apply(calls(store.pid, "fork", "EAGAIN", scope={"pods": [UID]}))
        assert store.ask("bgsave") == "ERR"
    with Redis(tmp_path / "again") as store:
        (group / "cgroup.procs").write_text(str(store.pid))
        status = Path(f"/proc/{store.pid}/status")
        assert wait_for(lambda: "TracerPid:\t0\n" not in status.read_text())
        assert store.ask("bgsave") == "ERR"
        agent.undo()
        assert store.ask("bgsave") == "Background saving started"


def test_who_ends_and_starts_again_while_it_is_injected(agent: NodeAgent, group: Path) -> None:
    """A container that falls at its first call is there again before anybody has looked."""
    runtime = subprocess.Popen(["python3", "-Ic", RUNTIME, str(group)], stdin=subprocess.PIPE)
    try:
        assert wait_for(lambda: (group / "cgroup.procs").read_text())
        for _ in range(3):
            applied = agent.apply(calls(0, "openat", "EIO", scope={"pods": [UID]}))
            assert applied.backend == "strace"
            assert agent.undo() == ("calls openat",)
    finally:
        runtime.communicate(b"end")


def test_the_machine_heals_itself_when_nobody_renews(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    agent = Tracing("here", Local(), "harness-1", lease_s=1.0, folder=str(tmp_path / "nodectl"))
    if agent.examine([calls(sleeper.pid)])[0]["strace"]:
        pytest.skip("needs the program strace")
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    held = tmp_path / "nodectl" / "held"
    assert len(list(held.glob("*.json"))) == 1
    assert wait_for(lambda: not list(held.glob("*.json")))
    assert leftovers(str(tmp_path)) == [] or wait_for(lambda: leftovers(str(tmp_path)) == [])
    assert "TracerPid:\t0" in Path(f"/proc/{sleeper.pid}/status").read_text()
    assert agent.changes() == ()


def test_renewed_changes_last(agent: NodeAgent, sleeper: subprocess.Popen[bytes]) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    (first,) = agent.changes()
    assert wait_for(lambda: agent.changes()[0]["left_s"] < first["left_s"])
    (before,) = agent.changes()
    agent.renew()
    (after,) = agent.changes()
    assert before["stands"]
    assert after["stands"]
    assert after["left_s"] > before["left_s"]


def test_a_holder_that_is_killed_leaves_nothing(
    agent: NodeAgent, sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    (held,) = (tmp_path / "nodectl" / "held").glob("*.json")
    pid = yaml.safe_load(held.read_text())["holder"][0]
    os.kill(pid, signal.SIGKILL)
    status = Path(f"/proc/{sleeper.pid}/status")
    assert wait_for(lambda: "TracerPid:\t0\n" in status.read_text())
    assert agent.changes() == ()
    assert agent.undo() == ()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_who_ends_the_tracer_has_repaired_it(
    number: int, agent: NodeAgent, sleeper: subprocess.Popen[bytes]
) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    tracer = int(Path(f"/proc/{sleeper.pid}/status").read_text().split("TracerPid:")[1].split()[0])
    os.kill(tracer, number)
    assert wait_for(lambda: agent.changes() == ())
    assert "TracerPid:\t0\n" in Path(f"/proc/{sleeper.pid}/status").read_text()


def test_the_same_twice_is_one(agent: NodeAgent, sleeper: subprocess.Popen[bytes]) -> None:
    first, second = (agent.apply(calls(sleeper.pid, "fork", "EAGAIN")) for _ in range(2))
    assert first == second
    assert len(agent.changes()) == 1


def test_nothing_names_the_project(
    agent: NodeAgent, sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    shown = subprocess.run(
        ["ps", "-ewwo", "args"], capture_output=True, text=True, check=True
    ).stdout
    # Of this machine's other users there may be more of both.
    ours = (f"{tmp_path}/nodectl", f"-p {sleeper.pid}")
    lines = [line for line in shown.splitlines() if any(word in line for word in ours)]
    assert [line.split()[0] for line in lines] == ["python3", "strace"]
    assert not any("sregym" in line.replace(str(tmp_path), "") for line in lines)


class TestRefusals:
    """Each before anything is changed."""

    @pytest.fixture(autouse=True)
    def nothing_is_changed(self, agent: NodeAgent, tmp_path: Path) -> Iterator[None]:
        yield
        assert leftovers(str(tmp_path)) == []

    def test_a_process_that_is_gone(self, agent: NodeAgent) -> None:
        gone = subprocess.Popen(["true"])
        gone.wait()
        with pytest.raises(AgentError) as caught:
            agent.apply(calls(gone.pid))
        assert str(caught.value) == (
            f"node 'here': nothing was changed, no back end can do 'calls openat' here. strace: no "
            f"process is left in process {gone.pid}; does the container still run on this node?"
        )

    def test_one_that_is_traced(self, agent: NodeAgent, sleeper: subprocess.Popen[bytes]) -> None:
        tracer = subprocess.Popen(["strace", "-qqq", "-o", "/dev/null", "-p", str(sleeper.pid)])
        status = Path(f"/proc/{sleeper.pid}/status")
        try:
            assert wait_for(lambda: f"TracerPid:\t{tracer.pid}\n" in status.read_text())
            with pytest.raises(AgentError) as caught:
                agent.apply(calls(sleeper.pid))
            assert str(caught.value) == (
                f"node 'here': nothing was changed, no back end can do 'calls openat' here. strace: "
                f"process {sleeper.pid} (python3) is already traced by strace (process "
                f"{tracer.pid}), and the kernel allows one tracer; end that one first"
            )
        finally:
            tracer.terminate()
            tracer.wait()

    def test_what_no_tracer_sees(self, agent: NodeAgent, sleeper: subprocess.Popen[bytes]) -> None:
        with pytest.raises(AgentError) as caught:
            agent.apply(calls(sleeper.pid, "gettimeofday", "EFAULT"))
        assert str(caught.value) == (
            "node 'here': nothing was changed, no back end can do 'calls gettimeofday' here. strace: "
            "gettimeofday is answered in user space (vDSO), where no tracer sees it; no back end can"
        )

    def test_an_error_that_there_is_not(
        self, agent: NodeAgent, sleeper: subprocess.Popen[bytes]
    ) -> None:
        with pytest.raises(AgentError) as caught:
            agent.apply(calls(sleeper.pid, "read", "EBROKEN"))
        assert str(caught.value) == (
            "node 'here': nothing was changed, no back end can do 'calls read' here. strace: the "
            "kernel has no error 'EBROKEN'; use a name like EIO"
        )

    def test_a_back_end_that_there_is_not(
        self, agent: NodeAgent, sleeper: subprocess.Popen[bytes]
    ) -> None:
        with pytest.raises(AgentError) as caught:
            agent.apply(calls(sleeper.pid), backend="magic")
        assert str(caught.value).startswith(
            "node 'here': there is no back end 'magic'; known: auto, "
        )


def test_whoever_is_not_root(tmp_path_factory: pytest.TempPathFactory) -> None:
    needs("setpriv")
    folder = tmp_path_factory.mktemp("open")
    for path in (folder, *folder.parents[:2]):
        path.chmod(0o777)
    nobody = Local((*SYSTEM, "setpriv", "--reuid=65534", "--clear-groups"))
    agent = Tracing("here", nobody, "harness-1", folder=str(folder / "nodectl"))
    with pytest.raises(AgentError) as caught:
        agent.apply(calls(1))
    assert str(caught.value) == (
        "node 'here': changing what the kernel does needs root; run as root, or allow sudo without a "
        "password"
    )
    asks = [
        calls(1),
        {"key": "d", "kind": "disk", "mode": "slow"},
        {"key": "c", "kind": "load", "what": "cpu"},
    ]
    end = "needs root here; run as root, or allow sudo without a password"
    assert [
        set(found.values()) for found in agent.examine([*asks, {"key": "l", "kind": "link"}])
    ] == [
        {f"strace {end}", f"kernel programs {end}".replace("needs", "need")},
        {f"the device mapper {end}", f"file systems of user space {end}".replace("needs", "need")},
        {f"control groups {end}".replace("needs", "need")},
        {
            f"{what} {end}".replace("needs", "need")
            for what in ("queueing disciplines", "rules for connections")
        },
    ]


def test_a_second_harness_waits(
    agent: NodeAgent, sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    other = Tracing("here", Local(), "harness-2", folder=str(tmp_path / "nodectl"))
    with pytest.raises(AgentError) as caught:
        other.apply(calls(sleeper.pid, "read", "EIO"))
    left = str(caught.value).partition("end, ")[2].partition(" s ")[0]
    assert str(caught.value) == (
        "node 'here': another harness (harness-1) holds 'calls fork' on this machine; wait for its "
        f"end, {left} s from now at the latest, or take another machine"
    )
    assert other.undo() == ()
    assert len(agent.changes()) == 1


def test_two_of_one_harness_on_the_same_processes(
    agent: NodeAgent, sleeper: subprocess.Popen[bytes]
) -> None:
    agent.apply(calls(sleeper.pid, "fork", "EAGAIN"))
    with pytest.raises(AgentError) as caught:
        agent.apply(calls(sleeper.pid, "read", "EIO"))
    assert str(caught.value) == (
        f"node 'here': tracing of pids=[{sleeper.pid}] is taken by 'calls fork' already; undo that "
        "first, or put this elsewhere"
    )


def test_the_best_back_end_that_works_here_is_taken(
    agent: NodeAgent, sleeper: subprocess.Popen[bytes]
) -> None:
    """Kernel programs where they are allowed; those that are not say why, and leave nothing."""
    ask = calls(sleeper.pid, "fork", "EAGAIN")
    (found,) = agent.examine([ask])
    assert list(found) == ["fmod_ret", "lsm_cgroup", "kprobe", "strace"]
    applied = agent.apply(ask, "auto")
    assert applied.backend == next(name for name, why in found.items() if not why)
    assert applied.refused == {
        name: why
        for name, why in found.items()
        if why and list(found).index(name) < list(found).index(applied.backend)
    }


def test_who_ends_the_tracer_of_a_process_that_ends_with_it(agent: NodeAgent) -> None:
    """A store that falls at its first call is gone in the same moment: the repair counts all the same."""
    process = subprocess.Popen(["sleep", "1000"])
    try:
        agent.apply(calls(process.pid, "pread64", "EIO"), "strace")
        tracer = int(facts_of(process.pid)["TracerPid"])
        os.kill(tracer, signal.SIGSTOP)  # it is to hear of both at once
        process.kill()
        for number in (signal.SIGTERM, signal.SIGCONT):
            os.kill(tracer, number)
        assert wait_for(lambda: agent.changes() == (), 30.0)
    finally:
        process.kill()
        process.wait()


def facts_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
