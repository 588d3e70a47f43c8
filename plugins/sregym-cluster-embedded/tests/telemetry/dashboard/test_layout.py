"""Places of nodes, and quantiles of mixed response times."""

from __future__ import annotations

from sregym_cluster_embedded.telemetry.dashboard.flowing import Mixture, Stretch, stretches
from sregym_cluster_embedded.telemetry.dashboard.layout import Place, placed
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import Segment


def test_callers_stand_left_of_those_they_call() -> None:
    edges = [("a", "b"), ("a", "c"), ("c", "d"), ("b", "e"), ("a", "e"), ("d", "elsewhere")]
    assert placed(["e", "d", "c", "b", "a"], edges) == {
        "a": Place(0, 0),
        "b": Place(1, 0),
        "c": Place(1, 1),
        "d": Place(2, 1),
        "e": Place(2, 0),
    }


def test_circles_are_laid_out_too() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "c")]
    assert placed(["a", "b", "c"], edges) == {
        "a": Place(0, 0),
        "b": Place(1, 0),
        "c": Place(2, 0),
    }
    assert placed([], []) == {}


def test_a_mixture_of_times() -> None:
    mixture = Mixture()
    assert mixture.quantile(0.5) is None
    fast, slow = Time(1.0, 0.0001), Time(100.0, 1.0)
    mixture.add(fast, 90)
    assert mixture.quantile(0.5) == round(fast.quantile(0.5), 3)
    mixture.add(slow, 10)
    median, late = mixture.quantile(0.5), mixture.quantile(0.95)
    assert median is not None
    assert late is not None
    assert (round(median, 1), round(late)) == (1.0, 100)


def test_stretches_of_a_span() -> None:
    known = tuple(Segment(float(start), ()) for start in (0, 10, 20))
    assert list(stretches(known, 5.0, 25.0, until=22.0)) == [
        Stretch(known[2], 20.0, 22.0),
        Stretch(known[1], 10.0, 20.0),
        Stretch(known[0], 5.0, 10.0),
    ]
    assert list(stretches(known, 30.0, 40.0, until=22.0)) == []
    assert list(stretches((), 0.0, 10.0, until=10.0)) == []
