"""Sections that descriptions of all kinds share: labels, annotations, tolerations, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.ages import interval, rfc1123, unix_seconds
from sregym_cluster_embedded.kubectl.go_sort import go_sorted
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.kubectl.describe.writer import Writer
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_ANNOTATION_LENGTH = 140


def write_labels(
    writer: Writer, title: str, values: Mapping[str, str] | None, lead: str = ""
) -> None:
    """Labels, one a line; `lead` stands before each line."""
    if not values:
        writer.line(0, f"{lead}{title}:\t<none>")
        return
    head = f"{lead}{title}:\t"
    for key in sorted(values):
        writer.line(0, f"{head}{key}={values[key]}")
        head = "\t"


def write_annotations(
    writer: Writer, title: str, values: Mapping[str, str] | None, lead: str = ""
) -> None:
    """Annotations without the one of `apply`; long values on lines of their own, cut."""
    shown = {key: value for key, value in (values or {}).items() if key != LAST_APPLIED}
    if not shown:
        writer.line(0, f"{lead}{title}:\t<none>")
        return
    head = f"{lead}{title}:\t"
    for key in sorted(shown):
        value = shown[key].removesuffix("\n")
        if len(key) + len(value) + 2 > _ANNOTATION_LENGTH or "\n" in value:
            writer.line(0, f"{head}{key}:")
            for part in value.split("\n"):
                writer.line(0, f"{lead}\t  {shortened(part, _ANNOTATION_LENGTH - 2)}")
        else:
            writer.line(0, f"{head}{key}: {value}")
        head = "\t"


def shortened(text: str, length: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= length else text[:length] + "..."


def write_tolerations(writer: Writer, values: Sequence[Object] | None, lead: str = "") -> None:
    """Tolerations, sorted by key."""
    if not values:
        writer.line(0, f"{lead}Tolerations:\t<none>")
        return
    head = f"{lead}Tolerations:\t"
    for entry in sorted(values, key=lambda one: one.get("key", "")):
        writer.line(0, head + _toleration(entry))
        head = "\t"


def _toleration(entry: Object) -> str:
    text = str(entry.get("key", ""))
    if entry.get("value"):
        text += f"={entry['value']}"
    if entry.get("effect"):
        text += f":{entry['effect']}"
    if entry.get("operator") == "Exists" and not entry.get("value"):
        text += " op=Exists" if text else "op=Exists"
    if entry.get("tolerationSeconds") is not None:
        text += f" for {entry['tolerationSeconds']}s"
    return text


def moment(timestamp: str | None) -> str:
    """A timestamp as descriptions print it."""
    return rfc1123(timestamp)


def events_of(session: Session, obj: Object) -> list[Object]:
    """The events about an object, in the order in which they were seen last."""
    metadata = obj["metadata"]
    selector = f"involvedObject.uid={metadata['uid']}"
    kind = session.client.resource_type("events")
    namespace = metadata.get("namespace") or "default"
    found = session.client.list(kind, namespace, [("fieldSelector", selector)])
    return go_sorted(found, lambda event: _seconds(event.get("lastTimestamp")))


def write_events(writer: Writer, session: Session, obj: Object) -> None:
    """The table of events at the end of a description; nothing with `--show-events=false`."""
    if session.arguments.on("show-events", default=True):
        write_event_table(writer, session, events_of(session, obj))


def write_event_table(writer: Writer, session: Session, found: Sequence[Object]) -> None:
    """The table of these events."""
    if not found:
        writer.line(0, "Events:\t<none>")
        return
    now = session.access.unix_now()
    writer.line(0, "Events:")
    writer.line(1, "Type\tReason\tAge\tFrom\tMessage")
    writer.line(1, "----\t------\t----\t----\t-------")
    for event in found:
        source = event.get("source", {}).get("component") or event.get("reportingComponent", "")
        where = event["involvedObject"].get("fieldPath", "")
        text = event.get("message", "").strip()
        told = f"{where}: {text}" if where else text
        kind, reason = event.get("type", ""), event.get("reason", "")
        writer.line(1, f"{kind}\t{reason}\t{interval(event, now)}\t{source}\t{told}")


def _seconds(timestamp: Any) -> float:
    return unix_seconds(timestamp) if timestamp else float("-inf")
