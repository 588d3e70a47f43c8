"""Kernel programs on Debian's kernels, each in a machine that QEMU makes: calls of control groups fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from real import inside
from real.machine import Machine, image, root
from real.stores import normal, wait_for
from sregym_nodes.bundle import FOLDER, bundle
from sregym_nodes.remote import AgentError, NodeAgent

WORDS = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text())["redis"]
FAMILIES = ["fmod_ret", "lsm_cgroup"]
UID = "01234567-89ab-cdef-0123-456789abcdef"
POD = f"/sys/fs/cgroup/kubepods/pod{UID}"
# One of each question that the kernel asks, or of each that is asked about another thing.
HOOKED = {
    **{"openat": "EIO", "read": "EIO", "pread64": "EIO", "write": "ENOSPC", "pwrite64": "ENOSPC"},
    **{"ioctl": "EIO", "mmap": "ENOMEM", "mprotect": "EACCES", "brk": "ENOMEM", "clone": "EAGAIN"},
    **{"socket": "EACCES", "bind": "ENETDOWN", "connect": "ETIMEDOUT", "listen": "EIO"},
    **{"accept": "EMFILE", "sendto": "EIO", "sendmmsg": "EIO", "sendmsg": "EIO"},
    **{"recvfrom": "EIO", "recvmsg": "EIO", "mount": "EIO", "prlimit64": "EPERM"},
    **{"setns": "EPERM", "swapon": "EPERM"},
}
# What the verifiers of both kernels say of the same thing.
OVERRIDE = {
    "6.1": "unknown func bpf_override_return#58",
    "6.12": "program of this type cannot use helper bpf_override_return#58",
}
STRACE = "the program strace is not on this machine; install the package strace"
SERVE = (
    "mkdir -p {group} {folder} && echo $$ > {group}/cgroup.procs && cd {folder} && redis-server --port 0 "
    "--unixsocket {folder}/s --dir {folder} --appendonly yes --appendfsync always --save '' "
    "--daemonize yes --logfile {folder}/log --pidfile {folder}/pid && "
    "for i in $(seq 200); do redis-cli -s {folder}/s ping | grep -q PONG && exit 0; sleep 0.1; done; exit 1"
)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return root(tmp_path_factory.mktemp("root") / "root.cpio")


@pytest.fixture(scope="module", params=["6.1", "6.12"])
def kernel(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def machine(
    kernel: str, files: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """With an agent in it, and nothing changed."""
    with Machine(image(kernel, tmp_path_factory.mktemp("image")), files) as started:
        assert started.agent().facts()["kernel"].startswith(f"{kernel}.")
        yield started


@pytest.fixture
def agent(machine: Machine) -> Iterator[NodeAgent]:
    """The kernel holds no more programs after each test than before."""
    before = told(machine, "counted")
    made = machine.agent()
    yield made
    made.undo()
    assert told(machine, "counted") == before


def told(machine: Machine, do: str, **given: Any) -> Any:
    """What `real.inside` says in the guest."""
    source = Path(inside.__file__).read_text()
    folder = f"{FOLDER}/lib-{bundle().digest[:8]}"
    return json.loads(
        machine.said("python3", "-Ic", source, folder, stdin=json.dumps({"do": do, **given}))
    )


def calls(call: str, error: str, **more: Any) -> dict[str, Any]:
    ask = {"key": f"calls {call}", "kind": "calls", "call": call, "error": error}
    return {**ask, "scope": {"pods": [UID]}, **more}


def test_what_works_is_found_by_trial(kernel: str, machine: Machine) -> None:
    # Of the newer kernel a few, one of them that not all can do: all are injected below.
    meant = list(HOOKED) if kernel == "6.1" else ["openat", "ioctl", "brk", "clone", "setns"]
    asks = [{"key": "k", "kind": "calls", "call": call, "error": HOOKED[call]} for call in meant]
    agent, found = machine.agent(), []
    for start in range(0, len(asks), 6):
        found += agent.examine(asks[start : start + 6])
    release = machine.said("uname", "-r").strip()
    refused = f"kernel {release} refuses this program: EINVAL: "
    override = (
        f"{refused}{OVERRIDE[kernel]}; they need CONFIG_BPF_KPROBE_OVERRIDE, which few kernels have"
    )
    usual = {"fmod_ret": "", "lsm_cgroup": "", "kprobe": override, "strace": STRACE}
    seen = dict(zip(meant, found, strict=True))
    # Modules are not asked so that a no to this question is heeded.
    heap = seen.pop("brk")
    assert heap.pop("lsm_cgroup").endswith(
        " points to disabled hook bpf_lsm_vm_enough_memory; they need a kernel of 6.0 or newer with "
        "CONFIG_BPF_LSM, and bpf in its list of modules (lsm=)"
    )
    assert heap == {name: why for name, why in usual.items() if name != "lsm_cgroup"}
    assert seen == dict.fromkeys(seen, usual)


def test_each_question_in_the_group_and_nowhere_else(machine: Machine) -> None:
    """In a container's group below the pod's, not in a neighbour's, not at the top, and not afterwards."""
    asks = [{"call": call, "error": error} for call, error in HOOKED.items()]
    for start in range(0, len(asks), 8):
        part = asks[start : start + 8]
        wanted = {
            f"{ask['call']} {ask['error']} {name}": [
                f"{ask['call']} fails with {ask['error']} there, and not elsewhere",
                *(1, 0, 0, 0),
            ]
            for ask in part
            for name in FAMILIES
            if (ask["call"], name) != ("brk", "lsm_cgroup")
        }
        assert told(machine, "scoped", asks=part, backends=FAMILIES) == {
            "found": wanted,
            "left": True,
        }


def test_shares_children_files_and_who_comes_later(machine: Machine) -> None:
    found = told(machine, "covered", backends=FAMILIES)
    assert found.pop("processes") == ["read fails with EIO there, and not elsewhere", 5, 0]
    # A quarter of 4000: more than five standard deviations away is no chance.
    shares = {name: one.pop("share") for name, one in found.items()}
    assert {name: 860 < share < 1140 for name, share in shares.items()} == dict.fromkeys(
        FAMILIES, True
    ), shares
    files = {"/mnt/data/a.log": [5, 0, 0], "/mnt/data/*.log": [5, 0, 0], "/mnt/data/": [5, 5, 0]}
    assert found == {name: {"later": 5, "child": 5, "anew": 5, **files} for name in FAMILIES}


def test_programs_at_the_entry_of_calls(machine: Machine) -> None:
    """As far as kernels go that do not let them answer."""
    before, meanwhile, after, refused = told(machine, "probed")
    assert meanwhile == {name: count + 1 for name, count in before.items()}
    assert after == before
    release = machine.said("uname", "-r").strip()
    assert refused == (
        f"kernel {release} refuses a probe at __x64_sys_nothing: No such file or directory"
    )


def test_a_store_meets_two_faults(machine: Machine, agent: NodeAgent) -> None:
    """It says what it says when a tracer lets them fail; a container that starts again meets them, too."""
    pod = {"group": f"{POD}/c1", "folder": "/mnt/one"}
    other = {"group": "/sys/fs/cgroup/kubepods/other", "folder": "/mnt/two"}
    for where in (pod, other):
        machine.said("sh", "-ec", SERVE.format(**where))
    try:
        applied = agent.apply(calls("fork", "EAGAIN"))
        assert (applied.backend, applied.refused) == ("fmod_ret", {})
        assert applied.effect["seen"] == "fork fails with EAGAIN there, and not elsewhere"
        assert (asked(machine, pod, "bgsave"), asked(machine, other, "bgsave")) == (
            "ERR",
            "Background saving started",
        )
        assert set(WORDS["fork EAGAIN"]["lines"]) <= set(lines(machine, pod))
        ended(machine, pod)
        again = {**pod, "group": f"{POD}/c2", "folder": "/mnt/three"}
        # It becomes a daemon before it is put there.
        machine.said("sh", "-ec", SERVE.format(**{**again, "group": "/sys/fs/cgroup/kubepods/new"}))
        machine.said("sh", "-c", f"mkdir {POD}/c2; cat /mnt/three/pid > {POD}/c2/cgroup.procs")
        assert asked(machine, again, "bgsave") == "ERR"
        agent.undo()
        assert asked(machine, again, "bgsave") == "Background saving started"
        appended = machine.said("sh", "-c", "echo /mnt/three/appendonlydir/*.incr.aof").strip()
        agent.apply(calls("write", "ENOSPC", path=appended))
        asked(machine, again, "set", "a", "1")
        assert lines(machine, again)[-2:] == WORDS["write ENOSPC"]["lines"]
    finally:
        for folder in ("/mnt/one", "/mnt/two", "/mnt/three"):
            ended(machine, {"folder": folder})


def asked(machine: Machine, where: dict[str, str], *words: str) -> str:
    return machine.run(("redis-cli", "-s", f"{where['folder']}/s", *words)).stdout.strip()


def lines(machine: Machine, where: dict[str, str]) -> list[str]:
    text = machine.said("cat", f"{where['folder']}/log")
    return [normal(line, where["folder"]) for line in text.splitlines()]


def ended(machine: Machine, where: dict[str, str]) -> None:
    machine.run(("sh", "-c", f"kill -9 $(cat {where['folder']}/pid); rm -f {where['folder']}/pid"))


@pytest.mark.parametrize("how", ["lease", "repair", "lost"])
def test_it_ends_without_the_harness(how: str, machine: Machine, agent: NodeAgent) -> None:
    """Nobody renews it; an engineer ends the process that answers; that process is lost."""
    start = f"mkdir -p {POD}/c3; (echo 0 > {POD}/c3/cgroup.procs; exec sleep 1000) >/dev/null 2>&1 & echo $!"
    pid = machine.said("sh", "-c", start).strip()
    before = told(machine, "counted")["links"]
    try:
        machine.agent(lease_s=5.0 if how == "lease" else 900.0).apply(calls("openat", "EIO"))
        if how != "lease":
            assert told(machine, "counted")["links"] == before + 1
            machine.said("pkill", *(["-9"] if how == "lost" else []), "-x", "bpftrace")
        assert wait_for(lambda: told(machine, "counted")["links"] == before, 60.0)
        assert agent.changes() == ()
    finally:
        machine.run(("kill", "-9", pid))


def test_two_hundred_cycles_leave_nothing(machine: Machine, kernel: str) -> None:
    for _ in range(4):
        found = told(machine, "cycles", backends=FAMILIES, count=50 if kernel == "6.1" else 10)
        assert found == {"left": True, "descriptors": 0, "pins": [], "groups": ["kubepods"]}


def test_refusals_before_anything_is_changed(machine: Machine, agent: NodeAgent) -> None:
    ask = {"key": "k", "kind": "calls", "call": "read", "error": "EIO", "path": "/etc/hostname"}
    (found,) = agent.examine([ask])
    assert found["kprobe"] == (
        "where calls enter the kernel nothing is known of files, and some are named"
    )
    for ask, backend, why in (
        (
            calls("brk", "EAGAIN"),
            "fmod_ret",
            "a no to what the kernel asks on the way of brk can be ENOMEM alone",
        ),
        (
            calls("read", "EIO", scope={"pids": [1]}),
            "lsm_cgroup",
            "such programs are about control groups, and processes are named",
        ),
        (
            calls("read", "EIO", scope={"pods": ["no-such"]}),
            "fmod_ret",
            "no process is left in pods no-such; does the container still run on this node?",
        ),
    ):
        with pytest.raises(AgentError) as caught:
            agent.apply(ask, backend)
        assert str(caught.value) == (
            f"node 'guest': nothing was changed, no back end can do {ask['key']!r} here. {backend}: {why}"
        )
