"""Pods and containers that a command starts or finds, and attaches to until they end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.containers import (
    ContainerExitedError,
    ContainerNotRunningError,
    attach_refusal,
)
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.waiting import pause, states, timed_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

# What has not ended by then is left to the binary.
PATIENCE_S = 900.0
# From the news that a pod is ready to the next request of the client.
_LATENCY_S = 0.1
_DEFAULT_TIMEOUT_S = 60.0
_NO_TERMINAL = "Unable to use a TTY - input is not a terminal or the right kind of file"
RECORDED = (
    "All commands and output from this session will be recorded in container logs, including "
    "credentials and sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter."
)
_ENDED = ("Succeeded", "Failed")


def tried_ahead(session: Session, act: Callable[[Session], None]) -> None:
    """Do what may wait for ever, after it has been seen to end.

    Raises:
        NotCovered: It does not end; nothing has happened.
    """
    ahead = replace(session, access=session.access.ahead(), out=[], err=[])
    with suppress(CommandError):
        act(ahead)
    act(session)


def run_and_attach(session: Session, obj: Object, restart: str) -> None:
    """Create a pod, attach to it, and end as it ends."""
    arguments = session.arguments
    timeout_s = arguments.duration("pod-running-timeout", _DEFAULT_TIMEOUT_S)
    kind = session.client.resource_type("pods")
    created = session.client.create(kind, session.namespace, obj)
    failure: CommandError | None = None
    try:
        _attend(session, created, timeout_s)
        if restart != "Always" and not arguments.on("leave-stdin-open"):
            failure = _exit_of(session, created, restart, timeout_s)
    except CommandError as error:
        failure = error
    if arguments.on("rm"):
        _remove(session, created)
    if failure is not None:
        raise failure


def _attend(session: Session, created: Object, timeout_s: float) -> None:
    metadata = created["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    pod = _until(session, created, timeout_s, _ready_or_ended)
    container = str(created["spec"]["containers"][0]["name"])
    if len(created["spec"]["containers"]) > 1:
        raise NotCovered("a pod of several containers")
    if pod["status"]["phase"] not in _ENDED:
        pause(session, _LATENCY_S)
    # What was written before anybody listens.
    session.out.append(log_of(session, namespace, name, container))
    if pod["status"]["phase"] in _ENDED:
        return
    join(session, namespace, name, container, fallback=f"pod/{name}")


def join(session: Session, namespace: str, pod: str, container: str, fallback: str = "") -> None:
    """Attach to a running container with the input of the command.

    With `fallback`, the name of the pod in messages, a container that has ended shows its log.

    Raises:
        CommandError: There is no process to join.
        NotCovered: It does not end.
    """
    arguments, access = session.arguments, session.access
    if arguments.on("stdin") and arguments.on("tty") and not arguments.on("quiet"):
        session.complain(_NO_TERMINAL)
    if not arguments.on("quiet"):
        session.complain(RECORDED)
    stdin = session.stdin if arguments.on("stdin") else None
    try:
        found = access.attach(namespace, pod, container, stdin, PATIENCE_S)
    except ServerError as error:
        if error.reason in ("Forbidden", "Unauthorized"):
            raise
        raise CommandError(f"error: unable to upgrade connection: {error.message}") from error
    except (ContainerExitedError, ContainerNotRunningError) as error:
        refused = attach_refusal(namespace, pod, container)
        text = f"unable to upgrade connection: {refused}"
        if isinstance(error, ContainerExitedError):
            text = str(error)
        if not fallback:
            raise CommandError(f"error: {text}") from None
        warning = f"couldn't attach to {fallback}, falling back to streaming logs"
        session.complain(f"warning: {warning}: {text}")
        session.out.append(log_of(session, namespace, pod, container))
        return
    if not found.ended:
        raise NotCovered("what does not end")
    session.out.append(found.stdout)
    session.err.append(found.stderr)


def log_of(session: Session, namespace: str, pod: str, container: str) -> str:
    """What a container has written up to now."""
    path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
    text: str = session.client.send("GET", path, [("container", container)])
    return text


def _until(
    session: Session, created: Object, timeout_s: float, holds: Callable[[Object], bool]
) -> Object:
    metadata = created["metadata"]
    kind = session.client.resource_type("pods")
    for event, obj in states(session, kind, metadata["namespace"], metadata["name"], timeout_s):
        if event == "DELETED":
            raise ServerError(_not_found(metadata["name"]))
        if holds(obj):
            return obj
    raise timed_out()


def _not_found(name: str) -> Object:
    return {"reason": "NotFound", "message": f'pods "{name}" not found'}


def _ready_or_ended(pod: Object) -> bool:
    status = pod.get("status", {})
    if status.get("phase") in _ENDED:
        return True
    conditions = status.get("conditions", ())
    ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
    return ready and status.get("phase") == "Running"


def _exit_of(
    session: Session, created: Object, restart: str, timeout_s: float
) -> CommandError | None:
    """How the pod ended, as an error with the exit code of its container."""
    wanted = _ENDED if restart == "Never" else _ENDED[:1]
    pod = _until(session, created, timeout_s, lambda p: p.get("status", {}).get("phase") in wanted)
    if pod["status"]["phase"] == "Succeeded":
        return None
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    statuses = pod["status"].get("containerStatuses") or [{}]
    ended = statuses[0].get("state", {}).get("terminated") or {}
    if not ended.get("exitCode"):
        return CommandError(f"error: pod {name} failed with unknown exit code")
    text = f"pod {name} terminated ({ended.get('reason', '')})\n{ended.get('message', '')}"
    return CommandError(text, ended["exitCode"])


def _remove(session: Session, created: Object) -> None:
    metadata = created["metadata"]
    kind = session.client.resource_type("pods")
    path = kind.path(metadata["namespace"], metadata["name"])
    try:
        session.client.send("DELETE", path, body={"propagationPolicy": "Background"})
    except ServerError as error:
        if error.not_found:
            return
        raise
    if not session.arguments.on("quiet"):
        session.say(f'pod "{metadata["name"]}" deleted from {metadata["namespace"]} namespace')
