"""`kubectl events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.ages import interval, unix_seconds
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.go_sort import go_sorted
from sregym_cluster_embedded.kubectl.printing import formatted, is_format, refuse_format
from sregym_cluster_embedded.kubectl.tables import aligned

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *IGNORED, switch("all-namespaces", "A"), Flag("for"), Flag("types", kind="list"),
    switch("no-headers"),
)  # fmt: skip


def events(session: Session) -> None:
    """Run `kubectl events` without `-w`."""
    arguments = session.arguments
    columns = arguments.text("output").startswith("custom-columns")
    output = arguments.text("output")
    if output and (columns or (output != "name" and not is_format(output))):
        refuse_format(arguments)
    wanted = [word.lower() for word in arguments.all("types")]
    if not set(wanted) <= {"normal", "warning"}:
        raise CommandError("error: valid --types are Normal or Warning")
    everywhere = arguments.on("all-namespaces")
    namespace = None if everywhere else session.namespace
    kind = session.client.resource_type("events")
    found = session.client.list(kind, namespace, _about(session))
    if wanted:
        found = [event for event in found if event.get("type", "").lower() in wanted]
    if not found:
        where = "events" if everywhere else f"events found in {session.namespace} namespace."
        session.complain("No events found." if everywhere else f"No {where}")
        return
    found = go_sorted(found, _moment)
    if arguments.text("output"):
        listed = {"apiVersion": "v1", "items": found, "kind": "EventList", "metadata": {}}
        if arguments.text("output") == "name":
            # A list has no name.
            session.say("")
            return
        session.out.append(formatted(arguments, [listed], single=True))
        return
    now = session.access.unix_now()
    head = ["NAMESPACE"] if everywhere else []
    head += ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    rows = [] if arguments.on("no-headers") else [head]
    for event in found:
        about = event["involvedObject"]
        row = [event["metadata"]["namespace"]] if everywhere else []
        row += [
            interval(event, now),
            event.get("type", ""),
            event.get("reason", ""),
            f"{about.get('kind', '')}/{about.get('name', '')}",
            event.get("message", "").strip(),
        ]
        rows.append(row)
    session.out.append(aligned(rows))


def _about(session: Session) -> list[tuple[str, str]]:
    what = session.arguments.text("for")
    if not what:
        return []
    word, slash, name = what.partition("/")
    if not slash:
        raise CommandError("error: --for must be in resource/name form")
    if not word:
        raise CommandError("error: a resource must be present, got: /, Resource=")
    if not name or "/" in name:
        raise NotCovered(f"--for={what}")
    kind = session.client.discovery().find(word)
    if kind is None:
        raise CommandError(f'the server doesn\'t have a resource type "{word}"')
    selector = (
        f"involvedObject.apiVersion={kind.api_version},involvedObject.kind={kind.kind},"
        f"involvedObject.name={name}"
    )
    return [("fieldSelector", selector)]


def _moment(event: Object) -> float:
    series = event.get("series") or {}
    when = (
        series.get("lastObservedTime")
        or event.get("lastTimestamp")
        or event.get("eventTime")
        or event.get("firstTimestamp")
    )
    return unix_seconds(when) if when else float("-inf")
