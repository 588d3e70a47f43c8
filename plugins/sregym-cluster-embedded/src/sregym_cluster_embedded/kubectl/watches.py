"""`kubectl get -w`: what there is, then what changes, until a time that is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.kubectl.client import JSON, TABLE
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import parse_duration
from sregym_cluster_embedded.kubectl.get import rows_of
from sregym_cluster_embedded.kubectl.printing import formatted
from sregym_cluster_embedded.kubectl.tables import Growing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.builder import Target
    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_TABLES = ("", "wide")
# Letters that the longest kind of event has.
_EVENT = len("MODIFIED")
_ONE_BY_ONE = re.compile(r"name|json|jsonpath=.*|go-template=.*|template=.*", re.DOTALL)


def time_limit(session: Session) -> float:
    """Seconds after which a request is given up; 0 when it is not.

    Raises:
        NotCovered: The limit is none.
    """
    text = session.arguments.text("request-timeout", "0")
    return float(text) if text.isdigit() else parse_duration(text)


def watch(session: Session, wanted: Sequence[tuple[Target, str | None]]) -> None:
    """Run a watch that has a limit, or one that the server refuses.

    Raises:
        NotCovered: It would not end.
    """
    if len({target.kind for target, _ in wanted}) > 1:
        raise CommandError("error: you may only specify a single resource type")
    if len(wanted) != 1 or session.arguments.has("sort-by"):
        raise NotCovered("a watch of several objects")
    output = session.arguments.text("output")
    if output not in _TABLES and not _ONE_BY_ONE.fullmatch(output):
        raise NotCovered("a watch in this format")
    target, namespace = wanted[0]
    limit_s = time_limit(session)
    screen = _Screen(session, target.kind)
    present, request = _present(session, target, namespace)
    if limit_s <= 0:
        _only_refused(session, request, present, screen)
        return
    silent = session.arguments.on("watch-only")
    if not silent:
        screen.show("ADDED", present)
    # The first event of one object tells what is known already.
    skipped = bool(target.name)
    for event in session.access.watch(request, limit_s):
        if event["type"] == "ERROR":
            raise ServerError(event["object"])
        if not skipped:
            screen.show(event["type"], event["object"])
        skipped = False


def _present(
    session: Session, target: Target, namespace: str | None
) -> tuple[dict[str, Any], Request]:
    """What there is now, and the request for what changes."""
    client, kind = session.client, target.kind
    accept = TABLE if session.arguments.text("output") in _TABLES else JSON
    query = [
        (parameter, session.arguments.text(flag))
        for flag, parameter in (("field-selector", "fieldSelector"), ("selector", "labelSelector"))
        if session.arguments.text(flag)
    ]
    if target.name:
        present = client.get(kind, namespace, target.name, (), accept)
        query = [("fieldSelector", f"metadata.name={target.name}"), ("resourceVersion", "0")]
    else:
        pages = list(client.pages(kind, namespace, query, accept))
        if len(pages) > 1:
            raise NotCovered("a watch of very many objects")
        present = pages[0]
        query.append(("resourceVersion", present["metadata"]["resourceVersion"]))
    query.append(("watch", "true"))
    headers = {"accept": accept, **session.headers}
    user = session.access.user
    return present, Request("GET", kind.path(namespace), tuple(query), headers, user=user)


def _only_refused(
    session: Session, request: Request, present: dict[str, Any], screen: _Screen
) -> None:
    first = next(session.access.watch(request, 0.0), None)
    if first is None or first["type"] != "ERROR":
        raise NotCovered("a watch")
    screen.show("ADDED", present)
    raise ServerError(first["object"])


class _Screen:
    """Prints what comes, the columns never narrower than they were."""

    def __init__(self, session: Session, kind: ResourceType) -> None:
        self._session = session
        self._kind = kind
        self._table = Growing()
        self._with_events = session.arguments.on("output-watch-events")
        self._headed = False
        if self._with_events and session.arguments.text("output") not in _TABLES:
            raise NotCovered("events in this format")

    def show(self, event: str, found: Object) -> None:
        """Print an object, the objects of a list, or the rows of a table."""
        arguments = self._session.arguments
        if found.get("kind") == "Table":
            self._show_table(event, found)
            return
        if "items" in found:
            head = {"apiVersion": self._kind.api_version, "kind": self._kind.kind}
            objects = [{**head, **item} for item in found["items"]]
        else:
            objects = [found]
        for obj in objects:
            if arguments.text("output") == "name":
                self._session.say(f"{self._kind.shown}/{obj['metadata']['name']}")
            else:
                self._session.out.append(formatted(arguments, [obj], single=True))

    def _show_table(self, event: str, table: Object) -> None:
        if not table["rows"]:
            return
        if table.get("columnDefinitions"):
            self._columns = table["columnDefinitions"]
        table = {**table, "columnDefinitions": self._columns}
        show_kind = self._session.arguments.on("show-kind")
        head, rows = rows_of(self._session, self._kind, table, show_kind)
        if self._with_events:
            head = [[f"{'EVENT':{_EVENT}}", *row] for row in head]
            rows = [[f"{event:{_EVENT}}", *row] for row in rows]
        lines = rows if self._headed else [*head, *rows]
        self._headed = True
        self._session.out.append(self._table.aligned(lines))
