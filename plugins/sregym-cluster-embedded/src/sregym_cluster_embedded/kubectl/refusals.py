"""Commands of which only the refusals are told in process; what they do is the binary's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import NOTHING_NAMED, targets
from sregym_cluster_embedded.kubectl.containers import (
    attach_refusal,
    container_status,
    default_container,
)
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.usage import usage_error

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

NO_FLAGS: tuple[Flag, ...] = ()
COPY_FLAGS = (Flag("container", "c"), switch("no-preserve"))
ATTACH_FLAGS = (Flag("container", "c"), switch("stdin", "i"), switch("tty", "t"))
DEBUG_FLAGS = (Flag("image"), Flag("container", "c"))
PROXY_FLAGS = (Flag("port", "p"),)

_RECORDED = (
    "All commands and output from this session will be recorded in container logs, including "
    "credentials and sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter."
)
_REMOTE = re.compile(r"(?:([^/:]+)/)?([^/:]+):(.*)", re.DOTALL)
_PORTS = 65536


def copy(session: Session) -> None:
    """Run `kubectl cp` of what cannot be copied."""
    words = session.arguments.words
    if len(words) != 2:
        raise CommandError("error: source and destination are required")
    source, target = (_REMOTE.fullmatch(word) for word in words)
    if source is not None and target is not None:
        raise CommandError("error: one of src or dest must be a local file specification")
    remote = source or target
    if remote is None:
        raise CommandError("error: one of src or dest must be a remote file specification")
    if target is not None and not (session.files / words[0]).exists():
        raise CommandError(f"error: {words[0]} doesn't exist in local filesystem")
    kind = session.client.resource_type("pods")
    session.client.get(kind, remote[1] or session.namespace, remote[2])
    raise NotCovered("cp")


def attach(session: Session) -> None:
    """Run `kubectl attach` to a pod that is not there or has ended."""
    arguments = session.arguments
    words = arguments.words
    if not words:
        raise CommandError("error: at least 1 argument is required for attach")
    if len(words) > 1 or "/" in words[0]:
        raise NotCovered("attach to a workload")
    kind = session.client.resource_type("pods")
    pod = session.client.get(kind, session.namespace, words[0])
    phase = pod.get("status", {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        what = "cannot attach a container in a completed pod"
        raise CommandError(f"error: {what}; current phase is {phase}")
    name = arguments.text("container") or default_container(pod)
    status = container_status(pod, name)
    if arguments.on("stdin") or status is None or "running" in status["state"]:
        raise NotCovered("attach")
    session.complain(_RECORDED)
    refused = attach_refusal(pod["metadata"]["namespace"], pod["metadata"]["name"], name)
    raise CommandError(f"error: unable to upgrade connection: {refused}")


def debug(session: Session) -> None:
    """Run `kubectl debug` without an image."""
    if not session.arguments.has("image"):
        raise CommandError("error: you must specify --image when not using --copy-to.")
    raise NotCovered("debug")


def edit(session: Session) -> None:
    """Run `kubectl edit` of what is not there."""
    words = session.arguments.words
    if not words:
        raise CommandError(NOTHING_NAMED)
    for target in targets(session.client, words):
        if not target.name:
            raise NotCovered("edit all")
        session.client.get(target.kind, session.namespace, target.name)
    raise NotCovered("edit")


def forward(session: Session) -> None:
    """Run `kubectl port-forward` without a port."""
    if len(session.arguments.words) < 2:
        text = "TYPE/NAME and list of ports are required for port-forward"
        raise usage_error("port-forward", text)
    raise NotCovered("port-forward")


def proxy(session: Session) -> None:
    """Run `kubectl proxy` at a port that there is not."""
    port = session.arguments.number("port", 0)
    if port >= _PORTS:
        raise CommandError(f"error: listen tcp: address {port}: invalid port")
    raise NotCovered("proxy")
