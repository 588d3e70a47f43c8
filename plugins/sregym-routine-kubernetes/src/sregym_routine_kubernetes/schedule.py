"""Routine changes: what people and pipelines change in a running system whether it breaks or not.

Without them the only pod younger than a day, the only edited Service and the newest ReplicaSet of a
world would be those of the fault. Some happen before the healthy baseline is taken and are part of
it, some after the fault and are journaled; none changes how the system behaves.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from sregym_routine_kubernetes import incidental, mishaps, programs
from sregym_routine_kubernetes.moments import happen
from sregym_routine_kubernetes.parts import (
    change,
    changeable,
    look_into,
    replaced_one_by_one,
    subject,
)
from sregym_routine_kubernetes.requests import (
    PASSING,
    PASSING_AFTER,
    REFUSED,
    REFUSED_AFTER,
    cleared,
    requests,
    tried_out,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_core.interfaces import Application, Cluster, Journal, RoutineContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, ObjectRef

    from sregym_routine_kubernetes.moments import Moment

    # A part, and the kinds of what may be done to it.
    _Act: TypeAlias = tuple[Component, Sequence[str]]
    # The same at so many seconds.
    _Timed: TypeAlias = tuple[float, Component, Sequence[str]]

# Shares of the components that are changed before the baseline.
SHARE_BEFORE = (0.3, 0.6)
# How long the changes before the baseline take, the quiet before and after them included.
SPAN_S = (4200.0, 4800.0)
# The same between a fault and the moment at which an agent looks at it: at least, and for each change.
SPAN_AFTER_S = (100.0, 300.0)
EACH_AFTER_S = 12.0
# After the last of them a person watches for so long whether it did any harm.
WATCHED_S = 35.0
# Of all parts this share at most, and no more than so many, get new pods after a fault, each number from
# one on alike: by the age of its pods alone a broken part is then the second, ... the last of them equally
# often. With more of them an agent that looks at the others alone would have few left to guess among.
RENEWED_AFTER, MOST_AFTER = 0.4, 20
# None at all get some so many times as often as a draw by lot among all parts hits: then the newest pods
# are those of the fault, where it brings new ones, as about every second does.
NONE_AFTER = 1.5
# What changes nothing but metadata, Services and configuration, in the same time.
MOST_MARKS = 5
# The same on any part, in the later part of that time.
LATE_MARKS = (1, 4)
# The same of configuration, that of parts which had none before included.
LATE_CONFIGURATION = (2, 4)
# Settings of workloads that bring no new pods, before the baseline. A few parts, drawn anew in each
# world, are worked on more than all others: whose generation is the highest is then one of these.
SETTINGS = (12, 24)
_UNEVEN = 0.7
# What is written of parts by commands that few use: the only part to have been written by
# some tool was most likely that, and not the fault.
LABELLED = (2, 4)
# Sessions on each part on which people open some.
SESSIONS_AFTER = (0, 2)
# How many rollouts have begun when the agent begins, and how many seconds before.
ROLLOUTS_BEGUN = (1, 2)
BEGUN_S = (0.3, 2.0)
_RENEWING = ("restart", "template")
_MARKING = ("service", "service", "config")
_ANY = ("restart", "template", "template", "template", "service", "config")
# What is measured from the last change to the baseline.
SETTLE_S = 75.0


def quiet_before(seed: int) -> float:
    """Seconds from a cluster's first moment to the deployment of its application: never a round number."""
    chance = Random(f"quiet before the deployment, seed {seed}")  # noqa: S311 - a game, no secret
    return 5 * chance.randint(8, 50) + round(chance.uniform(0.6, 3.9), 3)


def routine_before(context: RoutineContext) -> None:
    """Change some of a warm application, and let it settle.

    Raises:
        WorldError: The application does not get ready again.
    """
    cluster, application, seed = context.cluster, context.application, context.seed
    chance = Random(f"routine before, seed {seed}")  # noqa: S311 - a game, no secret
    parts = changeable(application)
    chosen = chance.sample(parts, round(chance.uniform(*SHARE_BEFORE) * len(parts)))
    span = chance.uniform(*SPAN_S) - SETTLE_S
    ends = round(chance.uniform(max(0.0, span - 600.0), span), 3)
    acts: list[_Act] = [(part, _ANY) for part in chosen]
    settings = chance.randint(*SETTINGS) if parts else 0  # what an operator keeps is not changed
    often = [chance.paretovariate(_UNEVEN) for _ in parts]
    acts += [(part, ("setting",)) for part in chance.choices(parts, often, k=settings)]
    labelled = chance.randint(*LABELLED) if parts else 0
    acts += [(part, ("service", "config")) for part in chance.choices(parts, k=labelled)]
    chance.shuffle(acts)
    began = cluster.clock.now()
    own = Random(f"requests before, seed {seed}")  # noqa: S311 - a game, no secret
    more = [
        *cleared(cluster, application, ends, seed),
        *requests(cluster, parts, ends, (PASSING, REFUSED), own, _forget),
        *programs.writes(
            cluster, incidental.listed(application), ends, programs.WRITES, own, _forget
        ),
    ]
    timed = _spread(acts, ends, chance)
    _act(cluster, timed, ends, chance, _forget, more)
    cluster.clock.advance(SETTLE_S)
    context.wait_ready()
    cluster.clock.advance(max(0.0, began + ends + SETTLE_S - cluster.clock.now()))


def _forget(_ref: ObjectRef, _before: KubeObject | None) -> None:
    """What changes before the baseline is part of it."""


def routine_after(
    cluster: Cluster,
    application: Application,
    journal: Journal,
    spared: Sequence[str],
    whose: str,
) -> None:
    """Change some of a broken application; the journal undoes it.

    Nothing that runs is changed of what is broken or suffers. What people and programs note in metadata is
    about any part alike: a part that was not written to lately is no more to blame than others.

    Args:
        cluster: Where it runs, on virtual time.
        application: The application.
        journal: Where undo steps go.
        spared: Names of the components that are broken or suffer; of them nothing is restarted.
        whose: From which all chance derives: of each problem another, for what were the same for all of
            a seed would stand out in all of them.
    """
    chance = Random(f"routine after, {whose}")  # noqa: S311 - a game, no secret
    parts = [part for part in changeable(application) if part.name not in spared]
    stuck = mishaps.pods_are_missing(cluster, application.components())
    # For pods that are missing by the fault there is no wait: controllers try ever more rarely then.
    needed = [] if stuck else mishaps.needed(cluster, application, spared)
    # What keeps one pod from coming may keep others, too: users are to lose no other part by that.
    able = [part for part in parts if not stuck or replaced_one_by_one(cluster, part)]
    renewed = renewed_after(able, len(incidental.listed(application)), chance)
    acts: list[_Act] = [(part, _RENEWING) for part in renewed]
    marks = min(MOST_MARKS, len(parts))
    acts += [(part, _MARKING) for part in chance.sample(parts, chance.randint(0, marks))]
    asked = [part for part in changeable(application) if part.sessions]
    acts += [(part, ("session",)) for part in asked for _ in range(chance.randint(*SESSIONS_AFTER))]
    chance.shuffle(acts)
    span = round(chance.uniform(*SPAN_AFTER_S) + EACH_AFTER_S * len(acts), 3)
    timed = _spread(acts, span, chance)
    if mishaps.something_is_not_ready(cluster, application.namespaces):
        # Where all are ready that stays so: whether pods are tells something, which one does not.
        timed += _loops(cluster, parts, span, chance)
    own = Random(f"requests after, {whose}")  # noqa: S311 - a game, no secret
    few = (PASSING_AFTER, REFUSED_AFTER)
    more = [*requests(cluster, parts, span, few, own, journal.restore)]
    every = incidental.listed(application)
    more += _late(cluster, every, journal, span, own)
    more += programs.writes(cluster, every, span, programs.WRITES_AFTER, own, journal.restore)
    more += incidental.warnings(
        cluster, application, span, incidental.WARNINGS_AFTER, f"after, {whose}", incidental.SELDOM
    )
    _act(cluster, timed, span, chance, journal.restore, more)
    cluster.clock.advance(WATCHED_S)
    # Whose connections ended with a pod may have crashed, and be held back for former crashes.
    mishaps.await_pods(cluster, needed, WATCHED_S)


def rollouts_begun(
    cluster: Cluster,
    application: Application,
    journal: Journal,
    spared: Sequence[str],
    whose: str,
) -> None:
    """Let the agent find rollouts that have just begun, where something is not ready.

    A part whose pods are not ready is then often one that will be in a moment. The old pods serve
    until the new ones do.

    Args:
        cluster: Where it runs, on virtual time.
        application: The application.
        journal: Where undo steps go.
        spared: Names of the components that are broken or suffer; they are left alone.
        whose: From which all chance derives.
    """
    chance = Random(f"rollouts begun, {whose}")  # noqa: S311 - a game, no secret
    if not mishaps.something_is_not_ready(cluster, application.namespaces):
        return
    able = [
        part
        for part in changeable(application)
        if part.name not in spared and part.kind == "service" and replaced_one_by_one(cluster, part)
    ]
    for part in chance.sample(able, min(len(able), chance.randint(*ROLLOUTS_BEGUN))):
        change(cluster, part, "restart", chance, journal.restore)
    cluster.clock.advance(round(chance.uniform(*BEGUN_S), 3))


def renewed_after(parts: Sequence[Component], every: int, chance: Random) -> Sequence[Component]:
    """Which parts get new pods after a fault in an application with so many."""
    most = min(MOST_AFTER, round(RENEWED_AFTER * every), len(parts))
    if not most or chance.random() * every < NONE_AFTER:
        return ()
    return chance.sample(parts, chance.randint(1, most))


def _late(
    cluster: Cluster, parts: Sequence[Component], journal: Journal, span: float, chance: Random
) -> Iterator[Moment]:
    """Labels, notes and configuration of any parts: nothing of them runs otherwise for that.

    Where a fault hurts most of a system hardly anybody else is changed after it, and whatever was
    written last would be what it wrote.
    """
    for _ in range(chance.randint(*LATE_MARKS) if parts else 0):
        kind = chance.choice(("workload", "workload", "service"))
        moment = round(chance.uniform(0.3 * span, span), 3)
        yield moment, partial(change, cluster, chance.choice(parts), kind, chance, journal.restore)
    for _ in range(chance.randint(*LATE_CONFIGURATION) if parts else 0):
        part = chance.choice(parts)
        moment = round(chance.uniform(0.4 * span, span), 3)
        if subject(part, "config", chance) == part.workload:  # most have none of their own
            yield moment, tried_out(cluster, part, chance, journal.restore)
        else:
            yield moment, partial(change, cluster, part, "config", chance, journal.restore)


def _spread(acts: Sequence[_Act], span: float, chance: Random) -> list[_Timed]:
    """Each at a moment of its own within so many seconds, in this order."""
    moments = sorted(round(chance.uniform(0.0, span), 3) for _ in acts)
    return [(moment, *act) for moment, act in zip(moments, acts, strict=True)]


def _loops(
    cluster: Cluster, parts: Sequence[Component], span: float, chance: Random
) -> list[_Timed]:
    """Some that users can do without restart again and again, and wait for that at the end."""
    able = mishaps.redundant_components(cluster, parts)
    chosen = chance.sample(able, min(len(able), chance.randint(*mishaps.LOOPING)))
    return [
        (max(0.0, span - before + round(chance.uniform(-0.9, 0.9), 3)), part, ("crash",))
        for part in chosen
        for before in mishaps.LOOP_S
    ]


def _act(
    cluster: Cluster,
    acts: Sequence[_Timed],
    span: float,
    chance: Random,
    save: Callable[[ObjectRef, KubeObject], None],
    more: Sequence[Moment],
) -> None:
    """Do something to parts, each at its moment within so many seconds; returns when they are over."""
    due: list[Moment] = [
        (moment, partial(_do, cluster, part, kinds, chance, save)) for moment, part, kinds in acts
    ]
    happen(cluster, [*due, *more], span)


def _do(
    cluster: Cluster,
    part: Component,
    kinds: Sequence[str],
    chance: Random,
    save: Callable[[ObjectRef, KubeObject], None],
) -> None:
    kind = chance.choice(kinds)
    if kind == "session":
        look_into(cluster, part, chance)
    elif kind == "crash":
        mishaps.crash(cluster, part, chance)
    else:
        change(cluster, part, kind, chance, save)
