"""Reconciliation that the API refuses is tried again, each time after twice the wait."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import dynamic
from sregym_cluster_embedded.api.dynamic import elapsed
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.service_accounts import user_of
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import Handler, World

_TABLE: TableKey[tuple[str, object], float] = TableKey("controllers.retries")
_FIRST_S = 0.005
_LONGEST_S = 1000.0


def retrying(
    name: str,
    reconcile: Callable[[World, Any], None],
    first_s: float = _FIRST_S,
    longest_s: float = _LONGEST_S,
) -> Handler:
    """The handler `name`: `reconcile`, called again later when the API refused one of its writes.

    A namespace that is being deleted, for instance, takes nothing new; the controller finds its
    object gone at one of the next tries.

    Args:
        name: Of the handler.
        reconcile: What it does.
        first_s: How long it waits after the first refusal.
        longest_s: How long it waits at most.
    """
    return partial(_attempt, name, reconcile, (first_s, longest_s))


def repeating(name: str, act: Callable[..., None], again_s: float | None) -> Handler:
    """The handler `name`: `act`, called again after `again_s` when the API refused its write.

    With None it is given up.
    """
    return partial(_act, name, act, again_s)


def _act(
    name: str, act: Callable[..., None], again_s: float | None, world: World, *given: Any
) -> None:
    if not dynamic.configured(world):
        act(world, *given)
        return
    try:
        with dynamic.dynamic_admission(world, user_of(world, name)):
            act(world, *given)
    except ApiError:
        if again_s is not None:
            world.after(again_s, name, *given)


def _attempt(
    name: str,
    reconcile: Callable[[World, Any], None],
    waits_s: tuple[float, float],
    world: World,
    key: Any,
) -> None:
    delays = world.table(_TABLE)
    try:
        if dynamic.configured(world):
            with dynamic.dynamic_admission(world, user_of(world, name)):
                reconcile(world, key)
        else:
            reconcile(world, key)
    except ApiError:
        first_s, longest_s = waits_s
        delay_s = delays.get((name, key), first_s)
        delays[(name, key)] = min(delay_s * 2, longest_s)
        enqueue(world, name, key, delay_s + elapsed.took(world))
    else:
        if delays:
            delays.pop((name, key), None)
