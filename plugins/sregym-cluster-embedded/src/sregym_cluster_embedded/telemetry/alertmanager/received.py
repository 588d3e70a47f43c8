"""Alerts that clients post to the Alertmanager of a world, besides those of its rules.

They are entries of the world's table `alertmanager.alerts`, so that forks, checkpoints and digests
know of them. Who posts an alert has to repeat it: it is over after a while.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_promql.storage import labels_of

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_promql.storage import Labels

    from sregym_cluster_embedded.telemetry.alertmanager.bodies import Posted
    from sregym_cluster_embedded.world import World

TABLE: TableKey[tuple[tuple[str, str], ...], Received] = TableKey("alertmanager.alerts")
# `resolve_timeout`.
_LASTS_S = 300.0
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class AlertError(ValueError):
    """An alert that Alertmanager refuses, in its words."""


@dataclass(frozen=True)
class Received:
    """An alert that was posted.

    Attributes:
        labels: Without those that are empty.
        annotations: As posted.
        starts_s: Unix seconds.
        ends_s: When it is over.
        updated_s: When it was posted last.
        generator: Address of what made it.
    """

    labels: Labels
    annotations: Labels
    starts_s: float
    ends_s: float
    updated_s: float
    generator: str


def received(world: World, now_s: float) -> list[Received]:
    """Those that are not over."""
    return [alert for alert in world.table(TABLE).values() if alert.ends_s > now_s]


def receive(world: World, posted: Sequence[Posted], now_s: float) -> None:
    """Keep posted alerts; one whose labels are known begins when it began.

    Raises:
        AlertError: Some are refused; the others are kept.
    """
    table = world.table(TABLE)
    wrong: list[str] = []
    for one in posted:
        labels, annotations = labels_of(one.labels), tuple(sorted(one.annotations.items()))
        ends_s = now_s + _LASTS_S if one.ends_s is None else one.ends_s
        starts_s = min(now_s, ends_s) if one.starts_s is None else one.starts_s
        why = _why_not(labels, one.annotations, starts_s, ends_s)
        if why:
            wrong.append(why)
            continue
        known: Received | None = table.get(labels)
        if known is not None and known.ends_s > starts_s and known.starts_s < ends_s:
            starts_s = min(starts_s, known.starts_s)
        table[labels] = Received(labels, annotations, starts_s, ends_s, now_s, one.generator)
    if wrong:
        raise AlertError("; ".join(wrong))


def _why_not(labels: Labels, annotations: Mapping[str, str], starts_s: float, ends_s: float) -> str:
    if ends_s < starts_s:
        return "start time must be before end time"
    if not labels:
        return "at least one label pair required"
    for what, names in (("label set", [name for name, _ in labels]), ("annotations", annotations)):
        bad = next((name for name in names if not _LABEL.fullmatch(name)), None)
        if bad is not None:
            return f'invalid {what}: invalid name "{bad}"'
    return ""
