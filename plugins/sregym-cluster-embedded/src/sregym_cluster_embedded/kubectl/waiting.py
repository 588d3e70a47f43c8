"""Watching one object until something holds, while virtual time moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.kubectl.client import JSON
from sregym_cluster_embedded.kubectl.errors import CommandError, ServerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

TIMED_OUT = "error: timed out waiting for the condition"

# A real command without a timeout waits for ever; the tool that runs one stops it.
PATIENCE_S = 900.0


def states(
    session: Session, kind: ResourceType, namespace: str | None, name: str, timeout_s: float | None
) -> Iterator[tuple[str, Object]]:
    """The object now and after each change: event type and object; ends at the timeout.

    The first is ADDED with the present state; nothing comes first when the object is not there.
    """
    query = (
        ("allowWatchBookmarks", "true"),
        ("fieldSelector", f"metadata.name={name}"),
        ("resourceVersionMatch", "NotOlderThan"),
        ("sendInitialEvents", "true"),
        ("timeoutSeconds", "86400"),
        ("watch", "true"),
    )
    request = Request(
        "GET",
        kind.path(namespace),
        query,
        {"accept": JSON, **session.headers},
        user=session.access.user,
    )
    limit = PATIENCE_S if timeout_s is None else timeout_s
    for event in session.access.watch(request, limit):
        if event["type"] == "ERROR":
            raise ServerError(event["object"])
        if event["type"] != "BOOKMARK":
            yield event["type"], event["object"]


def pause(session: Session, seconds: float) -> None:
    """Let time pass."""
    if seconds > 0:
        kind = session.client.resource_type("namespaces")
        for _ in states(session, kind, None, "-", seconds):
            pass


def timed_out() -> CommandError:
    """The error of a wait that was without success."""
    return CommandError(TIMED_OUT)


def wait_until_deleted(
    session: Session,
    kind: ResourceType,
    namespace: str | None,
    name: str,
    uid: str,
    timeout_s: float | None,
) -> bool:
    """Let time pass until the object with this uid is gone; False at the timeout."""
    path = kind.path(namespace, name)
    try:
        if session.client.send("GET", path)["metadata"]["uid"] != uid:
            return True
    except ServerError as error:
        if error.not_found:
            return True
        raise
    for kind_of_event, obj in states(session, kind, namespace, name, timeout_s):
        if kind_of_event == "DELETED" or obj["metadata"]["uid"] != uid:
            return True
    return False
