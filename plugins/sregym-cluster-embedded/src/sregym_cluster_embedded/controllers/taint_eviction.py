"""The taint eviction controller: pods leave nodes whose NoExecute taints they do not tolerate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.disruption_target import mark_disrupted
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.placement import tolerates
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.taint_eviction"
_TAINTED: TableKey[str, list[Object]] = TableKey("controllers.taint_eviction.nodes")
_PLANNED: TableKey[Key, _Plan] = TableKey("controllers.taint_eviction.pods")
_COMPONENT = "taint-eviction-controller"
# A DaemonSet's controller has deleted its pods by then: it needs one request where this one, which
# first marks a pod, needs three.
_DELAY_S = 0.02


class _Plan(NamedTuple):
    """A pod that will be deleted.

    Attributes:
        since: When its node became intolerable for it: later taints count from there, too.
        at: When it goes.
        ticket: Of the planned event.
    """

    since: float
    at: float
    ticket: int


def node_changed(world: World, change: Change) -> None:
    """The pods of a node whose NoExecute taints changed are judged anew."""
    tainted = world.table(_TAINTED)
    name = change.key.name
    taints = [] if change.type is ChangeType.DELETED else _no_execute(change.obj)
    if taints == tainted.get(name, []):
        return
    if taints:
        tainted[name] = taints
    else:
        tainted.pop(name, None)
    for pod in world.store.indexed("pods", "node", name):
        _judge(world, pod, taints)


def pod_changed(world: World, change: Change) -> None:
    """A pod on a tainted node is judged when it comes there or gets other tolerations."""
    if not world.table(_TAINTED) and not world.table(_PLANNED):
        return
    pod, old = change.obj, change.old
    if change.type is ChangeType.DELETED:
        _cancel(world, change.key)
        return
    taints = world.table(_TAINTED).get(pod["spec"].get("nodeName", ""))
    if taints and (old is None or old["spec"] is not pod["spec"]):
        _judge(world, pod, taints)


def evict(world: World, key: Key, uid: str) -> None:
    """Handler: the time of a pod on its node is over."""
    world.table(_PLANNED).pop(key, None)
    pod = world.store.get(key)
    if pod is None or pod["metadata"]["uid"] != uid:
        return
    where = f"{key.namespace}/{key.name}"
    text = f"Marking for deletion Pod {where}"
    events.record(world, pod, "pods", "Normal", "TaintManagerEviction", text, _COMPONENT)
    mark_disrupted(
        world,
        key,
        "DeletionByTaintManager",
        "Taint manager: deleting due to NoExecute taint",
    )
    if "deletionTimestamp" not in pod["metadata"]:
        internal_client.delete(world, key)


def _judge(world: World, pod: Object, taints: list[Object]) -> None:
    key = key_of("pods", pod)
    if not taints:
        if _cancel(world, key):
            text = f"Cancelling deletion of Pod {key.namespace}/{key.name}"
            events.record(world, pod, "pods", "Normal", "TaintManagerEviction", text, _COMPONENT)
        return
    patience_s = _patience(pod["spec"].get("tolerations", ()), taints)
    if patience_s is None:
        _cancel(world, key)
        return
    planned: _Plan | None = world.table(_PLANNED).get(key)
    since = world.now
    if planned is not None and patience_s > 0:
        since = planned.since
        if since + patience_s > planned.at:
            return
    _cancel(world, key)
    at = max(since + patience_s, world.now + _DELAY_S)
    ticket = world.after(at - world.now, HANDLER, key, pod["metadata"]["uid"])
    world.table(_PLANNED)[key] = _Plan(since, at, ticket)


def _patience(tolerations: list[Object], taints: list[Object]) -> float | None:
    """Seconds that a pod may stay; None for ever."""
    shortest: float | None = None
    for taint in taints:
        covering = [entry for entry in tolerations if tolerates(entry, taint)]
        if not covering:
            return 0.0
        limits = [
            max(float(entry["tolerationSeconds"]), 0.0)
            for entry in covering
            if entry.get("tolerationSeconds") is not None
        ]
        if limits:
            shortest = min(limits) if shortest is None else min(shortest, *limits)
    return shortest


def _cancel(world: World, key: Key) -> bool:
    planned: _Plan | None = world.table(_PLANNED).pop(key, None)
    if planned is not None:
        world.clock.cancel(planned.ticket)
    return planned is not None


def _no_execute(node: Object) -> list[Object]:
    return [
        {name: taint[name] for name in ("key", "value", "effect") if name in taint}
        for taint in (node.get("spec") or {}).get("taints") or ()
        if taint.get("effect") == "NoExecute"
    ]
