"""`crictl` and `ctr`: what the container runtime of a node knows, and does when it is asked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.kubelet.broken_parts import node_problems
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.state import RUNNING
from sregym_cluster_embedded.userland.host.cri import (
    SHORT,
    STATES,
    ParsedCommandLine,
    age,
    containers_of,
    described,
    image_id,
    images_of,
    missing,
    named,
    parse_command_line,
    reference_of,
    runs,
    table,
)
from sregym_cluster_embedded.userland.host.cri_images import images, pull, rmi
from sregym_cluster_embedded.userland.host.processes import container_pid, sandbox_id
from sregym_cluster_embedded.userland.host.redacted import visible_pods
from sregym_cluster_embedded.userland.life import end
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

_NO_RUNTIME = (
    'time="{}" level=fatal msg="validate service connection: validate CRI v1 runtime API for '
    'endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unavailable desc = '
    'connection error: desc = \\"transport: Error while dialing: dial unix '
    '/run/containerd/containerd.sock: connect: connection refused\\""\n'
)


def _crictl(session: Session, words: list[str], stdin: str) -> Output:
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        taken = (
            2
            if rest[0]
            in (
                "-r",
                "--runtime-endpoint",
                "-i",
                "--image-endpoint",
                "-t",
                "--timeout",
                "-c",
                "--config",
            )
            else 1
        )
        if rest[0] in ("-v", "--version"):
            return Output(0, "crictl version v1.34.0\n")
        rest = rest[taken:]
    verb = rest[0] if rest else "help"
    known = _VERBS.get(verb)
    if known is None:
        return Output(
            1, "", f'time="{_stamp(session)}" level=fatal msg="unknown command: {verb}"\n'
        )
    if not runs(session):
        return Output(1, "", _NO_RUNTIME.format(_stamp(session)))
    if verb in ("exec",):
        return _exec(session, rest[1:], stdin)
    switches = ("-a", "-p") if verb in ("ps", "pods", "images", "rmi", "rm", "rmp", "stats") else ()
    return known(session, parse_command_line(rest[1:], switches))


def _stamp(session: Session) -> str:
    return f"{datetime.fromtimestamp(session.files.now, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _ps(session: Session, asked: ParsedCommandLine) -> Output:
    found = containers_of(session)
    state = asked.get("--state", "-s").lower()
    if state:
        found = [one for one in found if STATES[one.state.phase].lower() == state]
    elif not asked.on("-a", "--all"):
        found = [one for one in found if one.state.phase == RUNNING]
    if asked.get("--name"):
        found = [one for one in found if asked.get("--name") in one.state.name]
    if asked.get("--pod", "-p"):
        found = [one for one in found if sandbox_id(one.pod).startswith(asked.get("--pod", "-p"))]
    if asked.get("--namespace"):
        found = [one for one in found if one.pod.key.namespace == asked.get("--namespace")]
    if asked.on("-q", "--quiet"):
        return Output(0, "".join(f"{one.state.container_id}\n" for one in found))
    if asked.get("-o", "--output") == "json":
        return Output(
            0,
            json.dumps({"containers": [described(session, one) for one in found]}, indent=2) + "\n",
        )
    rows = [
        ("CONTAINER", "IMAGE", "CREATED", "STATE", "NAME", "ATTEMPT", "POD ID", "POD", "NAMESPACE")
    ]
    for one in found:
        rows.append((
            one.state.container_id[:SHORT], image_id(session, one.state.image)[:SHORT],
            age(session, one.state.started_at), STATES[one.state.phase], one.state.name,
            str(one.state.attempt), sandbox_id(one.pod)[:SHORT], one.pod.key.name, one.pod.key.namespace,
        ))  # fmt: skip
    return Output(0, table(rows))


def _pods(session: Session, asked: ParsedCommandLine) -> Output:
    found = [
        one
        for one in visible_pods(session.world, session.process.config.node)
        if one.sandbox or one.ended
    ]
    if asked.get("--name"):
        found = [one for one in found if asked.get("--name") in one.key.name]
    if asked.get("--namespace"):
        found = [one for one in found if one.key.namespace == asked.get("--namespace")]
    if asked.on("-q", "--quiet"):
        return Output(0, "".join(f"{sandbox_id(one)}\n" for one in found))
    rows = [("POD ID", "CREATED", "STATE", "NAME", "NAMESPACE", "ATTEMPT", "RUNTIME")]
    for one in found:
        starts = [entry.started_at for entry in one.containers.values() if entry.started_at]
        rows.append((
            sandbox_id(one)[:SHORT], age(session, min(starts, default=session.world.now)),
            "NotReady" if one.ended else "Ready", one.key.name, one.key.namespace, "0", "(default)",
        ))  # fmt: skip
    return Output(0, table(rows))


def _logs(session: Session, asked: ParsedCommandLine) -> Output:
    one = named(session, asked.operands[-1] if asked.operands else "")
    if one is None:
        return missing(asked.operands[-1] if asked.operands else "")
    count = asked.get("--tail")
    lines = session.runtime.logs(
        session.world, one.pod.ref(one.state.name), int(count) if count.isdecimal() else None
    )
    out = err = ""
    for line in lines:
        when = datetime.fromtimestamp(session.world.epoch + line.at, UTC)
        stamp = f"{when:%Y-%m-%dT%H:%M:%S.%f}000Z " if asked.on("-t", "--timestamps") else ""
        if line.stream == "stdout":
            out += f"{stamp}{line.text}\n"
        else:
            err += f"{stamp}{line.text}\n"
    return Output(0, out, err)


def _inspect(session: Session, asked: ParsedCommandLine) -> Output:
    one = named(session, asked.operands[-1] if asked.operands else "")
    if one is None:
        return missing(asked.operands[-1] if asked.operands else "")
    state, world = one.state, session.world
    pid = container_pid(session.process.config.node, one.pod.uid, one.order, state.attempt)
    status = {
        **described(session, one),
        "startedAt": _time(world, state.started_at),
        "finishedAt": "0001-01-01T00:00:00Z"
        if state.phase == RUNNING
        else _time(world, state.finished_at),
        "exitCode": 0 if state.exit is None else state.exit.exit_code,
        "reason": "" if state.exit is None else state.exit.reason,
        "logPath": f"/var/log/pods/{one.pod.key.namespace}_{one.pod.key.name}_{one.pod.uid}/{state.name}/{state.attempt}.log",
    }
    content = {
        "status": status,
        "info": {"pid": pid if state.phase == RUNNING else 0, "sandboxID": sandbox_id(one.pod)},
    }
    return Output(0, json.dumps(content, indent=2) + "\n")


def _time(world: World, at: float | None) -> str:
    return world.micro_timestamp(at or 0.0)


def _inspectp(session: Session, asked: ParsedCommandLine) -> Output:
    word = asked.operands[-1] if asked.operands else ""
    for one in visible_pods(session.world, session.process.config.node):
        if word and sandbox_id(one).startswith(word):
            pod = pod_of(session.world, one)
            metadata = {
                "name": one.key.name,
                "namespace": one.key.namespace,
                "uid": one.uid,
                "attempt": 0,
            }
            state = "SANDBOX_NOTREADY" if one.ended else "SANDBOX_READY"
            labels = {} if pod is None else pod["metadata"].get("labels", {})
            status = {
                "id": sandbox_id(one),
                "metadata": metadata,
                "state": state,
                "network": {"ip": one.ip},
                "labels": labels,
            }
            return Output(0, json.dumps({"status": status}, indent=2) + "\n")
    return missing(word)


def _stats(session: Session, _asked: ParsedCommandLine) -> Output:
    world = session.world
    service = world.service_or_none(USAGE)
    rows = [("CONTAINER", "NAME", "CPU %", "MEM", "DISK", "INODES")]
    for one in containers_of(session):
        if one.state.phase != RUNNING:
            continue
        shares = [] if service is None else service.containers(world, one.pod.uid)
        cpu = sum(share.cpu_nanocores for share in shares if share.name == one.state.name) / 1e7
        memory = session.runtime.memory_bytes(world, one.pod.ref(one.state.name))
        rows.append(
            (
                one.state.container_id[:SHORT],
                one.state.name,
                f"{cpu:.2f}",
                f"{memory / 1e6:.4g}MB",
                "32.77kB",
                "12",
            )
        )
    return Output(0, table(rows))


def _stop(session: Session, asked: ParsedCommandLine) -> Output:
    out = ""
    for word in asked.operands:
        one = named(session, word)
        if one is None:
            return missing(word)
        if one.state.phase == RUNNING:
            # The kubelet finds it ended and starts it again, as the restart policy says.
            end(session.world, one.pod.ref(one.state.name), 137, "Error")
        out += f"{word}\n"
    return Output(0, out)


def _exec(session: Session, words: list[str], stdin: str) -> Output:
    rest = [
        word
        for word in words
        if word not in ("-i", "-t", "-it", "-ti", "--interactive", "--tty", "-s", "--sync")
    ]
    one = named(session, rest[0] if rest else "")
    if one is None or one.state.phase != RUNNING:
        return missing(rest[0] if rest else "")
    command = rest[2:] if rest[1:2] == ["--"] else rest[1:]
    done = session.runtime.exec(session.world, one.pod.ref(one.state.name), tuple(command), stdin)
    session.slept_s += done.duration_s
    if done.error:
        return Output(1, "", f"FATA[0000] execing command in container: {done.error}\n")
    return Output(done.exit_code, done.stdout, done.stderr)


def _info(session: Session, _asked: ParsedCommandLine) -> Output:
    world, node = session.world, session.process.config.node
    network = not node_problems(world, node)
    conditions = [
        {"type": "RuntimeReady", "status": True, "reason": "", "message": ""},
        {"type": "NetworkReady", "status": network, "reason": "" if network else "NetworkPluginNotReady",
         "message": "" if network else "Network plugin returns error: cni plugin not initialized"},
    ]  # fmt: skip
    return Output(
        0,
        json.dumps(
            {
                "status": {"conditions": conditions},
                "cniconfig": {"PluginDirs": ["/opt/cni/bin"], "PluginConfDir": "/etc/cni/net.d"},
            },
            indent=2,
        )
        + "\n",
    )


def _version(session: Session, _asked: ParsedCommandLine) -> Output:
    info = session.files.container.node.get("status", {}).get("nodeInfo", {})
    version = str(info.get("containerRuntimeVersion", "containerd://2.1.4")).rpartition("/")[2]
    return Output(
        0,
        f"Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v{version}\nRuntimeApiVersion:  v1\n",
    )


_VERBS: dict[str, Callable[[Session, ParsedCommandLine], Output]] = {
    "ps": _ps, "pods": _pods, "images": images, "img": images, "image": images, "rmi": rmi,
    "pull": pull, "logs": _logs, "inspect": _inspect, "inspectp": _inspectp, "stats": _stats,
    "stop": _stop, "info": _info, "version": _version, "exec": lambda _s, _a: Output(),
}  # fmt: skip


def _ctr(session: Session, words: list[str], _stdin: str) -> Output:
    """The part of `ctr` that shows; it knows containers by id, and images by name."""
    rest = words[1:]
    namespace = "default"
    while rest and rest[0].startswith("-"):
        if rest[0] in ("-n", "--namespace", "-a", "--address"):
            namespace = rest[1] if rest[0] in ("-n", "--namespace") and len(rest) > 1 else namespace
            rest = rest[2:]
        else:
            namespace = rest[0].partition("=")[2] or namespace
            rest = rest[1:]
    if not runs(session):
        return Output(
            1,
            "",
            'ctr: failed to dial "/run/containerd/containerd.sock": connection error: desc = "transport: error while dialing: dial unix:///run/containerd/containerd.sock: timeout"\n',
        )
    what, verb = (rest[0] if rest else "help"), (rest[1] if len(rest) > 1 else "ls")
    asked = parse_command_line(rest[2:], ())
    if what in ("namespaces", "namespace", "ns"):
        return Output(0, "NAME   LABELS \nk8s.io        \n")
    ours, node = namespace == "k8s.io", session.process.config.node
    if what in ("images", "image", "i") and verb in ("ls", "list"):
        rows = [("REF", "TYPE", "DIGEST", "SIZE")]
        rows += [
            (":".join(reference_of(image)), "application/vnd.oci.image.index.v1+json", f"sha256:{image_id(session, image)}", f"{size / 2**20:.1f} MiB")
            for image, _, size in images_of(session.world, session.process.config.node) if ours
        ]  # fmt: skip
        return Output(
            0, "".join(f"{row[0]}\n" for row in rows[1:]) if asked.on("-q") else table(rows)
        )
    if what in ("images", "image", "i") and verb in ("rm", "remove", "delete", "del"):
        return rmi(session, asked)
    if what in ("containers", "container", "c", "tasks", "task", "t") and verb in ("ls", "list"):
        found = [one for one in containers_of(session) if ours]
        listed: list[tuple[str, ...]] = [("CONTAINER", "IMAGE", "RUNTIME")]
        for one in found:
            image = ":".join(reference_of(one.state.image))
            listed.append((one.state.container_id, image, "io.containerd.runc.v2"))
        if what in ("tasks", "task", "t"):
            listed = [("TASK", "PID", "STATUS")]
            for one in found:
                if one.state.phase == RUNNING:
                    pid = container_pid(node, one.pod.uid, one.order, one.state.attempt)
                    listed.append((one.state.container_id, str(pid), "RUNNING"))
        return Output(0, table(listed))
    if what == "version":
        return _version(session, asked)
    return Output(1, "", f'ctr: "{what} {verb}" is not among what this build carries out\n')


CRI_COMMANDS: dict[str, Command] = {"crictl": _crictl, "ctr": _ctr}
