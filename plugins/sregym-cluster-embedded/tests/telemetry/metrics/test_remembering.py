"""What a world remembers of its metrics changes no answer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sregym_cluster_embedded.clock import SharedCache
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES, view_of
from sregym_promql import EvaluationError, Matcher, StoredSeries

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

EVERYTHING = (Matcher("__name__", "=~", ".+"),)


def plain(found: list[StoredSeries]) -> list[tuple[Any, bytes, bytes]]:
    return [(one.labels, one.times.tobytes(), one.values.tobytes()) for one in found]


def asked(world: World, matchers: tuple[Matcher, ...], seconds: float) -> list[Any]:
    end_ms = round((world.epoch + world.now) * 1000)
    start_ms = end_ms - round(seconds * 1000)
    return plain(list(WorldStorage(world).select(matchers, start_ms, end_ms)))


def forgetful(world: World) -> World:
    """A fork that nobody has asked, and that knows nothing from others."""
    found = world.fork()
    found.shared_cache = SharedCache()
    return found


def _nothing(_: Any) -> None:
    pass


def _scaled(booth: Any) -> None:
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=3))


def _deleted(booth: Any) -> None:
    booth.delete("services", "stock")


def _broken(booth: Any) -> None:
    booth.edit(
        "Deployment",
        "stock",
        lambda obj: obj["spec"]["template"]["spec"]["containers"][0].update(command=["nothing"]),
    )


CHANGES = [
    *(pytest.param(change, marks=pytest.mark.thorough) for change in (_nothing, _deleted, _broken)),
    _scaled,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_world_that_was_asked_before_answers_as_one_that_was_not(
    booth: Any, change: Callable[[Any], None]
) -> None:
    for seconds in (0.0, 47.0, 200.0):
        asked(booth.world, EVERYTHING, 300.0)
        change(booth)
        booth.run(seconds)
        for span in (300.0, 1000.0):
            fresh = forgetful(booth.world)
            found = asked(booth.world, EVERYTHING, span)
            assert found == asked(fresh, EVERYTHING, span)
            # What a fork shares with the others changes nothing either.
            assert found == asked(booth.world.fork(), EVERYTHING, span)


@pytest.mark.parametrize("change", CHANGES)
def test_forks_that_went_different_ways_share_no_answer(
    booth: Any, change: Callable[[Any], None]
) -> None:
    twin = booth.world.fork()
    asked(twin, EVERYTHING, 300.0)
    change(booth)
    booth.run(100.0)
    twin.run_until(twin.now + 100.0)
    for world in (booth.world, twin, booth.world, twin):
        assert asked(world, EVERYTHING, 300.0) == asked(forgetful(world), EVERYTHING, 300.0)


def test_nothing_that_forks_share_knows_a_world(booth: Any) -> None:
    twin = booth.world.fork()
    gone = weakref.ref(twin)
    twin.run_until(twin.now + 50.0)
    asked(twin, EVERYTHING, 300.0)
    labels = Survey(twin, 0, 2**62).labels(EVERYTHING)
    assert len(labels) > 100
    del twin
    gc.collect()
    assert gone() is None


def test_matchers_select_what_would_be_left_of_everything(booth: Any) -> None:
    every = asked(booth.world.fork(), EVERYTHING, 300.0)
    for matcher in (
        Matcher("namespace", "=", "booth"),
        Matcher("pod", "=~", "web-.*"),
        Matcher("pod", "=", ""),
        Matcher("job", "!=", "kubelet"),
        Matcher("service_name", "!~", "web|"),
        Matcher("node", "=~", ".*"),
    ):
        wanted = [one for one in every if matcher.matches(dict(one[0]).get(matcher.name, ""))]
        assert asked(booth.world.fork(), (*EVERYTHING, matcher), 300.0) == wanted
        assert 0 < len(wanted) <= len(every)


def test_what_is_remembered_is_no_state(booth: Any) -> None:
    before = booth.world.fork().digest()
    asked(booth.world, EVERYTHING, 300.0)
    assert booth.world.digest() == before
    assert booth.world.fork().cache == {}


def test_what_stays_as_it_is_stays_the_same_object(booth: Any) -> None:
    view = view_of(booth.world)
    pods, web = view.pods, booth.ref("web").pod_uid
    members, services = view.all_instances[web], view.past.of("services")
    assert view_of(booth.world) is view
    booth.edit("Service", "web", lambda obj: obj["metadata"].update(labels={"a": "b"}))
    after = view_of(booth.world)
    assert after is not view
    assert after.basis(("pods", INSTANCES))[1] is view.basis(("pods", INSTANCES))[1]
    assert after.pods[web] is pods[web]
    assert after.all_instances[web] is members
    assert after.past.of("services") is not services


def test_more_samples_than_a_query_may_load_are_not_worked_out(booth: Any) -> None:
    storage = WorldStorage(booth.world, most_samples=10_000)
    end_ms = round((booth.world.epoch + booth.world.now) * 1000)
    assert len(storage.select((Matcher("__name__", "=", "up"),), end_ms - 300_000, end_ms)) > 10
    with pytest.raises(EvaluationError) as refused:
        storage.select(EVERYTHING, end_ms - 300_000, end_ms)
    assert str(refused.value) == (
        "query processing would load too many samples into memory in query execution"
    )
