"""`ssh` from node to node, which trust each other; and the versions of what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.network.links import PathEnd, path_between
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.userland.host.units import SSH, is_active
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.machines import Machine

_VALUED = "bcDEeFIiJLlmOopQRSWw"
_SSH_PORT = 22
_FAILED = 255
_WORDS = {
    Outcome.TIMEOUT: "Connection timed out", Outcome.REFUSED: "Connection refused",
    Outcome.RESET: "Connection reset by peer", Outcome.NO_ROUTE: "No route to host",
}  # fmt: skip


def _ssh(session: Session, words: list[str], stdin: str) -> Output:
    if words[1:2] == ["-V"]:
        return Output(0, "", "OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.16 11 Feb 2025\n")
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option[-1] in _VALUED and len(option) == 2 and rest:
            rest.pop(0)
    if not rest:
        return Output(_FAILED, "", "usage: ssh [-46AaCfGgKkMNnqsTtVvXxYy] [-B bind_interface]\n")
    user, _, host = rest[0].rpartition("@")
    machine = _machine(session, host)
    if machine is None:
        return Output(
            _FAILED, "", f"ssh: Could not resolve hostname {host}: Name or service not known\n"
        )
    if (why := _unreachable(session, machine)) is not None:
        return Output(_FAILED, "", f"ssh: connect to host {host} port {_SSH_PORT}: {why}\n")
    if user not in ("", "root"):
        return Output(_FAILED, "", f"{user}@{host}: Permission denied (publickey,hostbased).\n")
    line = " ".join(rest[1:])
    argv = ["bash", "-c", line] if line else ["bash"]
    if not line and session.on_terminal:
        session.entered = machine.name
        return Output()
    done = session.runtime.run_on_host(session.world, machine.name, argv, stdin)
    session.slept_s += done.duration_s
    return Output(done.exit_code, done.stdout, done.stderr)


def _machine(session: Session, host: str) -> Machine | None:
    """The node that a name or address means, as /etc/hosts has it."""
    for line in (session.files.read("/etc/hosts") or "").splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if host in names:
            host = address
            break
    if host in ("localhost", "127.0.0.1", "::1"):
        return machines.machine(session.world, session.process.config.node)
    return next((one for one in machines.machines(session.world) if one.address == host), None)


def _unreachable(session: Session, machine: Machine) -> str | None:
    """Why no connection to a node can be made; None when it can."""
    world, here = session.world, session.process.config
    if not machine.powered:
        return "No route to host"
    target = PathEnd("", "", machine.name, machine.address)
    path = path_between(world, PathEnd("", "", here.node, here.pod_ip), target)
    if machine.name != here.node and path.fails is not None:
        session.slept_s += 10.0 if path.fails is Outcome.TIMEOUT else 0.0
        return _WORDS.get(path.fails, "Connection timed out")
    return None if is_active(world, machine.name, SSH) else "Connection refused"


def _version(session: Session, words: list[str], _stdin: str) -> Output:
    info = session.files.container.node.get("status", {}).get("nodeInfo", {})
    kubernetes = str(info.get("kubeletVersion", "v1.36.2"))
    runtime = str(info.get("containerRuntimeVersion", "containerd://2.1.4")).rpartition("/")[2]
    name = words[0].rpartition("/")[2]
    asks = {"--version", "version", "-v", "-o"} & set(words[1:])
    texts = {
        "kubelet": f"Kubernetes {kubernetes}\n",
        "kube-proxy": f"Kubernetes {kubernetes}\n",
        "kubeadm": f"kubeadm version: {kubernetes}\n",
        "containerd": f"containerd github.com/containerd/containerd/v2 v{runtime}\n",
        "runc": "runc version 1.3.0\nspec: 1.2.1\n",
        "sshd": "OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.16 11 Feb 2025\n",
        "chronyd": "chronyd (chrony) version 4.3\n",
    }
    if not asks:
        return Output(1, "", f"{name}: another instance is already running\n")
    return Output(0, texts[name])


def _hostnamectl(session: Session, _words: list[str], _stdin: str) -> Output:
    info = session.files.container.node.get("status", {}).get("nodeInfo", {})
    rows = (
        ("Static hostname", session.process.config.node), ("Icon name", "computer-vm"),
        ("Chassis", "vm"), ("Machine ID", info.get("machineID", "")), ("Boot ID", info.get("bootID", "")),
        ("Virtualization", "kvm"), ("Operating System", info.get("osImage", "")),
        ("Kernel", f"Linux {info.get('kernelVersion', '')}"), ("Architecture", "x86-64"),
    )  # fmt: skip
    return Output(0, "".join(f"{name:>17}: {value}\n" for name, value in rows))


REMOTE_COMMANDS: dict[str, Command] = {
    "ssh": _ssh, "hostnamectl": _hostnamectl,
    **dict.fromkeys(
        ("kubelet", "kube-proxy", "kubeadm", "containerd", "runc", "sshd", "chronyd"), _version
    ),
}  # fmt: skip
