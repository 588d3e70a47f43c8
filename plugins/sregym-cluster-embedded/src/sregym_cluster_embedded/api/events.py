"""Recording Events as the clients of a real API do: named, counted and aggregated.

A recorder counts identical events in one object, and after ten similar ones (alike but for their
message) within ten minutes of each other lets them share one object whose message says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_SIMILAR_LIMIT = 10
_SIMILAR_WINDOW_S = 600.0
_COMBINED = "(combined from similar events): "


class _Similar(NamedTuple):
    """How many different messages one kind of event has had lately."""

    messages: tuple[str, ...]
    last_at: float


def record(
    world: World,
    involved: Object,
    resource: str,
    type_: str,
    reason: str,
    message: str,
    component: str,
    host: str | None = None,
    field_path: str | None = None,
) -> Object | None:
    """Record an event about `involved`, an object stored under `resource`.

    Args:
        world: Where.
        involved: The object; apiVersion, kind and metadata are read.
        resource: Its resource name; only tells namespaced from cluster-scoped.
        type_: `Normal` or `Warning`.
        reason: E.g. `Scheduled`.
        message: In the component's own words.
        component: `source.component`: `kubelet`, `default-scheduler`, `deployment-controller`.
        host: `source.host`, for what a kubelet says.
        field_path: Part of the object: `spec.containers{web}`.

    Returns:
        The event as stored; None when its namespace is gone or going.
    """
    metadata = involved["metadata"]
    reference = {
        "kind": involved["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "apiVersion": involved["apiVersion"],
        "resourceVersion": metadata.get("resourceVersion", ""),
        "fieldPath": field_path or "",
    }
    reference = {name: value for name, value in reference.items() if value}
    if resource == "nodes":
        # Components name a node's events by its name: they do not know the object's uid.
        reference.pop("resourceVersion", None)
    identity = (
        component,
        host,
        reference["kind"],
        reference.get("namespace", ""),
        reference["name"],
        reference.get("uid", ""),
        field_path,
        type_,
        reason,
    )
    message, shared = _aggregate(world, identity, message)
    counted = world.table("api.events.counted")
    correlated = (*identity, "" if shared else message)
    known: Key | None = counted.get(correlated)
    old = world.store.get(known) if known is not None else None
    if old is not None:
        repeated = {
            **old,
            "count": old["count"] + 1,
            "lastTimestamp": world.timestamp(),
            "message": message,
        }
        return world.store.put("events", repeated)
    return _first(world, counted, correlated, reference, type_, reason, message, component, host)


def _moment(world: World) -> int:
    """Nanoseconds since 1970, which tell the events about one object apart.

    Virtual time stands still while several are recorded, so that the last 16 ms are chance.
    """
    return int((world.epoch + world.now) * 1_000_000_000) + int(world.seed.hexadecimal(6), 16)


def _first(
    world: World,
    counted: dict[tuple[str | None, ...], Key],
    correlated: tuple[str | None, ...],
    reference: dict[str, str],
    type_: str,
    reason: str,
    message: str,
    component: str,
    host: str | None,
) -> Object | None:
    namespace = reference.get("namespace") or "default"
    place = world.store.get(Key("namespaces", "", namespace))
    if place is None or "deletionTimestamp" in place["metadata"]:
        return None
    now = world.timestamp()
    source = {"component": component, "host": host} if host else {"component": component}
    name = f"{reference['name']}.{_moment(world):x}"
    # Events have no defaults and no admission: the namespace was looked at above.
    stored = world.store.put(
        "events",
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "uid": world.seed.uid(),
                "creationTimestamp": now,
            },
            "involvedObject": reference,
            "reason": reason,
            "message": message,
            "source": source,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": type_,
            "eventTime": None,
            "reportingComponent": component,
            "reportingInstance": host or "",
        },
    )
    counted[correlated] = Key("events", namespace, name)
    return stored


def _aggregate(world: World, identity: tuple[str | None, ...], message: str) -> tuple[str, bool]:
    """The message to write, and whether it is that of the shared event of all similar ones."""
    similar = world.table("api.events.similar")
    seen: _Similar | None = similar.get(identity)
    messages: tuple[str, ...] = ()
    if seen is not None and world.now - seen.last_at <= _SIMILAR_WINDOW_S:
        messages = seen.messages
    if message not in messages:
        messages = (*messages, message)
    similar[identity] = _Similar(messages[:_SIMILAR_LIMIT], world.now)
    if len(messages) < _SIMILAR_LIMIT:
        return message, False
    return _COMBINED + message, True
