"""What failures make processes write: lines of one failure together, and one panic a life."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.logs import written
from sregym_cluster_embedded.userland.keys import TELEMETRY

TRACE = (
    "java.io.IOException: no\n\tat shop.Stock.take(Stock.java:12)\n\tat shop.Web.run(Web.java:3)"
)
LOG = [
    {"level": "error", "text": "stock: ${error}"},
    {"raw": True, "stream": "stderr", "text": TRACE},
    {"level": "warn", "text": "given up on ${1..9}"},
]


def changes(**on_error: Any) -> dict[str, Any]:
    call = {"call": "stock.Take", "on_error": {"log": LOG, **on_error}}
    return {
        "web.operations.buy.calls": [call],
        "web.log": {"format": "logfmt", "stream": "stdout"},
    }


def lines(market: Any) -> list[LogLine]:
    world = market.world
    process = world.table("userland.processes")[market.refs("web")[-1]]
    found: list[LogLine] = world.service(TELEMETRY).lines(world, process)
    return found


def test_lines_of_one_failure_stand_together_each_for_itself(make_market: Any) -> None:
    market = make_market(changes())
    market.scale("stock", 0)
    market.run(5)
    found = [line for line in lines(market) if line.at > market.world.now - 3]
    first = next(index for index, line in enumerate(found) if "stock: " in line.text)
    event = found[first : first + 5]
    assert [(line.stream, line.text) for line in event[1:4]] == [
        ("stderr", text) for text in TRACE.split("\n")
    ]
    assert "stock: " in event[0].text
    assert "given up on " in event[4].text
    assert event[4].at - event[0].at < 2e-4
    assert found[first + 5].at - event[4].at > 1e-3
    assert len([line for line in found if line.text == TRACE.split("\n")[1]]) == len(
        [line for line in found if "given up on " in line.text]
    )


def test_a_part_of_a_log_has_the_lines_of_the_whole(make_market: Any) -> None:
    market = make_market(changes())
    market.scale("stock", 0)
    market.run(5)
    world = market.world
    process = world.table("userland.processes")[market.refs("web")[-1]]
    whole = lines(market)
    for since in (world.now - 2.005, world.now - 2.00501, whole[-7].at, whole[-8].at + 1e-6):
        part = world.service(TELEMETRY).lines(world, process, since=since)
        assert [line for line in part if line.at >= since] == [
            line for line in whole if line.at >= since
        ]


def test_whoever_panics_does_so_once_a_life(make_market: Any) -> None:
    market = make_market(changes(then="panic"))
    market.scale("stock", 0)
    market.run(40)
    ended = [instance for instance in instances(market.world) if instance.ref.name == "web"][:-1]
    assert len(ended) == 3
    for instance in ended:
        found = written(market.world, instance, 0.0, market.world.now)
        texts = [line.text for line in found]
        assert len([text for text in texts if "stock: " in text]) == 1
        assert texts[-4:-1] == TRACE.split("\n")
        assert "given up on " in texts[-1]
        assert instance.process.ended_at is not None
        assert 0 <= found[-1].at - instance.process.ended_at < 1e-3
