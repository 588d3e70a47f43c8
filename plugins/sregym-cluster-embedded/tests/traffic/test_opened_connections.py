"""Calls that open a connection each need ports and system calls; those over kept ones do not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.process import process_of

RANGE = "net.ipv4.ip_local_port_range"
NO_PORT = 'Get "http://stock:8080": dial tcp {ip}:8080: connect: cannot assign requested address'
REFUSED = 'Get "http://stock:8080": dial tcp {ip}:8080: connect: connection refused'


def market_of(
    make_market: Any, more: dict[str, Any] | None = None, protocol: str = "http", **client: Any
) -> Any:
    address = "http://stock:8080" if protocol == "http" else "stock:8080"
    stock = {"protocol": protocol, "address": address, "timeout_s": 1, **client}
    call = "stock.GET /take" if protocol == "http" else "stock.Take"
    changes = {
        "web.clients.stock": stock,
        "web.operations.buy.calls": [{"call": call}],
        "stock.startup": [{"listen": "main"}],
        "stock.listeners": {"main": {"protocol": protocol, "port": 8080}},
        "stock.operations": {"Take": {"listener": "main", "route": "GET /take", "cpu_ms": 0.5}},
        "load.rate": 200,
    }
    return make_market({**changes, **(more or {})})


def errors(market: Any) -> dict[str, float]:
    """What share of the requests of the newest web fails with what."""
    market.run(3)
    (flow,) = market.history("web")[-1].flows
    service = market.world.store.get(Key("services", "default", "stock"))
    ip = service["spec"]["clusterIP"]
    return {text.replace(ip, "{ip}"): round(share, 3) for text, share in flow.errors}


def node_of(market: Any) -> str:
    process = process_of(market.world, market.refs("web")[-1])
    assert process is not None
    return process.config.node


def test_ports_run_out_where_each_call_opens_a_connection(make_market: Any) -> None:
    market = market_of(make_market)
    assert errors(market) == {}
    # 6,000 ports besides the 20 that others have, and each is held for a minute.
    machines.set_sysctl(market.world, node_of(market), RANGE, "40000\t46019")
    assert errors(market) == {NO_PORT: 0.5}
    stock = market.history("stock")[-1].flows[0]
    assert stock.rate == pytest.approx(100, abs=0.01)
    machines.set_sysctl(market.world, node_of(market), "net.ipv4.tcp_tw_reuse", "1")
    assert errors(market) == {}


def give_range(market: Any, value: str) -> None:
    found = deepcopy(market.world.store.get(Key("deployments.apps", "default", "web")))
    sysctls = [{"name": RANGE, "value": value}]
    found["spec"]["template"]["spec"]["securityContext"] = {"sysctls": sysctls}
    internal_client.update(market.world, "deployments.apps", found)
    market.run(40)


def test_the_range_of_a_pod_counts(make_market: Any) -> None:
    market = market_of(make_market)
    give_range(market, "50000 50599")
    assert errors(market) == {NO_PORT: 0.95}
    assert market.shell("web", "netstat -tn | grep -c ':50[0-5].. .*:8080 '") == (0, "1\n", "")


def test_connections_to_a_datastore_need_ports_too(make_market: Any) -> None:
    stock = {"protocol": "keyvalue", "address": "stock:8080", "timeout_s": 1}
    market = make_market(
        {
            "web.clients.stock": stock,
            "web.operations.buy.calls": [{"call": "stock.get", "collection": "k"}],
            "stock": {"kind": "redis", "port": 8080, "latency_ms": 5},
            "load.rate": 200,
        }
    )
    assert errors(market) == {}
    give_range(market, "50000 50000")
    ((text, share),) = errors(market).items()
    assert "cannot assign requested address" in text
    # All that come while the one connection is used.
    assert 0.3 < share < 0.7


@pytest.mark.parametrize(
    ("protocol", "client", "met"),
    [
        ("http", {}, {REFUSED: 0.5}),
        ("http", {"retry": {"times": 1}}, {REFUSED: 0.25}),
        ("http", {"pool": 8}, {}),
        ("grpc", {}, {}),
    ],
)
def test_connecting_that_fails_for_a_part_fails_for_those_who_connect(
    make_market: Any, protocol: str, client: dict[str, Any], met: dict[str, float]
) -> None:
    market = market_of(make_market, None, protocol, **client)
    ref = market.refs("web")[-1]
    rule = syscalls.Rule("connect", "ECONNREFUSED", pod_uid=ref.pod_uid, container="web", share=0.5)
    syscalls.fail(market.world, "half", rule)
    assert errors(market) == met
    syscalls.heal(market.world, "half")
    assert errors(market) == {}


def test_a_system_call_that_always_fails_in_one_container(make_market: Any) -> None:
    market = market_of(make_market)
    syscalls.fail(market.world, "all", syscalls.Rule("connect", "ECONNREFUSED", container="web"))
    assert errors(market) == {REFUSED: 1.0}


def test_a_program_dials_until_connecting_succeeds(make_market: Any) -> None:
    failed = {"log": ["${error}"], "then": "retry", "every_s": 1}
    startup = [{"dial": "stock", "on_failure": failed}, {"listen": "http"}]
    market = make_market({"web.startup": startup}, programs=("stock",))
    rule = syscalls.Rule("connect", "ECONNREFUSED", container="web", share=0.5)
    syscalls.fail(market.world, "half", rule)
    market.deploy("web", 8)
    market.run(30)
    processes = [process_of(market.world, ref) for ref in market.refs("web")]
    tries = [len(process.lines) for process in processes if process is not None]
    assert all(process is not None and process.served_at is not None for process in processes)
    assert 0 < sum(tries) < 24
    assert min(tries) == 0


NO_FILE = 'Get "http://stock:8080": dial tcp {ip}:8080: socket: too many open files'


def test_descriptors_run_out_where_users_keep_more_connections(make_market: Any) -> None:
    accept = "accept tcp [::]:8080: accept4: too many open files"
    market = market_of(
        make_market, {"load.connections": "20", "web.accept_error": {"text": accept}}
    )
    for machine in machines.machines(market.world):
        machines.change(market.world, machine.name, open_files=18)
    assert errors(market) == {}  # who runs has the limit of its start
    give_range(market, "32768 60999")
    assert market.shell("web", "grep files /proc/1/limits")[1].split()[3:5] == ["18", "18"]
    # Of 20 that come and one that is opened, besides 9 of its own, 12 are too many.
    assert errors(market) == {NO_FILE: 0.571}
    seen = market.seen(20)
    assert seen.ok / seen.requests == pytest.approx((9 / 21) ** 2, abs=0.01)
    assert accept in market.logs("web")
