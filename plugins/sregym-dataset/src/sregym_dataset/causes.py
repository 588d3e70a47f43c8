"""The causal graph of a case: which component's failure caused which, and how far spans show it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_core.model import Component, GroundTruth

Row = dict[str, Any]


def causal_graph(
    components: Sequence[Component],
    truths: Sequence[GroundTruth],
    spans: Mapping[str, Sequence[Row]],
    injected_ns: int,
) -> dict[str, Any]:
    """Nodes with their roles, and edges from cause to effect.

    An edge leads from a component to one that calls it, where the ground truth of a fault has both
    in what failed; edges of a contributing component lead to the root cause. Beside each stands what
    spans show of calls along it, before the injection and after.

    Args:
        components: Of the application.
        truths: The ground truth of each fault.
        spans: Rows of traces by period.
        injected_ns: Moment of the injection.
    """
    known = {part.name: part for part in components}
    roles: dict[str, str] = {}
    edges: dict[tuple[str, str], Row] = {}
    for truth in truths:
        failing = {truth.component, *truth.affected}
        for name in truth.affected:
            roles.setdefault(name, "affected")
        for name in truth.contributing:
            roles[name] = "contributing"
            edges[(name, truth.component)] = {"why": "contributes", "fault": truth.mechanism}
        roles[truth.component] = "root cause"
        for cause, effect in _calls(known, truth.component, failing):
            edges.setdefault((cause, effect), {"why": "is called by", "fault": truth.mechanism})
    onsets = _onsets(spans.get("abnormal", ()), injected_ns)
    seen = {period: _along(rows) for period, rows in spans.items()}
    return {
        "nodes": [
            {
                "component": name,
                "kind": known[name].kind if name in known else "",
                "role": roles.get(name, "healthy"),
                "first_failed_span_s": onsets.get(name),
            }
            for name in sorted({*known, *roles})
        ],
        "edges": [
            {
                "cause": cause,
                "effect": effect,
                **about,
                **{
                    f"{what}_{period}": count[(effect, cause)]
                    for period, (calls, failed) in seen.items()
                    for what, count in (("calls", calls), ("failed", failed))
                },
            }
            for (cause, effect), about in sorted(edges.items())
        ],
    }


def _calls(
    known: Mapping[str, Component], root: str, failing: set[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of a failing component and a failing caller of it, from the root cause on."""
    waiting, seen = [root], {root}
    while waiting:
        cause = waiting.pop(0)
        part = known.get(cause)
        for effect in () if part is None else part.callers:
            if effect in failing:
                yield cause, effect
                if effect not in seen:
                    seen.add(effect)
                    waiting.append(effect)


def _onsets(rows: Iterable[Row], injected_ns: int) -> dict[str, float]:
    """Seconds from the injection to the first failed span of each component."""
    found: dict[str, float] = {}
    for row in rows:
        if row["failed"] and row["timestamp"] >= injected_ns:
            after = round((row["timestamp"] - injected_ns) / 1e9, 3)
            found[row["component"]] = min(after, found.get(row["component"], after))
    return found


def _along(
    rows: Sequence[Row],
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Calls by caller and callee, and how many of them failed, on either side."""
    by_id = {(row["trace_id"], row["span_id"]): row for row in rows}
    calls: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    for row in rows:
        caller = by_id.get((row["trace_id"], row["parent_id"]))
        if caller is None or caller["component"] == row["component"]:
            continue
        pair = (caller["component"], row["component"])
        calls[pair] += 1
        failed[pair] += bool(row["failed"])
    return calls, failed
