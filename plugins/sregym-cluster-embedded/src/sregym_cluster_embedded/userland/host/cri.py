"""Containers, pods and images of a node as its runtime lists them; the command lines of its clients."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.images import IMAGES
from sregym_cluster_embedded.kubelet.state import EXITED, RUNNING
from sregym_cluster_embedded.node.system_objects import PAUSE_IMAGE, PAUSE_SIZE_BYTES
from sregym_cluster_embedded.userland.host.processes import sandbox_id
from sregym_cluster_embedded.userland.host.redacted import visible_pods
from sregym_cluster_embedded.userland.host.units import CONTAINERD, is_active
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubelet.state import ContainerState, PodState
    from sregym_cluster_embedded.world import World

SHORT = 13
STATES = {RUNNING: "Running", EXITED: "Exited"}
_VALUED = ("-o", "--output", "--name", "--state", "--tail", "--since", "--pod", "-p", "--label", "-l", "--last", "-n", "--id", "--image", "--namespace", "-r", "--runtime-endpoint", "-i", "--image-endpoint", "-t", "--timeout", "-a", "--address")  # fmt: skip


class ParsedCommandLine(NamedTuple):
    """A command line: operands, and options by name."""

    operands: list[str]
    options: dict[str, str]

    def on(self, *names: str) -> bool:
        """Whether one of these options is there."""
        return any(name in self.options for name in names)

    def get(self, *names: str) -> str:
        """The value of an option; empty without it."""
        return next((self.options[name] for name in names if name in self.options), "")


class Listed(NamedTuple):
    """A container as the runtime lists it."""

    pod: PodState
    state: ContainerState
    order: int


def parse_command_line(words: Sequence[str], switches: Sequence[str]) -> ParsedCommandLine:
    """A command line taken apart; `switches` are options that take no value here."""
    operands: list[str] = []
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        name, equals, value = word.partition("=")
        if not equals and name in _VALUED and name not in switches and rest:
            value = rest.pop(0)
        options[name] = value
        if re.fullmatch(r"-[a-z]{2,3}", name):
            options |= {f"-{letter}": "" for letter in name[1:]}
    return ParsedCommandLine(operands, options)


def runs(session: Session) -> bool:
    """Whether the runtime answers."""
    world, node = session.world, session.process.config.node
    return (
        is_active(world, node, CONTAINERD)
        and unresponsive.absent(world, node) != unresponsive.NO_RUNTIME
    )


def containers_of(session: Session) -> list[Listed]:
    """The containers that were started, latest first."""
    found = [
        Listed(pod, state, order)
        for pod in visible_pods(session.world, session.process.config.node)
        for order, state in enumerate(pod.containers.values())
        if state.phase in STATES and state.container_id
    ]
    return sorted(found, key=lambda one: -(one.state.started_at or 0.0))


def named(session: Session, prefix: str) -> Listed | None:
    """The container whose id begins so."""
    return next(
        (
            one
            for one in containers_of(session)
            if prefix and one.state.container_id.startswith(prefix)
        ),
        None,
    )


def missing(prefix: str) -> Output:
    """What is said of a container that is not there."""
    why = f'rpc error: code = NotFound desc = an error occurred when try to find container \\"{prefix}\\": not found'
    return Output(
        1,
        "",
        f'E0101 remote_runtime.go] "ContainerStatus from runtime service failed" err="{why}" containerID="{prefix}"\n',
    )


def age(session: Session, at: float | None) -> str:
    """How long ago something was, as `crictl` shows it."""
    seconds = max(0, int(session.world.now - (at or 0.0)))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}s ago"
        if seconds >= size:
            return f"{'About a' if unit != 'hour' else 'About an'} {unit} ago"
    return f"{seconds} seconds ago" if seconds != 1 else "1 second ago"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as what stands in them; the first row holds the titles."""
    wide = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "".join(
        "   ".join(f"{cell:<{wide[n]}}" for n, cell in enumerate(row)).rstrip() + "\n"
        for row in rows
    )


def image_id(session: Session, image: str) -> str:
    """The id of an image on the node."""
    known = session.world.table(IMAGES).get((session.process.config.node, image))
    text = known[0] if known else image
    return sha256(f"image {text}".encode()).hexdigest()


def images_of(world: World, node: str) -> list[tuple[str, str, int]]:
    """(reference, id, bytes) of the images on a node, by reference."""
    table = world.table(IMAGES)
    found = [
        (image, known[0], known[1]) for (place, image), known in table.items() if place == node
    ]
    return sorted([*found, (PAUSE_IMAGE, PAUSE_IMAGE, PAUSE_SIZE_BYTES)])


def reference_of(image: str) -> tuple[str, str]:
    """Name and tag of an image, in full."""
    name, at, digest = image.partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    first = head.partition("/")[0]
    where = "" if "." in first or ":" in first or first == "localhost" else "docker.io/"
    library = "library/" if where and not slash else ""
    return f"{where}{library}{head}{slash}{last}", digest[:12] if at else tag or "latest"


def described(session: Session, one: Listed) -> dict[str, Any]:
    """A container as `crictl ps -o json` has it."""
    at = int((session.world.epoch + (one.state.started_at or 0.0)) * 1e9)
    return {
        "id": one.state.container_id,
        "podSandboxId": sandbox_id(one.pod),
        "metadata": {"name": one.state.name, "attempt": one.state.attempt},
        "image": {"image": f"sha256:{image_id(session, one.state.image)}"},
        "imageRef": f"sha256:{image_id(session, one.state.image)}",
        "state": f"CONTAINER_{STATES[one.state.phase].upper()}",
        "createdAt": str(at),
        "labels": _labels(one),
    }


def _labels(one: Listed) -> dict[str, str]:
    return {
        "io.kubernetes.container.name": one.state.name,
        "io.kubernetes.pod.name": one.pod.key.name,
        "io.kubernetes.pod.namespace": one.pod.key.namespace,
        "io.kubernetes.pod.uid": one.pod.uid,
    }
