"""The causal graph of a case: which component's failure caused which, and how far spans show it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import PodFailures
    from sregym_core.model import Component, GroundTruth

Row = dict[str, Any]
_Pair = tuple[str, str]

# So many standard deviations above what was to be expected are no chance.
_DEVIATIONS = 3.0


@dataclass(frozen=True)
class Attributed:
    """Requests to components over a span, and whose failing calls made them fail.

    Attributes:
        requests: By component.
        fatal: (component that was called, its caller) -> requests to the caller that failed for it.
        starts: The same -> starts of the caller that failed or hang for it.
    """

    requests: Mapping[str, float]
    fatal: Mapping[_Pair, float]
    starts: Mapping[_Pair, int]


def attributed(
    failures: Iterable[PodFailures], of_pod: Callable[[str], str], of_host: Callable[[str], str]
) -> Attributed:
    """What a cluster tells of pods, by component; what belongs to none is left out.

    Args:
        failures: As the cluster tells.
        of_pod: The component of a pod; empty for none.
        of_host: The component of a host name that was dialled without success; empty for none.
    """
    requests: dict[str, float] = {}
    fatal: dict[_Pair, float] = {}
    starts: dict[_Pair, int] = {}
    for one in failures:
        caller = of_pod(one.pod)
        if not caller:
            continue
        requests[caller] = requests.get(caller, 0.0) + one.requests
        for call in one.calls:
            callee = of_pod(call.pod) if call.pod else of_host(call.host)
            if callee and callee != caller:
                pair = callee, caller
                fatal[pair] = fatal.get(pair, 0.0) + call.requests
                starts[pair] = starts.get(pair, 0) + call.starts
    return Attributed(requests, fatal, starts)


def causal_graph(
    components: Sequence[Component],
    ground_truths: Sequence[GroundTruth],
    spans: Mapping[str, Sequence[Row]],
    injected_ns: int,
    told: Mapping[str, Attributed] | None = None,
) -> dict[str, Any]:
    """Nodes with their roles, and edges from cause to effect.

    Where the cluster tells whose failing calls made whose requests fail, an edge leads from a
    component to one whose requests or starts fail because of calls to it, more often while the
    fault holds than before: `derived` is true. Where it does not, an edge leads from a component to one that
    calls it, if the ground truth has both in what failed: `derived` is false. Edges of a
    contributing component lead to the root cause and come from the ground truth in any case.
    `faults` are the mechanisms from whose component edges lead to this one; none where something
    else failed meanwhile. Beside each edge stands what spans show of calls along it.

    Args:
        components: Of the application.
        ground_truths: The ground truth of each fault.
        spans: Rows of traces by period.
        injected_ns: Moment of the injection.
        told: What the cluster tells of both periods; None where it cannot.
    """
    known = {part.name: part for part in components}
    roles = _roles(ground_truths)
    pairs = (
        _declared(known, ground_truths)
        if told is None
        else _risen(told["normal"], told["abnormal"])
    )
    reached = [_reached(pairs, truth.component) for truth in ground_truths]
    edges: dict[_Pair, Row] = {
        (cause, effect): {
            "why": "is called by" if told is None else "calls to it fail",
            "derived": told is not None,
            "faults": [
                truth.mechanism
                for truth, found in zip(ground_truths, reached, strict=True)
                if cause in found
            ],
        }
        for cause, effect in pairs
    }
    for truth in ground_truths:
        for name in truth.contributing:
            about = {"why": "contributes", "derived": False, "faults": [truth.mechanism]}
            edges.setdefault((name, truth.component), about)
    onsets = _onsets(spans.get("abnormal", ()), injected_ns)
    seen = {period: _along(rows) for period, rows in spans.items()}
    return {
        "derived": told is not None,
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
                    f"failed_{what}_{period}": round(found.get((cause, effect), 0.0), 1)
                    for period, counted in (told or {}).items()
                    for what, found in (("requests", counted.fatal), ("starts", counted.starts))
                },
                **{
                    f"{what}_{period}": count[(effect, cause)]
                    for period, (calls, failed) in seen.items()
                    for what, count in (("calls", calls), ("failed", failed))
                },
            }
            for (cause, effect), about in sorted(edges.items())
        ],
    }


def _roles(ground_truths: Sequence[GroundTruth]) -> dict[str, str]:
    """What each component is to the faults; a root cause of one is that whatever it is to others."""
    roles: dict[str, str] = {}
    for role in ("affected", "contributing", "root cause"):
        for truth in ground_truths:
            named = {
                "affected": truth.affected,
                "contributing": truth.contributing,
                "root cause": (truth.component,),
            }
            roles |= dict.fromkeys(named[role], role)
    return roles


def _risen(before: Attributed, after: Attributed) -> list[_Pair]:
    """Pairs along which more starts fail than before, or more requests than chance makes of as many."""
    found = []
    for pair, count in after.fatal.items():
        asked = before.requests.get(pair[1], 0.0)
        share = before.fatal.get(pair, 0.0) / asked if asked else 0.0
        expected = share * after.requests[pair[1]]
        further = after.starts[pair] - before.starts.get(pair, 0)
        if further > 0 or count - expected > _DEVIATIONS * sqrt(expected + 1):
            found.append(pair)
    return sorted(found)


def _reached(pairs: Sequence[_Pair], root: str) -> set[str]:
    """The root and all to which edges lead from it."""
    found, waiting = {root}, [root]
    while waiting:
        cause = waiting.pop()
        further = {effect for one, effect in pairs if one == cause} - found
        found |= further
        waiting += sorted(further)
    return found


def _declared(known: Mapping[str, Component], ground_truths: Sequence[GroundTruth]) -> list[_Pair]:
    """Pairs that follow from what the ground truth says of each fault."""
    found = {
        pair
        for truth in ground_truths
        for pair in _calls(known, truth.component, {truth.component, *truth.affected})
    }
    return sorted(found)


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
