"""Breakages of the shop by hand on the embedded cluster: what users see, and what services log."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from sregym_core.interfaces import Checkpoint, Cluster, ClusterProvider, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_app_astronomy_shop.application import AstronomyShop

NAMESPACE = "astronomy-shop"
PRODUCTS = {"browse_product", "get_recommendations", "view_cart", "checkout", "checkout_multi"}
CARTS = {"view_cart", "add_to_cart", "checkout", "checkout_multi"}
ORDERS = {"checkout", "checkout_multi"}
HOUR_S = 3600.0

Warm: TypeAlias = tuple[Checkpoint, ClusterSpec]


@pytest.fixture(scope="module")
def warm(shop: AstronomyShop) -> Iterator[Warm]:
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    spec = ClusterSpec(seed=7, applications=(shop,))
    cluster = provider.provision(spec)
    shop.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not shop.ready(cluster), 300.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint, spec
    cluster.close()


@contextmanager
def forked(warm: Warm) -> Iterator[Cluster]:
    checkpoint, spec = warm
    cluster = checkpoint.fork(spec)
    try:
        yield cluster
    finally:
        cluster.close()


def ref(kind: str, name: str) -> ObjectRef:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return ObjectRef(api_version=version, kind=kind, namespace=NAMESPACE, name=name)


def scale(cluster: Cluster, name: str, replicas: int) -> None:
    cluster.patch(ref("Deployment", name), {"spec": {"replicas": replicas}}, "merge")


def set_variable(cluster: Cluster, name: str, variable: str, **entry: str | None) -> None:
    spec = {"containers": [{"name": name, "env": [{"name": variable, **entry}]}]}
    cluster.patch(ref("Deployment", name), {"spec": {"template": {"spec": spec}}}, "strategic")


def pod_of(cluster: Cluster, name: str) -> Any:
    (pod,) = cluster.list("v1", "Pod", NAMESPACE, f"opentelemetry.io/name={name}")
    return pod


def last_lines(cluster: Cluster, name: str) -> str:
    return cluster.logs(NAMESPACE, pod_of(cluster, name)["metadata"]["name"])


def load_lines(cluster: Cluster) -> str:
    (pod,) = cluster.list("v1", "Pod", "astronomy-load", "opentelemetry.io/name=load-generator")
    return cluster.logs("astronomy-load", pod["metadata"]["name"])


def run(cluster: Cluster, name: str, script: str) -> tuple[int, str, str]:
    pod = pod_of(cluster, name)["metadata"]["name"]
    result = cluster.exec(NAMESPACE, pod, ["sh", "-c", script])
    return result.exit_code, result.stdout, result.stderr


def failing(shop: AstronomyShop, cluster: Cluster) -> set[str]:
    seen = shop.traffic(cluster, 60.0).operations
    return {name for name, found in seen.items() if found.success_rate < 0.5}


@pytest.mark.parametrize(
    ("stopped", "affected", "speaker", "line"),
    [
        (
            "postgresql",
            PRODUCTS - {"view_cart"},
            "product-catalog",
            '"level":"ERROR","msg":"Error querying the database: dial tcp',
        ),
        (
            "valkey-cart",
            CARTS,
            "cart",
            "fail: Grpc.AspNetCore.Server.ServerCallHandler[0]\n      Error status code "
            "'FailedPrecondition' with detail 'Can't access cart storage. StackExchange.Redis.",
        ),
        (
            "payment",
            ORDERS,
            "frontend",
            "Error: 13 INTERNAL: failed to charge card: could not charge the card: rpc error: ",
        ),
        (
            "quote",
            ORDERS,
            "shipping",
            "ERROR shipping::shipping_service::quote] Failed to get quote: error sending request",
        ),
        ("ad", {"get_ads"}, "frontend", "Error: 14 UNAVAILABLE: No connection established. Last"),
        (
            "email",
            set(),
            "checkout",
            '"level":"WARN","msg":"failed to send order confirmation to \\"larry_sergei@example.com',
        ),
        (
            "kafka",
            set(),
            "checkout",
            '"level":"ERROR","msg":"Failed to write message: kafka: client has run out of',
        ),
    ],
)
def test_what_users_see_when_a_part_is_away(
    shop: AstronomyShop, warm: Warm, stopped: str, affected: set[str], speaker: str, line: str
) -> None:
    with forked(warm) as cluster:
        scale(cluster, stopped, 0)
        cluster.clock.advance(120.0)

        assert failing(shop, cluster) == affected
        assert line in last_lines(cluster, speaker)

        scale(cluster, stopped, 1)
        cluster.clock.advance(180.0)
        assert failing(shop, cluster) == set()


def switch(cluster: Cluster, flag: str, variant: str) -> None:
    """Give a flag another variant, and restart flagd, which copies the file when it starts."""
    flags: Any = cluster.get(ref("ConfigMap", "flagd-config"))
    text = json.loads(flags["data"]["demo.flagd.json"])
    text["flags"][flag]["defaultVariant"] = variant
    data = {"data": {"demo.flagd.json": json.dumps(text, indent=2)}}
    cluster.patch(ref("ConfigMap", "flagd-config"), data, "merge")
    scale(cluster, "flagd", 0)
    cluster.clock.advance(40.0)
    scale(cluster, "flagd", 1)
    cluster.clock.advance(100.0)


@pytest.mark.parametrize(
    ("flag", "variant", "affected", "speaker", "line"),
    [
        ("paymentFailure", "100%", ORDERS, "payment", '"level":"warn","time":'),
        ("paymentUnreachable", "on", ORDERS, "frontend", "dial tcp: lookup badAddress on 10.96.0"),
        ("adFailure", "on", set(), "ad", "GetAds Failed with status Status{code=UNAVAILABLE"),
        ("productCatalogFailure", "on", set(), "product-catalog", "Fail Feature Flag Enabled"),
        ("cartFailure", "on", set(), "cart", "Can't access cart storage. StackExchange.Redis."),
    ],
)
def test_flags_switch_failures_on(
    shop: AstronomyShop,
    warm: Warm,
    flag: str,
    variant: str,
    affected: set[str],
    speaker: str,
    line: str,
) -> None:
    with forked(warm) as cluster:
        assert line not in last_lines(cluster, speaker)
        switch(cluster, flag, variant)

        assert failing(shop, cluster) == affected
        assert line in last_lines(cluster, speaker)


def test_slow_pictures_keep_shoppers_waiting(shop: AstronomyShop, warm: Warm) -> None:
    with forked(warm) as cluster:
        picture = "http://frontend-proxy:8080/images/products/RoofBinoculars.jpg"
        header = "-H 'x-envoy-fault-delay-request: 4000'"
        timed = "curl -s -o /dev/null -w %{time_total}"
        assert float(run(cluster, "opensearch", f"{timed} {picture}")[1]) < 1
        assert float(run(cluster, "opensearch", f"{timed} {header} {picture}")[1]) > 4
        switch(cluster, "imageSlowLoad", "10sec")
        seen = shop.traffic(cluster, 60.0).operations["view_image"]

        assert seen.success_rate == 1.0
        assert re.search(
            r"op=view_image requests=\d+ ok=\d+ failed=0 p50_ms=100\d\d\.",
            load_lines(cluster),
        )


def test_the_front_page_is_flooded(shop: AstronomyShop, warm: Warm) -> None:
    with forked(warm) as cluster:
        before = shop.traffic(cluster, 60.0).operations
        switch(cluster, "loadGeneratorFloodHomepage", "on")
        after = shop.traffic(cluster, 60.0).operations

        assert set(after) == set(before)
        assert after["index"].requests > 100 * before["index"].requests
        assert after["browse_product"].requests > 0.7 * before["browse_product"].requests


def test_a_cart_that_says_it_is_ill_gets_no_requests(shop: AstronomyShop, warm: Warm) -> None:
    with forked(warm) as cluster:
        switch(cluster, "failedReadinessProbe", "on")
        pod = pod_of(cluster, "cart")["metadata"]["name"]
        told = [
            event["message"]
            for event in cluster.list("v1", "Event", NAMESPACE)
            if event["involvedObject"]["name"] == pod and event["reason"] == "Unhealthy"
        ]

        assert failing(shop, cluster) == CARTS
        assert told[-1] == (
            'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")'
        )
        switch(cluster, "failedReadinessProbe", "off")
        assert failing(shop, cluster) == set()


def test_mails_that_are_kept_fill_the_memory(warm: Warm) -> None:
    with forked(warm) as cluster:
        switch(cluster, "emailMemoryLeak", "1000x")
        cluster.clock.advance(300.0)
        (status,) = pod_of(cluster, "email")["status"]["containerStatuses"]

        assert status["restartCount"] > 0
        assert status["lastState"]["terminated"]["reason"] == "OOMKilled"


def test_a_model_that_is_wrong_says_something_else(warm: Warm) -> None:
    with forked(warm) as cluster:
        ask = "curl -s -X POST -d '{}' http://llm:8000/v1/chat/completions"
        assert "optics" in run(cluster, "opensearch", ask)[1]
        switch(cluster, "llmInaccurateResponse", "on")
        assert "umbrella" in run(cluster, "opensearch", ask)[1]


def test_orders_pile_up_while_the_queue_has_problems(warm: Warm) -> None:
    with forked(warm) as cluster:
        switch(cluster, "kafkaQueueProblems", "on")
        cluster.clock.advance(120.0)
        ask = "kafka-consumer-groups.sh --bootstrap-server kafka:9092 --describe --group"
        _, out, _ = run(cluster, "kafka", f"{ask} fraud-detection")

        assert int(out.split("\n")[2].split()[5]) > 1000


def test_a_busy_advertiser_with_a_small_limit_is_slow(shop: AstronomyShop, warm: Warm) -> None:
    with forked(warm) as cluster:
        container = {"name": "ad", "resources": {"limits": {"cpu": "100m"}}}
        spec = {"template": {"spec": {"containers": [container]}}}
        cluster.patch(ref("Deployment", "ad"), {"spec": spec}, "strategic")
        cluster.clock.advance(90.0)
        assert failing(shop, cluster) == set()
        switch(cluster, "adHighCpu", "on")
        assert failing(shop, cluster) == {"get_ads"}


def test_a_connection_string_with_another_password_lets_nobody_in(
    shop: AstronomyShop, warm: Warm
) -> None:
    with forked(warm) as cluster:
        url = "postgres://otelu:wrong@postgresql/otel?sslmode=disable"
        scale(cluster, "product-catalog", 0)
        set_variable(cluster, "product-catalog", "DB_CONNECTION_STRING", value=url, valueFrom=None)
        cluster.clock.advance(40.0)
        scale(cluster, "product-catalog", 1)
        cluster.clock.advance(90.0)

        ended = pod_of(cluster, "product-catalog")["status"]["containerStatuses"][0]["lastState"]
        assert ended["terminated"]["exitCode"] == 1
        assert '"Error connecting to the database: failed to connect: FATAL: password' in (
            last_lines(cluster, "product-catalog")
        )
        assert "get_recommendations" in failing(shop, cluster)


def test_the_database_logs_each_connection_that_it_refuses(warm: Warm) -> None:
    with forked(warm) as cluster:
        alter = "ALTER ROLE otelu PASSWORD 'other'"
        assert run(cluster, "postgresql", f'psql -U root -d otel -c "{alter}"')[0] == 0
        cluster.clock.advance(150.0)
        (refused, server) = (
            [
                line
                for line in cluster.logs(
                    NAMESPACE, pod_of(cluster, name)["metadata"]["name"], since_s=120.0
                ).splitlines()
                if f"FATAL: {space}password authentication failed" in line
            ]
            for name, space in (("product-catalog", ""), ("postgresql", " "))
        )

    assert len(refused) > 120
    assert abs(len(server) - len(refused)) <= 2
    backends = [int(re.findall(r" UTC \[(\d+)\] ", line)[0]) for line in server]
    assert backends == sorted(backends)
    assert len(set(backends)) > len(backends) / 4


def test_the_database_logs_each_statement_that_it_refuses(warm: Warm) -> None:
    with forked(warm) as cluster:
        revoke = "REVOKE SELECT ON catalog.products FROM otelu"
        assert run(cluster, "postgresql", f'psql -U root -d otel -c "{revoke}"')[0] == 0
        cluster.clock.advance(60.0)
        lines = last_lines(cluster, "postgresql").splitlines()[-200:]
        refused = last_lines(cluster, "product-catalog").splitlines()[-1]

    assert "ERROR: permission denied for table products (SQLSTATE 42501)" in refused
    told = [line.split("] ", 1)[1] for line in lines if " UTC [" in line]
    place = told.index("ERROR:  permission denied for table products")
    assert told[place + 1] == "STATEMENT:  SELECT * FROM catalog.products WHERE id = $1"
    assert told.count("ERROR:  permission denied for table products") > 50


def test_a_service_without_an_address_that_it_needs_does_not_start(warm: Warm) -> None:
    with forked(warm) as cluster:
        scale(cluster, "checkout", 0)
        set_variable(cluster, "checkout", "PAYMENT_ADDR", **{"$patch": "delete"})
        cluster.clock.advance(40.0)
        scale(cluster, "checkout", 1)
        cluster.clock.advance(60.0)

        assert 'panic: environment variable "PAYMENT_ADDR" not set' in (
            last_lines(cluster, "checkout")
        )


def test_orders_reach_whoever_reads_the_topic(warm: Warm) -> None:
    with forked(warm) as cluster:
        cluster.clock.advance(300.0)
        ask = "kafka-consumer-groups.sh --bootstrap-server kafka:9092 --describe --group"
        for group in ("accounting", "fraud-detection"):
            code, out, _ = run(cluster, "kafka", f"{ask} {group}")
            words = out.split("\n")[2].split()
            assert (code, words[:3], int(words[3]) > 0, words[5]) == (
                0,
                [group, "orders", "0"],
                True,
                "0",
            )


def test_traces_pass_the_collector(warm: Warm) -> None:
    with forked(warm) as cluster:
        cluster.clock.advance(60.0)
        code, out, _ = run(cluster, "opensearch", "curl -s http://jaeger:16686/api/services")

        assert (code, out) == (
            0,
            '{"data":["accounting","ad","cart","checkout","currency","email","fraud-detection",'
            '"frontend","frontend-proxy","payment","product-catalog","quote","recommendation",'
            '"shipping"],"total":14,"limit":0,"offset":0,"errors":null}',
        )


def test_nobody_but_the_owner_changes_the_catalogue(warm: Warm) -> None:
    with forked(warm) as cluster:
        psql = "PGPASSWORD=otelp psql -h postgresql -U otelu -d otel -tAc"
        count = run(cluster, "postgresql", f"{psql} 'SELECT count(*) FROM catalog.products'")
        order = run(cluster, "postgresql", f"{psql} 'SELECT * FROM accounting.\"order\"'")
        delete = run(cluster, "postgresql", f"{psql} 'DELETE FROM catalog.products'")

        assert count == (0, "10\n", "")
        assert order == (0, "", "")
        assert delete == (1, "", "ERROR:  permission denied for table products\n")


def test_a_day_passes_without_a_restart(shop: AstronomyShop, warm: Warm) -> None:
    with forked(warm) as cluster:
        for _ in range(24):
            cluster.clock.advance(HOUR_S)
        restarts = {
            pod["metadata"]["name"]: status["restartCount"]
            for pod in cluster.list("v1", "Pod", NAMESPACE)
            for status in pod["status"]["containerStatuses"]
            if status["restartCount"] or not status["ready"]
        }
        seen = shop.traffic(cluster, 600.0).operations

        assert restarts == {}
        assert {name for name, found in seen.items() if found.success_rate < 0.99} == set()
