"""What happens at some moment, and letting it happen."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_core.interfaces import Cluster

    # Seconds since something began, and what happens then.
    Moment: TypeAlias = tuple[float, Callable[[], None]]


def happen(cluster: Cluster, due: Iterable[Moment], span: float) -> None:
    """Let all of it happen from now on, each at its moment; returns when so many seconds have passed."""
    began = cluster.clock.now()
    for moment, act in sorted(due, key=itemgetter(0)):
        cluster.clock.advance(max(0.0, began + moment - cluster.clock.now()))
        act()
    cluster.clock.advance(max(0.0, began + span - cluster.clock.now()))
