"""The audit log of the API server as the collector on its node ships it: a stream of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_kubernetes.telemetry_redaction import names_hidden
from sregym_logql.streams import Entry, Stream
from sregym_promql.storage import Labels, labels_of

from sregym_cluster_embedded.api.audit import ENTRIES, FILE, line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Matcher

    from sregym_cluster_embedded.world import World

_NS = 1_000_000_000
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
JOB = "kube-apiserver-audit"


def audit_labels(world: World, matchers: Sequence[Matcher]) -> Labels | None:
    """Labels of the stream; None where it is not selected, or no node runs an API server."""
    for node in world.store.list("nodes"):
        if _CONTROL_PLANE in (node["metadata"].get("labels") or {}):
            labels = {
                "filename": FILE,
                "job": JOB,
                "node_name": node["metadata"]["name"],
                "service_name": JOB,
            }
            chosen = all(one.matches(labels.get(one.name, "")) for one in matchers)
            return labels_of(labels) if chosen else None
    return None


def audit_stream(
    world: World,
    matchers: Sequence[Matcher],
    start_ns: int,
    end_ns: int,
    without: frozenset[str] = frozenset(),
) -> list[Stream]:
    """The stream with its lines of a span; empty where there are none.

    Args:
        world: The world that is meant.
        matchers: What selects streams.
        start_ns: First moment, nanoseconds since 1970.
        end_ns: Last moment.
        without: Words: requests about an object or a namespace of that name are not there.
    """
    labels = audit_labels(world, matchers)
    if labels is None:
        return []
    found = []
    for number, entry in world.table(ENTRIES).items():
        at_ns = world.epoch * _NS + round(entry.at * _NS)
        if not start_ns <= at_ns <= end_ns:
            continue
        if without and (
            names_hidden(entry.name, without) or names_hidden(entry.namespace, without)
        ):
            continue
        found.append(Entry(at_ns, line(world, number, entry)))
    return [Stream(labels, found)] if found else []
