"""Why a node cannot take a pod, which plugin says so, and how all verdicts read together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_NODES = "no nodes available to schedule pods"
NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


class Verdict(NamedTuple):
    """A node's refusal of a pod.

    Attributes:
        plugin: The filter that refused: only its events let the pod be looked at again.
        reasons: In the scheduler's words; resources may be several at once.
        remediable: Whether evicting other pods could help (`Unschedulable`; otherwise
            `UnschedulableAndUnresolvable`).
    """

    plugin: str
    reasons: tuple[str, ...]
    remediable: bool = False


def summary(total: int, verdicts: Iterable[Verdict]) -> str:
    """`0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.`, counted by reason."""
    if not total:
        return NO_NODES
    counts: dict[str, int] = {}
    for verdict in verdicts:
        for reason in verdict.reasons:
            counts[reason] = counts.get(reason, 0) + 1
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    return f"0/{total} nodes are available: {listed}."
