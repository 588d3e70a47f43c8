"""How fast an autoscaler may follow its metrics: stabilisation, policies, bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_RECOMMENDED: TableKey[str, tuple[tuple[float, int], ...]] = TableKey(
    "controllers.autoscaling.recommended"
)
_SCALED: TableKey[str, tuple[tuple[float, int], ...]] = TableKey("controllers.autoscaling.scaled")
_DOWN_WINDOW_S = 300.0
_FAST_FACTOR, _FAST_LEAST = 2, 4

Condition = tuple[str, str, str, str]

_DOWN_STABILIZED = (
    "AbleToScale",
    "True",
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation",
)
_UP_STABILIZED = (
    "AbleToScale",
    "True",
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
_READY = ("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size")
_WITHIN = ("DesiredWithinRange", "the desired count is within the acceptable range")
_FEW = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_MANY = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_UP_LIMIT = (
    "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate",
)
_DOWN_LIMIT = (
    "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate",
)


class Bounds(NamedTuple):
    """What the autoscaler is about: its uid, how many there are, and between what."""

    uid: str
    current: int
    minimum: int
    maximum: int


def remember_first(world: World, uid: str, replicas: int) -> None:
    """The size at the first look is a recommendation, too."""
    table = world.table(_RECOMMENDED)
    if uid not in table:
        table[uid] = ((world.now, replicas),)


def forget(world: World, uid: str) -> None:
    """The autoscaler is gone."""
    world.table(_RECOMMENDED).pop(uid, None)
    world.table(_SCALED).pop(uid, None)


def scaled(world: World, uid: str, before: int, after: int) -> None:
    """Take down a change of size: policies count changes over their periods."""
    table = world.table(_SCALED)
    longest = 1800.0
    kept = tuple(entry for entry in table.get(uid, ()) if entry[0] > world.now - longest)
    table[uid] = (*kept, (world.now, after - before))


def settle(
    world: World, bounds: Bounds, behavior: Object | None, proposed: int
) -> tuple[int, list[Condition]]:
    """The size that may be asked for now, and the conditions that say why."""
    if behavior is None:
        return _plain(world, bounds, proposed)
    return _behaved(world, bounds, behavior, proposed)


def _plain(world: World, bounds: Bounds, proposed: int) -> tuple[int, list[Condition]]:
    recent = _recent(world, bounds.uid, _DOWN_WINDOW_S)
    stable = max([proposed, *recent])
    _recommend(world, bounds.uid, proposed, _DOWN_WINDOW_S)
    able = _DOWN_STABILIZED if stable != proposed else _READY
    fastest = max(bounds.current * _FAST_FACTOR, _FAST_LEAST)
    highest, words = bounds.maximum, _MANY
    if bounds.maximum > fastest:
        highest, words = fastest, _UP_LIMIT
    if stable < bounds.minimum:
        return bounds.minimum, [able, ("ScalingLimited", "True", *_FEW)]
    if stable > highest:
        return highest, [able, ("ScalingLimited", "True", *words)]
    return stable, [able, ("ScalingLimited", "False", *_WITHIN)]


def _behaved(
    world: World, bounds: Bounds, behavior: Object, proposed: int
) -> tuple[int, list[Condition]]:
    up, down = behavior.get("scaleUp") or {}, behavior.get("scaleDown") or {}
    up_window = float(up.get("stabilizationWindowSeconds") or 0)
    given = down.get("stabilizationWindowSeconds")
    down_window = _DOWN_WINDOW_S if given is None else float(given)
    low = min([proposed, *_recent(world, bounds.uid, up_window)])
    high = max([proposed, *_recent(world, bounds.uid, down_window)])
    stable = bounds.current
    stable = max(stable, low)
    stable = min(stable, high)
    _recommend(world, bounds.uid, proposed, max(up_window, down_window))
    able = _READY
    if stable != proposed:
        able = _UP_STABILIZED if proposed > bounds.current else _DOWN_STABILIZED
    wanted, limited = _within_rates(world, bounds, up, down, stable)
    return wanted, [able, limited]


def _within_rates(
    world: World, bounds: Bounds, up: Object, down: Object, stable: int
) -> tuple[int, Condition]:
    events = world.table(_SCALED).get(bounds.uid, ())
    if stable > bounds.current:
        limit = max(_up_limit(world, bounds, up, events), bounds.current)
        highest, words = bounds.maximum, _MANY
        if bounds.maximum > limit:
            highest, words = limit, _UP_LIMIT
        if stable > highest:
            return highest, ("ScalingLimited", "True", *words)
    elif stable < bounds.current:
        limit = min(_down_limit(world, bounds, down, events), bounds.current)
        lowest, words = bounds.minimum, _FEW
        if bounds.minimum < limit:
            lowest, words = limit, _DOWN_LIMIT
        if stable < lowest:
            return lowest, ("ScalingLimited", "True", *words)
    return stable, ("ScalingLimited", "False", *_WITHIN)


def _up_limit(
    world: World, bounds: Bounds, rules: Object, events: Iterable[tuple[float, int]]
) -> int:
    select = rules.get("selectPolicy", "Max")
    if select == "Disabled":
        return bounds.current
    limits: list[int] = [
        start + policy["value"]
        if policy["type"] == "Pods"
        else math.ceil(start * (1 + policy["value"] / 100))
        for policy, start in _starts(world, bounds, rules, events)
    ]
    if not limits:
        return bounds.maximum
    return min(limits) if select == "Min" else max(limits)


def _down_limit(
    world: World, bounds: Bounds, rules: Object, events: Iterable[tuple[float, int]]
) -> int:
    select = rules.get("selectPolicy", "Max")
    if select == "Disabled":
        return bounds.current
    limits: list[int] = [
        start - policy["value"]
        if policy["type"] == "Pods"
        else int(start * (1 - policy["value"] / 100))
        for policy, start in _starts(world, bounds, rules, events)
    ]
    if not limits:
        return bounds.minimum
    # The policy that changes most lets the size fall lowest.
    return max(limits) if select == "Min" else min(limits)


def _starts(
    world: World, bounds: Bounds, rules: Object, events: Iterable[tuple[float, int]]
) -> Iterator[tuple[Object, int]]:
    """Each policy with the size at the start of its period."""
    for policy in rules.get("policies") or ():
        added = _changed(world, events, policy["periodSeconds"], 1)
        removed = _changed(world, events, policy["periodSeconds"], -1)
        yield policy, bounds.current - added + removed


def _changed(world: World, events: Iterable[tuple[float, int]], period_s: float, sign: int) -> int:
    since = world.now - period_s
    return sum(abs(change) for at, change in events if at > since and change * sign > 0)


def _recent(world: World, uid: str, window_s: float) -> list[int]:
    since = world.now - window_s
    return [replicas for at, replicas in world.table(_RECOMMENDED).get(uid, ()) if at > since]


def _recommend(world: World, uid: str, replicas: int, window_s: float) -> None:
    table = world.table(_RECOMMENDED)
    kept = tuple(entry for entry in table.get(uid, ()) if entry[0] > world.now - window_s)
    table[uid] = (*kept, (world.now, replicas))
