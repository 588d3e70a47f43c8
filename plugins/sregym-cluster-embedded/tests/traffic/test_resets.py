"""Connection tracking takes a few packets for invalid: some requests meet a reset."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.process import process_of

LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal"
CLIENT = {
    "protocol": "grpc",
    "address": "stock:8080",
    "errors": {"reset": "transport is closing"},
}


def node_of(market: Any, name: str) -> str:
    process = process_of(market.world, market.refs(name)[-1])
    assert process is not None
    return process.config.node


def with_resets(market: Any, share: float, name: str = "web") -> Any:
    machines.change(market.world, node_of(market, name), invalid_share=share)
    market.run(3)
    return market.history(name)[-1].flows[0]


def test_a_part_of_the_calls_is_reset_in_the_words_of_the_caller(make_market: Any) -> None:
    market = make_market({"web.clients.stock": CLIENT})
    assert market.history("web")[-1].flows[0].errors == ()
    flow = with_resets(market, 0.02)
    assert flow.errors == (("transport is closing", 0.02),)
    # All of them come to the service, but for those.
    assert market.history("stock")[-1].flows[0].rate == pytest.approx(98.0)
    (good, reset) = flow.calls
    assert (good.rate, reset.rate) == (pytest.approx(98.0), pytest.approx(2.0))
    assert [kind for kind, _, _ in reset.errors] == ["reset"]
    machines.set_sysctl(market.world, node_of(market, "web"), LIBERAL, "1")
    market.run(3)
    assert market.history("web")[-1].flows[0].errors == ()


def test_how_many_are_reset_is_chance(make_market: Any) -> None:
    market = make_market({"web.clients.stock": CLIENT})
    with_resets(market, 0.02)
    market.run(600)
    begun = market.world.now - 600
    windows = [market.between(begun + at, begun + at + 15) for at in range(0, 600, 15)]
    failed = [sum(one.failed.values()) for one in windows]
    assert sum(failed) == pytest.approx(600 * 2.0, rel=0.1)
    # Evenly they would be 30 each time; by chance they differ by about the root of that.
    assert 3.0 < (sum((one - 30) ** 2 for one in failed) / len(failed)) ** 0.5 < 9.0


def test_requests_that_are_made_again_succeed(make_market: Any) -> None:
    again = {**CLIENT, "retry": {"times": 1}}
    flow = with_resets(make_market({"web.clients.stock": again}), 0.02)
    assert flow.errors == (("transport is closing", pytest.approx(0.0004)),)
    assert sum(call.retries for call in flow.calls) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "changes",
    [
        # Drivers of datastores look after their connections.
        {
            "web.clients.cache": {"protocol": "memcached", "address": "cache:8080"},
            "web.operations.buy.calls": [{"call": "cache.get"}],
        },
        # Nobody leaves a program as it is that ends whenever that happens.
        {
            "web.clients.stock": CLIENT,
            "web.operations.buy.calls": [{"call": "stock.Take", "on_error": {"then": "panic"}}],
        },
    ],
)
def test_what_is_never_reset(make_market: Any, changes: dict[str, Any]) -> None:
    market = make_market(changes, programs=("stock", "cache", "web", "load"))
    assert with_resets(market, 0.02).errors == ()
