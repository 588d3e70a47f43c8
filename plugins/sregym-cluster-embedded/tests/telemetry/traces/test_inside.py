"""The collector answers inside the cluster as it does outside."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.userland.keys import RUNTIME


def test_a_container_asks_the_collector(shop: Any) -> None:
    url = "http://jaeger:16686/api/services/stock/operations"
    runtime = shop.world.service(RUNTIME)
    result = runtime.exec(shop.world, shop.ref("web"), ("wget", "-qO-", url), "")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == shop.ask_text("/api/services/stock/operations")[1]


def test_a_search_from_a_container(shop: Any) -> None:
    url = "http://jaeger:16686/api/traces?service=web&limit=2&tags=%7B%22error%22%3A%22true%22%7D"
    runtime = shop.world.service(RUNTIME)
    result = runtime.exec(shop.world, shop.ref("web"), ("wget", "-qO-", url), "")
    expected = shop.ask("/api/traces", service="web", limit="2", tags='{"error":"true"}')
    assert result.stdout == expected.body.decode()


def test_the_api_server_passes_questions_on(shop: Any) -> None:
    path = "/api/v1/namespaces/shop/services/jaeger:p16686/proxy/api/services"
    answer: Any = handle(shop.world, Request("GET", path))
    assert (answer.status, answer.body.decode()) == shop.ask_text("/api/services")
