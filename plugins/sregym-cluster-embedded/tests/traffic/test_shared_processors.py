"""Processors of a node: used by what computes, shared by weight, capped by limits, felt by neighbours."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic.processors import filled
from sregym_cluster_embedded.userland.command_counts import scheduled
from sregym_cluster_embedded.userland.process import process_of


@pytest.fixture(scope="module")
def market(make_market: Any) -> Any:
    """Requests of 2 ms, a hundred a second, on a node of eight processors."""
    return make_market(tools=("alpine", "stress", "stress-ng"))


def node_of(market: Any, name: str) -> str:
    process = process_of(market.world, market.refs(name)[-1])
    assert process is not None
    return str(process.config.node)


def beside(market: Any, script: str, **resources: Any) -> None:
    """A pod on the node of `stock`."""
    image = "ghcr.io/acme/market:1.0"
    container = {"name": "hog", "image": image, "command": ["sh", "-c", script], **resources}
    spec = {"nodeName": node_of(market, "stock"), "containers": [container]}
    internal_client.create(
        market.world, "pods", {"metadata": {"name": "hog", "namespace": "default"}, "spec": spec}
    )
    market.run(30)


def cores_of(market: Any, name: str) -> float:
    """What `kubectl top` is told."""
    uid = market.refs(name)[-1].pod_uid
    (used,) = market.world.service(USAGE).containers(market.world, uid)
    return round(used.cpu_nanocores / 1e9, 2)


@pytest.mark.parametrize(
    ("cores", "weights", "wants", "given"),
    [
        (4, (1, 1), (1, 2), [1, 2]),
        (4, (1, 1), (1, 9), [1, 3]),
        (4, (1, 3), (9, 9), [1, 3]),
        (4, (3, 1, 1), (1, 9, 9), [1, 1.5, 1.5]),
        (4, (3, 1, 1), (1, 1, 9), [1, 1, 2]),
    ],
)
def test_what_one_does_not_use_goes_to_the_others(
    cores: float, weights: Any, wants: Any, given: list[float]
) -> None:
    assert filled(cores, weights, wants) == given


@pytest.mark.parametrize(
    ("script", "cores"),
    [
        ("while true; do :; done", 1.0),
        ("yes > /dev/null", 1.0),
        ("sha256sum /dev/zero", 1.0),
        ("md5sum < /dev/urandom", 1.0),
        ("dd if=/dev/zero of=/dev/null", 1.0),
        ("cat /dev/zero | gzip > /dev/null", 1.0),
        ("timeout 600 sh -c 'while :; do :; done'", 1.0),
        ("for n in 1 2 3; do yes > /dev/null & done; wait", 3.0),
        ("stress --cpu 2", 2.0),
        ("stress-ng --cpu 2 --cpu-load 50 --timeout 10m", 1.0),
        ("yes | head -n 2; sleep 600", 0.0),
        ("timeout 5 yes > /dev/null; sleep 600", 0.0),
        ("dd if=/dev/zero of=/dev/null count=10; sleep 600", 0.0),
        ("tail -f /dev/null", 0.0),
    ],
)
def test_main_processes_and_jobs_use_what_they_compute(
    market: Any, script: str, cores: float
) -> None:
    found = market.fork()
    beside(found, script)
    assert cores_of(found, "hog") == cores
    other = market.fork()
    ran = other.shell("web", f"({script}) > /dev/null 2>&1 &")
    assert ran == (0, "", "")
    other.run(20)
    assert cores_of(other, "web") == pytest.approx(cores_of(market, "web") + cores)


def test_a_command_is_felt_for_as_long_as_it_takes_or_until_it_is_killed(market: Any) -> None:
    found, before = market.fork(), cores_of(market, "web")
    assert found.shell("web", "timeout 30 sha256sum /dev/zero")[0] == 143
    found.run(20)
    assert cores_of(found, "web") == before + 1
    found.run(20)
    assert cores_of(found, "web") == before
    found.shell("web", "yes")
    found.run(20)
    assert cores_of(found, "web") == before + 1
    assert found.shell("web", "ps | grep -c '[s]h -c yes'") == (0, "1\n", "")
    assert found.shell("web", "pkill -f 'sh -c yes'") == (0, "", "")
    found.run(20)
    assert cores_of(found, "web") == before


def test_a_limit_stops_it_in_every_period(market: Any) -> None:
    found = market.fork()
    beside(found, "while true; do :; done", resources={"limits": {"cpu": "200m"}})
    ref = found.refs("hog")[-1]
    before = scheduled(found.world, ref)
    found.run(60)
    used = scheduled(found.world, ref)
    assert cores_of(found, "hog") == 0.2
    assert used.cpu_s - before.cpu_s == pytest.approx(12.0)
    assert used.periods - before.periods == used.throttled - before.throttled == 600
    # One thread runs 20 ms and stands still for 80.
    assert used.throttled_s - before.throttled_s == pytest.approx(48.0)


def test_a_neighbour_slows_a_service_by_weight_and_not_when_it_has_gone(market: Any) -> None:
    script = "for n in $(seq 16); do yes > /dev/null & done; wait"
    alone = market.history("stock")[-1].flows[0].time.mean_ms
    times, shares = [], []
    for request in ("1m", "40m", "4"):
        found = market.fork()
        beside(found, script, resources={"requests": {"cpu": request}})
        times.append(found.history("stock")[-1].flows[0].time.mean_ms)
        shares.append(cores_of(found, "hog"))
    # `stock` requests nothing: its weight is 2, theirs 2, 40 and 4096.
    assert times[0] == pytest.approx(alone + 3 * 2 / (2 + 2))
    assert alone < times[0] < times[1] < times[2]
    assert shares == [7.8, 7.8, 8.0]
    limited = market.fork()
    beside(limited, script, resources={"limits": {"cpu": "6"}})
    assert cores_of(limited, "hog") == 6.0
    assert limited.history("stock")[-1].flows[0].time.mean_ms == alone
    found.seen(30)
    internal_client.delete(found.world, Key("pods", "default", "hog"))
    found.run(120)
    assert found.history("stock")[-1].flows[0].time.mean_ms == alone


def test_what_a_service_computes_besides_takes_from_its_own_requests(make_market: Any) -> None:
    market = make_market({"load.rate": 300}, {"stock": {"cpu": "1"}})
    alone = market.history("stock")[-1]
    market.shell("stock", "yes > /dev/null 2>&1 &")
    market.run(60)
    segment = market.history("stock")[-1]
    assert (alone.load.cpu, alone.load.throttled) == (pytest.approx(0.6), pytest.approx(0, abs=0.1))
    # One thread of two has half of the limit: 0.5 cores for requests that need 0.6.
    assert (segment.load.cpu, segment.load.computed, segment.load.throttled) == (1.0, 0.5, 1.0)
    assert segment.load.waiting > 0
    market.shell("stock", "pkill yes")
    market.run(60)
    assert market.history("stock")[-1].flows[0].time == alone.flows[0].time


def test_pods_share_what_the_system_of_a_node_leaves(market: Any) -> None:
    found = market.fork()
    machines.change(found.world, node_of(found, "stock"), other_cores=6.0)
    script = "for n in 1 2 3 4; do yes > /dev/null & done; wait"
    beside(found, script, resources={"requests": {"cpu": "1m"}})
    assert cores_of(found, "hog") == 1.8
    assert cores_of(found, "stock") == cores_of(market, "stock")


def test_the_shell_shows_what_computes(market: Any) -> None:
    found = market.fork()
    found.shell("stock", "yes > /dev/null 2>&1 &")
    found.run(10)
    shown = found.shell("stock", "top -b -n1; cut -d' ' -f1 /proc/loadavg")[1].splitlines()
    rows = [line.split() for line in shown if line.endswith((" stock", " yes"))]
    assert [(row[0], row[3], row[-2]) for row in rows] == [("1", "S", "20%"), ("9", "R", "100%")]
    assert shown[1] == "CPU:  11% usr   5% sys   0% nic  85% idle   0% io   0% irq   0% sirq"
    assert 1.2 < float(shown[-1]) < 1.5


def test_the_same_happens_in_a_fork(market: Any) -> None:
    one, other = market.fork(), market.fork()
    for each in (one, other):
        beside(each, "for n in $(seq 16); do yes > /dev/null & done; sleep 40; kill %1; wait")
        each.run(60)
    assert one.history("stock") == other.history("stock")
    assert one.history("hog") == other.history("hog")
    assert [segment.load.threads for segment in one.history("hog")] == [16.0, 15.0]
