"""Contract tests for every source of noise."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import ClusterSpec, NoiseContext

from sregym_testing.watched import WatchedCluster
from sregym_testing.worlds import ready_world

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Noise

    from sregym_testing.clusters import Provision

_HORIZON_S = 3600.0
_HINTS = re.compile("noise|chaos|(?<!de)fault|sregym|benchmark|inject|decoy|zombie|distract")


@dataclass(frozen=True)
class NoiseCase:
    """A source of noise and the application that it disturbs.

    Attributes:
        noise: The source under test.
        application: The application that it disturbs.
        excluded_component: Name of a component that the contract asks it to leave alone.
        silent: Whether it may find no target in this application.
    """

    noise: Noise
    application: Application
    excluded_component: str
    silent: bool = False


class NoiseContract:
    """Override `case`; override `provision` where the noise needs programs that run."""

    @pytest.fixture
    def case(self) -> NoiseCase:
        """The source under test."""
        raise NotImplementedError("override the fixture `case`")

    def test_schedule_follows_from_the_seed(self, case: NoiseCase, provision: Provision) -> None:
        """Equal seeds give equal times, on every call."""
        context = _context(case, provision, seed=7)
        first, again = _moments(case, context), _moments(case, context)
        assert first == again
        assert first, "no disturbance within an hour"

    def test_seeds_differ(self, case: NoiseCase, provision: Provision) -> None:
        """At least two of ten seeds give different times."""
        context = _context(case, provision, seed=0)
        contexts = [replace(context, seed=seed) for seed in range(10)]
        seeds = [tuple(_moments(case, context)) for context in contexts]
        assert len(set(seeds)) > 1

    def test_schedule_moves_on(self, case: NoiseCase, provision: Provision) -> None:
        """The next disturbance is later than the moment one asks for."""
        context = _context(case, provision, seed=7)
        for elapsed in (0.0, 10.0, 600.0):
            following = case.noise.next_at(context, elapsed)
            assert following is None or following > elapsed

    @pytest.mark.parametrize("level", [1, 3])
    def test_disturbs_and_heals(self, case: NoiseCase, provision: Provision, level: int) -> None:
        """It does something, says so in one line, and after `settle` nothing is left of it.

        Settling knows of it only what stands in the context's memory, as after a fork.
        """
        world = ready_world(case.application, provision)
        watched = WatchedCluster(world.cluster)
        context = NoiseContext(
            watched, case.application, (case.excluded_component,), seed=7, level=level
        )
        for moment in _moments(case, context)[:3]:
            said = case.noise.disturb(context, moment)
            assert said.strip()
            assert "\n" not in said.strip()
        assert watched.writes or case.silent, "it changed nothing through the cluster"
        memory = json.loads(json.dumps(context.memory))
        type(case.noise)().settle(replace(context, memory=memory))
        assert world.lasting_changes() == []
        assert world.is_ready(), case.application.ready(world.cluster)

    def test_what_it_did_is_undone_from_the_journal(
        self, case: NoiseCase, provision: Provision
    ) -> None:
        """Nothing is left of an episode that was cut off, although the disturbances were not ended."""
        world = ready_world(case.application, provision)
        journal = UndoJournal()
        context = NoiseContext(
            world.cluster,
            case.application,
            (case.excluded_component,),
            seed=7,
            level=3,
            journal=journal,
        )
        for moment in _moments(case, context)[:3]:
            case.noise.disturb(context, moment)
        if world.cluster.nodes is not None:
            journal.undo_nodes(world.cluster)
        journal.undo_objects(world.cluster)
        assert world.lasting_changes() == []
        assert world.is_ready(), case.application.ready(world.cluster)

    def test_settling_is_harmless(self, case: NoiseCase, provision: Provision) -> None:
        """Before any disturbance, and twice."""
        world = ready_world(case.application, provision)
        context = NoiseContext(world.cluster, case.application, (case.excluded_component,), seed=7)
        case.noise.settle(context)
        case.noise.settle(context)
        assert world.changes() == []

    def test_spares_the_targets_of_faults(self, case: NoiseCase, provision: Provision) -> None:
        """No write names the spared component or one of its pods."""
        world = ready_world(case.application, provision)
        watched = WatchedCluster(world.cluster)
        context = NoiseContext(watched, case.application, (case.excluded_component,), seed=7)
        for moment in _moments(case, context)[:10]:
            case.noise.disturb(context, moment)
        hit = [what for what in watched.writes if _concerns(what, case)]
        assert hit == []

    def test_nothing_in_the_world_says_that_it_is_noise(
        self, case: NoiseCase, provision: Provision
    ) -> None:
        """No name that it writes tells of noise, chaos, faults or the harness."""
        world = ready_world(case.application, provision)
        watched = WatchedCluster(world.cluster)
        context = NoiseContext(
            watched, case.application, (case.excluded_component,), seed=7, level=3
        )
        for moment in _moments(case, context)[:10]:
            case.noise.disturb(context, moment)
        told = [what for what in watched.writes if _HINTS.search(what.lower())]
        assert told == []


def _context(case: NoiseCase, provision: Provision, seed: int) -> NoiseContext:
    """For moments, which follow from seed and level alone: nothing has to run."""
    cluster = provision(ClusterSpec(seed=seed, applications=(case.application,)))
    return NoiseContext(cluster, case.application, (case.excluded_component,), seed)


def _moments(case: NoiseCase, context: NoiseContext) -> list[float]:
    """All moments of the first hour, at most a thousand."""
    moments: list[float] = []
    at = case.noise.next_at(context, 0.0)
    while at is not None and at <= _HORIZON_S and len(moments) < 1000:
        moments.append(at)
        at = case.noise.next_at(context, at)
    return moments


def _concerns(write: str, case: NoiseCase) -> bool:
    component = case.application.component(case.excluded_component)
    assert component is not None, f"the application has no component {case.excluded_component!r}"
    name = write.replace("/", " ").split()[-1]
    workload = component.workload.name
    longer = [
        part.workload.name
        for part in case.application.components()
        if part.workload.name.startswith(f"{workload}-")
    ]
    if any(name == other or name.startswith(f"{other}-") for other in longer):
        return False  # `cart-db-0` is a pod of `cart-db`, not of `cart`
    return name == workload or name.startswith(f"{workload}-")
