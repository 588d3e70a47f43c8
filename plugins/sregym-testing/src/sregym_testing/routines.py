"""Contract tests for every routine."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import ClusterSpec, EpisodeRoutineContext, History, RoutineContext
from sregym_kubernetes.operations.objects import capture, differences

from sregym_testing.clusters import open_clusters
from sregym_testing.memory import FullShop, MemoryProvider

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_core.interfaces import Application, Cluster, Routine
    from sregym_core.model import ObjectRef

PAST_S = 7200.0
READY_S = 900.0
KINDS = (("v1", "Event"), ("v1", "Pod"), ("apps/v1", "ReplicaSet"), ("apps/v1", "Deployment"))


class RoutineContract:
    """Override `routine`, which makes the routine under test."""

    @pytest.fixture
    def routine(self) -> Routine:
        """The routine under test."""
        raise NotImplementedError("override the fixture `routine`")

    @pytest.fixture
    def application(self) -> Application:
        """An application that it lives with."""
        return FullShop()

    @pytest.fixture
    def cluster(self, application: Application) -> Iterator[Cluster]:
        """Where the application runs."""
        with open_clusters(MemoryProvider()) as give:
            yield give(ClusterSpec())

    def test_all_serve_their_users_afterwards(
        self, routine: Routine, application: Application, cluster: Cluster
    ) -> None:
        """It changes nothing that users feel, from the deployment to the agent's first look."""
        _live(routine, application, cluster, seed=1)
        assert application.ready(cluster) == []
        journal = UndoJournal()
        context = _episode(application, cluster, journal)
        routine.before_fault(context)
        routine.after_fault(context)
        routine.before_agent(context)
        cluster.clock.wait_until(lambda: not application.ready(cluster), READY_S, 5.0)
        assert application.ready(cluster) == []

    def test_the_journal_undoes_what_comes_after_the_fault(
        self, routine: Routine, application: Application, cluster: Cluster
    ) -> None:
        """Recovery gives back the configuration of the baseline."""
        _live(routine, application, cluster, seed=1)
        before = capture(cluster, application.namespaces)
        journal = UndoJournal()
        context = _episode(application, cluster, journal)
        routine.after_fault(context)
        routine.before_agent(context)
        journal.undo_objects(cluster)
        after = capture(cluster, application.namespaces)
        assert list(differences(before, after)) == []

    def test_the_application_is_ready_before_the_fault(
        self, routine: Routine, application: Application, cluster: Cluster
    ) -> None:
        """Time may pass in the hours before it, and recovery undoes what changes in them."""
        _live(routine, application, cluster, seed=1)
        before = capture(cluster, application.namespaces)
        journal = UndoJournal()
        routine.before_fault(_episode(application, cluster, journal))
        assert application.ready(cluster) == []
        journal.undo_objects(cluster)
        after = capture(cluster, application.namespaces)
        assert list(differences(before, after)) == []

    def test_the_same_seed_is_the_same_life(
        self, routine: Routine, application: Application
    ) -> None:
        """Also when one object played others before."""
        seen = []
        for seed in (1, 2, 1):
            with open_clusters(MemoryProvider()) as give:
                cluster = give(ClusterSpec())
                _live(routine, application, cluster, seed)
                seen.append(_seen(cluster, application))
        assert seen[0] == seen[2]


def _live(routine: Routine, application: Application, cluster: Cluster, seed: int) -> None:
    """From the deployment to the baseline."""
    quiet = routine.quiet_s(seed)
    assert quiet >= 0.0
    cluster.clock.advance(60.0 + quiet)
    application.deploy(cluster)
    began = cluster.clock.now()
    context = RoutineContext(cluster, application, seed, partial(_wait_ready, cluster, application))
    routine.past(context, History(application_s=PAST_S))
    left = began + PAST_S - cluster.clock.now()
    assert left >= 0.0, "the past takes longer than the history says"
    cluster.clock.advance(left)
    routine.before_baseline(context)


def _wait_ready(
    cluster: Cluster, application: Application, without: Iterable[ObjectRef] = ()
) -> None:
    names = [str(ref) for ref in without]

    def ready() -> bool:
        told = application.ready(cluster)
        return all(any(name in phrase for name in names) for phrase in told)

    assert cluster.clock.wait_until(ready, READY_S, 5.0), application.ready(cluster)


def _episode(
    application: Application, cluster: Cluster, journal: UndoJournal
) -> EpisodeRoutineContext:
    return EpisodeRoutineContext(cluster, application, 1, "some-problem", journal)


def _seen(cluster: Cluster, application: Application) -> list[Any]:
    namespace = application.namespaces[0]
    return [
        json.dumps(obj, sort_keys=True)
        for version, kind in KINDS
        for obj in cluster.list(version, kind, namespace)
    ]
