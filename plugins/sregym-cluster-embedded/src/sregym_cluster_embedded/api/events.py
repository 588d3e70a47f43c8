"""Recording Events as the clients of a real API do: named, counted and aggregated.

A recorder counts identical events in one object, and after ten similar ones (alike but for their
message) within ten minutes of each other lets them share one object whose message says so. Of what
it may not write yet (`event_limits`) only the count is kept.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import dynamic, event_limits
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Key, Object, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

_KINDS: TableKey[tuple[str | None, ...], _Kind] = TableKey("api.events")
_SIMILAR_LIMIT = 10
_SIMILAR_WINDOW_S = 600.0
_COMBINED = "(combined from similar events): "


class _Kind(NamedTuple):
    """What has been said lately about one object for one reason.

    Attributes:
        messages: Different messages within the window, at most as many as make them similar.
        last_at: When the last was said.
        keys: By message, the Event that counts it; by the empty text the one of all similar ones.
    """

    messages: tuple[str, ...]
    last_at: float
    keys: Mapping[str, Key]


_NEW = _Kind((), float("-inf"), MappingProxyType({}))


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
    times: int = 1,
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
        times: How often the same was to be said since the last call.

    Returns:
        The event as stored; None when it is not: its namespace is gone or going, admission refused
        it, or the component has written too much about the object.
    """
    metadata = involved["metadata"]
    identity = (
        metadata.get("uid", ""),
        reason,
        field_path,
        type_,
        component,
        host,
        involved["kind"],
        metadata.get("namespace", ""),
        metadata["name"],
    )
    table = world.table(_KINDS)
    kind: _Kind = table.get(identity, _NEW)
    messages: tuple[str, ...] = (message,)
    known: Key | None = None
    if kind is _NEW:
        text, old = message, None
    else:
        message, shared, messages = _aggregate(world, kind, message)
        text = "" if shared else message
        known = kind.keys.get(text)
        old = world.store.get(known) if known is not None else None
    said = event_limits.weigh(world, (identity[0], type_, component, host), (identity, text), times)
    if said is None:
        table[identity] = _Kind(messages, world.now, kind.keys)
        return None
    if old is not None:
        table[identity] = _Kind(messages, world.now, kind.keys)
        repeated = {
            **old,
            "count": old["count"] + said.times,
            "lastTimestamp": world.timestamp(),
            "message": message,
        }
        return _put(world, component, host, old, repeated)
    if known is not None:
        said = event_limits.previous_event(world, known, said)
    stored = _first(
        world, involved, resource, type_, reason, message, component, host, field_path, said
    )
    if stored is not None:
        made = key_of("events", stored)
        keys = {**kind.keys, text: made} if kind.keys else {text: made}
        table[identity] = _Kind(messages, world.now, keys)
    return stored


def _reference(involved: Object, resource: str, field_path: str | None) -> dict[str, str]:
    metadata = involved["metadata"]
    reference = {"kind": involved["kind"]}
    if metadata.get("namespace"):
        reference["namespace"] = metadata["namespace"]
    reference["name"] = metadata["name"]
    if metadata.get("uid"):
        reference["uid"] = metadata["uid"]
    reference["apiVersion"] = involved["apiVersion"]
    # Components name a node's events by its name: they do not know the object's revision.
    if metadata.get("resourceVersion") and resource != "nodes":
        reference["resourceVersion"] = metadata["resourceVersion"]
    if field_path:
        reference["fieldPath"] = field_path
    return reference


def _first(
    world: World,
    involved: Object,
    resource: str,
    type_: str,
    reason: str,
    message: str,
    component: str,
    host: str | None,
    field_path: str | None,
    said: event_limits.EventCount,
) -> Object | None:
    reference = _reference(involved, resource, field_path)
    namespace = reference.get("namespace") or "default"
    place = world.store.get(Key("namespaces", "", namespace))
    if place is None or "deletionTimestamp" in place["metadata"]:
        return None
    now = world.timestamp()
    uid = world.seed.uid()
    # Events are named by the nanosecond. Virtual time stands still while several are recorded: the
    # revision keeps them in order, as lists by name show them, and the last digits are chance.
    passed = world.store.revision * 97 + int(uid[-4:], 16) % 97
    moment = int((world.epoch + world.now) * 1_000_000_000) + passed
    # Events have no defaults, nor does admission add to them: the namespace was looked at above.
    return _put(
        world,
        component,
        host,
        None,
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{reference['name']}.{moment:x}",
                "namespace": namespace,
                "uid": uid,
                "creationTimestamp": now,
            },
            "involvedObject": reference,
            "reason": reason,
            "message": message,
            "source": {"component": component, "host": host} if host else {"component": component},
            "firstTimestamp": said.since or now,
            "lastTimestamp": now,
            "count": said.times,
            "type": type_,
            "eventTime": None,
            "reportingComponent": component,
            "reportingInstance": host or "",
        },
    )


def _put(
    world: World, component: str, host: str | None, old: Object | None, new: Object
) -> Object | None:
    if dynamic.configured(world):
        from sregym_cluster_embedded.api import resources
        from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes

        kind = resources.named("events")
        assert kind is not None
        admitted = dynamic_writes.admitted_event(world, kind, component, host, old, new)
        if admitted is None:
            return None
        new = admitted
    return world.store.put("events", new)


def _aggregate(world: World, kind: _Kind, message: str) -> tuple[str, bool, tuple[str, ...]]:
    """The message to write, whether it is that of all similar ones, and the messages by now."""
    messages = kind.messages
    if world.now - kind.last_at > _SIMILAR_WINDOW_S:
        messages = ()
    if message not in messages:
        messages = (*messages, message)
    if len(messages) < _SIMILAR_LIMIT:
        return message, False, messages
    return _COMBINED + message, True, messages[:_SIMILAR_LIMIT]
