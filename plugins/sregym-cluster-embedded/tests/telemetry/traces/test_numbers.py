"""The numbers behind traces: shares that are kept exactly, requests in order, ids and back."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.telemetry.traces.draws import Even, choose, hit, level_of, sample
from sregym_cluster_embedded.telemetry.traces.ids import origin_code, origin_of, trace_id
from sregym_cluster_embedded.telemetry.traces.numbering import Numbering
from sregym_cluster_embedded.traffic.arrivals import rate_modulation_of
from sregym_cluster_embedded.traffic.counting import totals
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import Flow, Segment

REF = ContainerRef("shop", "web-1", "uid-1", "web", 0)
SEED = Seed(7)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.03, 0.25, 0.3333, 0.5, 0.61803, 0.9, 0.999, 1.0])
def test_a_share_is_kept_exactly_and_hits_are_numbered(share: float) -> None:
    found = [hit(SEED, ("test",), number, share) for number in range(3000)]
    ranks = [rank for rank in found if rank is not None]
    assert ranks == list(range(len(ranks)))
    for count in (10, 100, 999, 3000):
        hits = sum(rank is not None for rank in found[:count])
        assert abs(hits - count * share) <= 1


def test_choices_keep_their_shares_and_number_their_draws() -> None:
    shares = [0.7, 0.0, 0.2, 0.1]
    found = [choose(SEED, ("test",), number, shares) for number in range(2000)]
    for index, share in enumerate(shares):
        ranks = [rank for chosen, rank in found if chosen == index]
        assert ranks == list(range(len(ranks)))
        assert abs(len(ranks) - 2000 * share) <= 2


def test_another_seed_chooses_others() -> None:
    first, second = (
        [hit(Seed(value), ("test",), number, 0.2) for number in range(100)] for value in (1, 2)
    )
    assert first != second


def test_even_draws_have_the_shape_of_the_distribution() -> None:
    scores = Even(SEED, ("test",))
    time = Time(10.0, 25.0)
    drawn = [sample(time, scores.score(number)) for number in range(2000)]
    for level in (0.5, 0.75, 0.9, 0.95, 0.99):
        assert sum(ms <= time.quantile(level) for ms in drawn) / 2000 == pytest.approx(
            level, abs=0.002
        )
    assert sum(drawn) / 2000 == pytest.approx(10.0, rel=0.01)
    assert level_of(time, time.quantile(0.9)) == pytest.approx(0.9, abs=1e-6)
    assert level_of(time, 0.0) == 0.0


RHYTHM = rate_modulation_of(REF, "buy", 7.7)


def segment(start: float, rate: float) -> Segment:
    flow = Flow("buy", rate, 1.0, (), Time(1.0, 0.1), rhythm=RHYTHM)
    return Segment(start, (flow,) if rate else ())


def test_numbers_count_as_totals_do() -> None:
    known = (segment(1.3, 7.7), segment(12.9, 0.0), segment(20.0, 0.31), segment(90.0, 100.0))
    numbering = Numbering(
        [(1.3, 12.9, 7.7, RHYTHM, known[0]), (12.9, 20.0, 0.0, (), known[1]),
         (20.0, 90.0, 0.31, RHYTHM, known[2]), (90.0, 95.0, 100.0, RHYTHM, known[3])]
    )  # fmt: skip
    for start, end in ((0.0, 95.0), (0.0, 5.0), (5.0, 21.5), (33.3, 94.99), (12.9, 20.0)):
        expected = totals(known, "buy", start, end).requests
        assert len(numbering.between(start, end)) == expected
    assert numbering.last == totals(known, "buy", 0.0, 95.0).requests
    arrivals = [numbering.arrival(SEED, ("a",), number) for number in range(1, numbering.last + 1)]
    assert arrivals == sorted(arrivals)
    for number in (1, 50, 100, 110, 111, numbering.last):
        at = numbering.arrival(SEED, ("a",), number)
        assert numbering.count(at) < number <= numbering.count(at + 3.3 + 7.1)
        assert number in numbering.piece(number).numbers


def test_ids_lead_back_to_their_requests() -> None:
    seen = set()
    for number in (1, 2, 3, 1000, 2**39):
        identifier = trace_id(7, REF, "buy", number)
        assert len(identifier) == 32
        assert origin_of(7, int(identifier[16:], 16)) == (origin_code(REF, "buy"), number)
        assert origin_of(8, int(identifier[16:], 16)) != (origin_code(REF, "buy"), number)
        seen.add(identifier)
    assert trace_id(7, REF, "buy", 1) == trace_id(7, REF, "buy", 1)
    assert trace_id(7, REF, "browse", 1) not in seen
    assert len(seen) == 5


def test_levels_fill_the_interval_evenly_and_in_no_order() -> None:
    even = Even(Seed(5), ("time", "buy"))
    levels = [even.level(number) for number in range(6400)]
    for first in range(0, 6400, 128):
        parts = {int(level * 128) for level in levels[first : first + 128]}
        assert parts == set(range(128))
    assert all(0 <= level < 1 for level in levels)
    for lag in (1, 2, 3, 5, 8, 13, 21, 34, 64, 128):
        pairs = list(zip(levels, levels[lag:], strict=False))
        alike = sum((one - 0.5) * (other - 0.5) for one, other in pairs) / len(pairs) * 12
        assert abs(alike) < 0.06
    assert [even.level(number) for number in (9, 4, 9)] == [levels[9], levels[4], levels[9]]
