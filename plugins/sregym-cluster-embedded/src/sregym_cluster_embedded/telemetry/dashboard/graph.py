"""The system at a glance: what users see, each workload's health, and where failures arise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.telemetry.dashboard.calls import Calls, Edge
from sregym_cluster_embedded.telemetry.dashboard.layout import placed
from sregym_cluster_embedded.telemetry.dashboard.workloads import SYSTEM, Workload

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# What "now" means: the last so many seconds.
SPAN_S = 30.0
# Shares of success below which something is degraded, or failing.
GOOD = 0.99
BAD = 0.5
_WORDS_KEPT = 3
_ORIGINS = 6


def overview(world: World) -> dict[str, Any]:
    """Everything that the upper half of the page shows, at the present moment."""
    calls = Calls(world, SPAN_S)
    span = min(SPAN_S, world.now) or 1.0
    ids = _shown(calls)
    pairs = [edge for edge in sorted(calls.edges) if set(edge) <= set(ids)]
    linked = [name for name in ids if any(name in pair for pair in pairs)]
    places = placed(linked, pairs)
    nodes = []
    deleted = calls.census.deleted_services()
    for name in ids:
        node = {**_node(calls, name, span), "missing_services": deleted.get(name, [])}
        place = places.get(name)
        node["place"] = None if place is None else [place.column, place.row]
        nodes.append(node)
    edges = [_edge(pair, calls.edges[pair], span) for pair in pairs]
    users = calls.users
    return {
        "now": round(world.epoch + world.now, 3),
        "time": world.timestamp(),
        "span_s": SPAN_S,
        "users": {
            "rate": round(users.requests / span, 3),
            "success": users.success,
            "p95_ms": users.times.quantile(0.95),
            "errors": _most(users.errors, span),
        },
        "nodes": nodes,
        "edges": edges,
        "origins": _origins(edges),
    }


def _shown(calls: Calls) -> list[str]:
    """Ids of all workloads outside of the system's namespaces, and of what they call."""
    own = [name for name, part in calls.census.present.items() if part.namespace not in SYSTEM]
    involved = [
        name
        for pair, edge in sorted(calls.edges.items())
        for name in pair
        if pair[0].partition("/")[0] not in SYSTEM and (edge.requests or name in own)
    ]
    return sorted({*own, *involved})


def _node(calls: Calls, name: str, span: float) -> dict[str, Any]:
    namespace, _, short = name.rpartition("/")
    part = calls.census.present.get(name, Workload(namespace, short))
    tally = calls.nodes.get(name)
    role = calls.roles.get(name, "" if "/" in name else "host")
    if role == "load":
        tally = calls.users
    success = None if tally is None else tally.success
    return {
        "id": name,
        "namespace": namespace,
        "name": short or name,
        "kind": part.kind,
        "role": role,
        "desired": part.desired,
        "ready": part.ready,
        "rate": 0.0 if tally is None else round(tally.requests / span, 3),
        "success": success,
        "p95_ms": None if tally is None else tally.times.quantile(0.95),
        "errors": [] if tally is None else _most(tally.errors, span),
        "status": _status(part, role, success),
    }


def _status(part: Workload, role: str, success: float | None) -> str:
    """`failing`, `degraded`, `healthy`, `idle` (no requests) or `unknown` (no such workload)."""
    if role == "host" or (not part.kind and role != "load"):
        return "unknown"
    if (part.desired and not part.ready) or (success is not None and success < BAD):
        return "failing"
    if part.ready < part.desired or (success is not None and success < GOOD):
        return "degraded"
    return "idle" if success is None else "healthy"


def _edge(pair: tuple[str, str], edge: Edge, span: float) -> dict[str, Any]:
    success = round(edge.ok / edge.requests, 6) if edge.requests > 1e-9 else None
    if success is None:
        status = "idle"
    else:
        status = "failing" if success < BAD else "degraded" if success < GOOD else "healthy"
    errors = sorted(edge.errors.items(), key=lambda item: (-item[1], item[0]))
    return {
        "source": pair[0],
        "target": pair[1],
        "rate": round(edge.requests / span, 3),
        "success": success,
        "p95_ms": edge.times.quantile(0.95),
        "status": status,
        "errors": [
            {"kind": kind, "words": words, "rate": round(count / span, 3)}
            for (kind, words), count in errors[:_WORDS_KEPT]
        ],
    }


def _origins(edges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Failing calls that did not fail because of a call further on, the most frequent first."""
    passing_on = {edge["source"] for edge in edges if edge["errors"]}
    found = [
        {"source": edge["source"], "target": edge["target"], **error}
        for edge in edges
        for error in edge["errors"]
        if error["kind"] != "server" or edge["target"] not in passing_on
    ]
    return sorted(found, key=lambda one: (-one["rate"], one["source"], one["target"]))[:_ORIGINS]


def _most(errors: dict[str, float], span: float) -> list[dict[str, Any]]:
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return [
        {"words": words, "rate": round(count / span, 3)} for words, count in ordered[:_WORDS_KEPT]
    ]
