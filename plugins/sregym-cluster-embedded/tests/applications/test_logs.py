"""Lines of requests: computed when asked for, the same whenever and however they are asked for."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import FrameType
from typing import Any

import pytest
from sregym_apps.model import Line, Log
from sregym_cluster_embedded.traffic.counting import totals
from sregym_cluster_embedded.userland.formats import render
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW


@pytest.fixture
def noisy(open_shop: Any) -> Any:
    open_shop.mongo('db.dropUser("admin")')
    open_shop.run(60)
    return open_shop


def test_errors_are_logged_at_the_rate_of_the_requests(noisy: Any) -> None:
    lines = noisy.runtime.logs(noisy.world, noisy.ref("stock"))
    start = noisy.world.now - 10
    served = noisy.world.service(REQUEST_FLOW).served(noisy.world, noisy.ref("stock"))
    (flow,) = served[-1].flows
    counted = totals(served, flow.operation, start, noisy.world.now)
    written = len([line for line in lines if line.at >= start])
    assert written == pytest.approx(sum(counted.failed.values()), abs=1)
    assert written == pytest.approx(1000, abs=4 * 1000**0.5)


def test_the_tail_is_the_end_of_the_whole(noisy: Any) -> None:
    ref = noisy.ref("stock")
    whole = noisy.runtime.logs(noisy.world, ref)
    tail = noisy.runtime.logs(noisy.world, ref, tail_lines=50)
    assert tail == whole[-50:]
    since = noisy.world.now - 1
    recent = noisy.runtime.logs(noisy.world, ref, since=since)
    assert recent == [line for line in whole if line.at >= since]


def test_what_was_read_is_read_again(noisy: Any) -> None:
    ref = noisy.ref("stock")
    early = noisy.runtime.logs(noisy.world, ref)
    twin = noisy.fork()
    noisy.run(5)
    late = noisy.runtime.logs(noisy.world, ref)
    assert late[: len(early)] == early
    assert twin.runtime.logs(twin.world, ref) == early


def test_what_was_written_stays_when_chance_changes(noisy: Any) -> None:
    ref = noisy.ref("stock")
    other = noisy.world.fork(seed=99)
    assert noisy.runtime.logs(other, ref) == noisy.runtime.logs(noisy.world, ref)


def test_numbers_of_a_range_are_drawn_for_each_line(make_shop: Any, shop_text: str) -> None:
    text = 'text: "reserve: ${error}"'
    shop = make_shop(shop_text.replace(text, 'text: "hotel ${1..3}"'))
    shop.open()
    shop.mongo('db.dropUser("admin")')
    shop.run(30)
    drawn = [line.rpartition(" ")[2] for line in shop.texts("web") if "hotel" in line]
    assert sorted(set(drawn)) == ["1", "2", "3"]
    assert drawn == [line.rpartition(" ")[2] for line in shop.texts("web") if "hotel" in line]


def test_numbers_of_fields_are_drawn_as_well(make_shop: Any, shop_text: str) -> None:
    text = 'text: "reserve: ${error}"'
    told = 'text: hotel, format: logfmt, fields: {room: "${1..3}", floor: "2"}'
    shop = make_shop(shop_text.replace(text, told))
    shop.open()
    shop.mongo('db.dropUser("admin")')
    shop.run(30)
    drawn = [line.partition("room=")[2] for line in shop.texts("web") if "hotel" in line]
    assert sorted(set(drawn)) == ["1 floor=2", "2 floor=2", "3 floor=2"]


def test_a_process_that_has_ended_says_no_more(noisy: Any) -> None:
    noisy.runtime.kill(noisy.world, noisy.ref("stock"))
    before = noisy.texts("stock")
    noisy.run(30)
    assert noisy.texts("stock") == before


def test_a_thousand_lines_are_quick(noisy: Any) -> None:
    """Counted in calls, which no other work of the machine makes more of."""
    ref = noisy.ref("stock")
    noisy.runtime.logs(noisy.world, ref, tail_lines=1000)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        lines = noisy.runtime.logs(noisy.world, ref, tail_lines=1000)
    finally:
        sys.setprofile(None)
    assert len(lines) == 1000
    assert calls < 12_000


def test_mongod_tells_of_its_checkpoints(open_shop: Any) -> None:
    open_shop.run(150)
    lines = open_shop.runtime.logs(open_shop.world, open_shop.ref("mongodb-stock"))
    told = [line for line in lines if "WTCheckpointThread" in line.text]
    assert [round(b.at - a.at, 6) for a, b in pairwise(told)] == [60.0]
    assert told[1].text.endswith(
        "WT_SESSION.checkpoint: [WT_VERB_CHECKPOINT_PROGRESS] saving checkpoint snapshot min: 7, "
        'snapshot max: 7 snapshot count: 0, oldest timestamp: (0, 0) , meta checkpoint timestamp: (0, 0)"}}'
    )


@pytest.mark.parametrize("form", ["nginx", "log4j", "klog", "spring-boot", "go-log", "json"])
def test_lines_of_requests_carry_their_own_time(make_shop: Any, shop_text: str, form: Any) -> None:
    text = shop_text.replace("find: ${error}", "no stock")
    shop = make_shop(text.replace("log: {format: zerolog-console}", f"log: {{format: {form}}}"))
    shop.open()
    shop.mongo('db.dropUser("admin")')
    shop.run(20)
    lines = shop.runtime.logs(shop.world, shop.ref("stock"), tail_lines=300)
    assert len(lines) == 300
    line = Line(text="no stock", level="error")
    for told in lines:
        assert render(shop.world, Log(format=form), line, {}, told.at) == [told]
