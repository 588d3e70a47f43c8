"""The last hours before a fault: of each problem others, whatever will break.

What happened before is the same for all problems of an application with a seed. Whose containers ended
most often would be the same part in all of them.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from sregym_routine_kubernetes import incidental, mishaps, programs
from sregym_routine_kubernetes.moments import happen
from sregym_routine_kubernetes.parts import change, changeable, look_into
from sregym_routine_kubernetes.requests import PASSING, REFUSED, requests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Application, Cluster, Journal
    from sregym_core.model import Component

    from sregym_routine_kubernetes.moments import Moment

# How long they are, and how long before their end the last container ends: longer than alerts and rates
# look back, and than a kubelet remembers that it waited.
SPAN_S = (9000.0, 12_600.0)
CALM_S = 700.0
# How many parts have containers that end (for want of memory, by a probe that is late), how many of these
# are the worst, and how often the containers of the worst and of the others end. A kubelet starts none as
# often from a fault to an agent's look as those of the worst, of which one may get new pods after the fault.
ENDED = (2, 3)
WORST = 2
WORST_ENDS = (9, 13)
OTHER_ENDS = (2, 6)
# Of the time from one end to the next, where within it a container ends: two are never close together.
_WITHIN = (0.15, 0.85)
# How many settings, labels and notes people write, and sessions on each part on which they open some.
MARKED = (4, 10)
SESSIONS = (0, 6)
# The longest that is waited for parts that still start.
READY_S = 900.0


def live_last_hours(
    cluster: Cluster, application: Application, journal: Journal, whose: str
) -> None:
    """Let the last hours before a fault pass, in which nothing gets new pods.

    Args:
        cluster: Where, on virtual time.
        application: The application whose parts something happens to.
        journal: Where undo steps go.
        whose: From which all of it derives.
    """
    chance = Random(f"last hours, {whose}")  # noqa: S311 - a game, no secret
    span = round(chance.uniform(*SPAN_S), 3)
    # Before the first of them ends: what rules made of the months before is worked out once for all.
    mishaps.standing_alerts(cluster, incidental.listed(application), chance)
    parts, every = changeable(application), incidental.listed(application)
    due = [*ends(cluster, mishaps.crashable(parts), span - CALM_S, chance)]
    due += requests(cluster, parts, span, (PASSING, REFUSED), chance, journal.restore)
    due += programs.writes(cluster, every, span, programs.WRITES, chance, journal.restore)
    for part in chance.choices(parts, k=chance.randint(*MARKED)) if parts else ():
        kind = chance.choice(("setting", "service", "config"))
        write = partial(change, cluster, part, kind, chance, journal.restore)
        due.append((round(chance.uniform(0.0, span), 3), write))
    for part in parts:
        for _ in range(chance.randint(*SESSIONS) if part.sessions else 0):
            look = partial(look_into, cluster, part, chance)
            due.append((round(chance.uniform(0.0, span), 3), look))
    happen(cluster, due, span)
    cluster.clock.wait_until(lambda: not application.ready(cluster), READY_S, 5.0)


def ends(
    cluster: Cluster, parts: Sequence[Component], span: float, chance: Random
) -> Iterator[Moment]:
    """Ends of containers of a few parts within a time; yields when and how.

    Args:
        cluster: Where.
        parts: Of whom some are drawn.
        span: Seconds.
        chance: From which all of it derives.
    """
    chosen = chance.sample(parts, min(len(parts), chance.randint(*ENDED)))
    for place, part in enumerate(chosen):
        count = chance.randint(*(WORST_ENDS if place < WORST else OTHER_ENDS))
        for number in range(count):
            moment = round((number + chance.uniform(*_WITHIN)) * span / count, 3)
            yield moment, partial(mishaps.crash, cluster, part, chance)
