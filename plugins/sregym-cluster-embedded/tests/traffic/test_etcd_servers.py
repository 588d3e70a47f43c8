"""An etcd server of an application beside that of the control plane: metrics of the same names."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.exposing import exposed
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_promql import Engine

CHANGES = {
    "keys": {"kind": "etcd", "port": 8080},
    "web.clients.keys": {"protocol": "etcd", "address": "keys:8080"},
    "web.operations.buy.calls": [{"call": "keys.put", "collection": "orders"}],
}


@pytest.fixture(scope="module")
def market(make_market: Any) -> Any:
    made = make_market(CHANGES, programs=("stock", "keys", "web", "load"), tools=("busybox",))
    made.run(120)
    return made


def ask(market: Any, query: str) -> dict[str, float]:
    engine = Engine(WorldStorage(market.world))
    answer = engine.instant(query, market.world.epoch + market.world.now)
    return {dict(labels).get("job", ""): float(value) for labels, value in answer.rows}


def test_a_query_finds_both(market: Any) -> None:
    assert ask(market, "etcd_server_has_leader") == {"etcd": 1.0, "keys": 1.0}
    assert ask(market, 'etcd_server_has_leader{job="keys"}') == {"keys": 1.0}
    assert set(ask(market, "etcd_server_version")) == {"etcd", "keys"}


def test_each_tells_what_was_written_to_it(market: Any) -> None:
    rates = ask(market, "rate(etcd_server_proposals_committed_total[1m])")
    assert rates["keys"] == pytest.approx(100, rel=0.05)
    assert 0 < rates["etcd"] < 20


def test_what_only_the_control_plane_knows_is_not_told_of_the_other(market: Any) -> None:
    assert set(ask(market, "etcd_debugging_mvcc_keys_total")) == {"etcd"}
    assert set(ask(market, "up")) >= {"etcd", "keys"}


def test_a_server_says_the_same_to_somebody_who_asks_it(market: Any) -> None:
    (ref,) = market.refs("keys")
    address = market.world.table("userland.processes")[ref].config.pod_ip
    told = exposed(market.world, f"http://{address}:8080/metrics")
    assert told is not None
    assert "etcd_server_is_leader 1" in told.splitlines()
    assert "mvcc" not in told
