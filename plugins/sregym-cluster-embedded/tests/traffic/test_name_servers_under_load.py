"""Name servers that answer a look-up for each call: capacity, amplification, what callers see."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.userland.process import process_of
from sregym_promql import Engine

KEY = Key("deployments.apps", "kube-system", "coredns")
_FULL = "stock.default.svc.cluster.local"


def calling(make_market: Any, address: str, **more: Any) -> Any:
    """A hundred requests a second, each of which opens a connection to `stock`."""
    client = {"protocol": "http", "address": f"http://{address}:8080", "timeout_s": 8, **more}
    changes = {
        "web.clients": {"stock": client},
        "web.operations.buy.calls": [{"call": "stock.GET /take"}],
        "stock.startup": [{"listen": "http"}],
        "stock.listeners": {"http": {"protocol": "http", "port": 8080}},
        "stock.operations": {"take": {"listener": "http", "route": "GET /take", "cpu_ms": 2}},
        "load.timeout_s": 20,
    }
    return make_market(changes)


def set_dns(market: Any, *, replicas: int = 1, **limits: str) -> None:
    found = market.world.store.get(KEY)
    template = found["spec"]["template"]
    container = template["spec"]["containers"][0]
    resources = {"requests": {"cpu": limits.get("cpu", "100m"), "memory": "32Mi"}, "limits": limits}
    containers = [{**container, "resources": resources}]
    spec = {**template["spec"], "containers": containers}
    whole = {**found["spec"], "replicas": replicas, "template": {**template, "spec": spec}}
    internal_client.update(market.world, "deployments.apps", {**found, "spec": whole})


def servers(market: Any) -> list[Any]:
    return [
        ref for ref in market.world.table("userland.processes") if ref.pod.startswith("coredns-")
    ]


def asked(market: Any) -> dict[str, float]:
    """Pairs of questions a second by answer, over all name servers."""
    found: dict[str, float] = {}
    for ref in servers(market):
        known = segments(market.world, SERVED, ref)
        for flow in known[-1].flows if known else ():
            found[flow.operation] = round(found.get(flow.operation, 0.0) + flow.rate * flow.ok, 1)
    return found


@pytest.fixture(scope="module")
def amplified(make_market: Any) -> Any:
    return calling(make_market, _FULL, keep_alive=False)


def test_connections_that_are_kept_ask_nothing(make_market: Any) -> None:
    assert asked(calling(make_market, _FULL)) == {}


def test_names_with_few_dots_are_tried_with_each_search_domain_first(
    make_market: Any, amplified: Any
) -> None:
    assert asked(calling(make_market, "stock", keep_alive=False)) == {"NOERROR kubernetes": 100.0}
    assert asked(amplified) == {"NXDOMAIN kubernetes": 300.0, "NOERROR kubernetes": 100.0}


def test_the_final_dot_spares_the_search_domains(make_market: Any) -> None:
    market = calling(make_market, f"{_FULL}.", keep_alive=False)
    assert asked(market) == {"NOERROR kubernetes": 100.0}


def test_questions_cost_processor_time(amplified: Any) -> None:
    used = [
        amplified.world.service(USAGE).containers(amplified.world, ref.pod_uid)[0].cpu_nanocores
        for ref in servers(amplified)
    ]
    # 800 questions a second of 0.15 ms, and what an idle one uses.
    assert [round(nanocores / 1e9, 2) for nanocores in used] == [0.12]


def test_too_few_processors_make_callers_wait_and_give_up(amplified: Any) -> None:
    market = amplified.fork()
    assert market.seen(30).failed == {}
    set_dns(market, cpu="75m", memory="1Gi")
    market.run(60)
    seen = market.seen(60)
    assert seen.ok < 0.3 * seen.requests
    process = process_of(market.world, market.refs("web")[-1])
    assert process is not None
    address = process.config.pod_ip
    errors = {
        text
        for segment in market.history("web")
        for flow in segment.flows
        for text, _ in flow.errors
    }
    assert errors == {
        f'Get "http://{_FULL}:8080": dial tcp: lookup {_FULL} on 10.96.0.10:53: '
        f"read udp {address}:43210->10.96.0.10:53: i/o timeout"
    }
    set_dns(market, cpu="250m", memory="1Gi")
    market.run(180)
    assert market.seen(30).failed == {}


def test_another_replica_is_as_good_as_more_processors(amplified: Any) -> None:
    market = amplified.fork()
    set_dns(market, cpu="75m", memory="1Gi")
    market.run(120)
    set_dns(market, replicas=3, cpu="75m", memory="1Gi")
    market.run(180)
    assert market.seen(30).failed == {}


def test_questions_that_wait_take_memory_until_the_limit_ends_the_server(amplified: Any) -> None:
    market = amplified.fork()
    set_dns(market, cpu="75m", memory="100Mi")
    market.run(120)
    pods = [
        status
        for pod in market.world.store.list("pods")
        if pod["metadata"]["name"].startswith("coredns-")
        for status in pod["status"]["containerStatuses"]
    ]
    reasons = {
        status["lastState"]["terminated"]["reason"]
        for status in pods
        if "terminated" in status.get("lastState", {})
    }
    assert reasons == {"OOMKilled"}


def measured(market: Any, query: str) -> float:
    moment = market.world.epoch + market.world.now
    (row,) = Engine(WorldStorage(market.world)).instant(query, moment).rows
    return float(row[1])


def test_its_metrics_tell_of_the_questions_and_how_long_they_took(amplified: Any) -> None:
    market = amplified.fork()
    market.run(120)
    codes = {
        code: measured(market, f'sum(rate(coredns_dns_responses_total{{rcode="{code}"}}[1m]))')
        for code in ("NOERROR", "NXDOMAIN")
    }
    assert codes == pytest.approx({"NOERROR": 200, "NXDOMAIN": 600}, rel=0.02)
    buckets = "sum by (le) (rate(coredns_dns_request_duration_seconds_bucket[1m]))"
    median = f"histogram_quantile(0.5, {buckets})"
    assert measured(market, median) < 0.001
    set_dns(market, cpu="75m", memory="1Gi")
    market.run(75)
    assert measured(market, median) > 1.0
