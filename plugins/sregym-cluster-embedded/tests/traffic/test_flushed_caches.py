"""A cache that is emptied is cold for those who look into it, until their misses have filled it again."""

from __future__ import annotations

from typing import Any

LOOKS = {
    "stock.clients": {"cache": {"protocol": "memcached", "address": "cache:8080", "timeout_s": 1}},
    "stock.operations": {
        "Take": {
            "listener": "grpc",
            "calls": [
                {"cache": "cache", "hit_rate": 1.0, "keys": 2000, "miss": [{"call": "slow.Find"}]}
            ],
        }
    },
    "slow": {
        "startup": [{"listen": "grpc"}],
        "listeners": {"grpc": {"protocol": "grpc", "port": 8080}},
        "operations": {"Find": {"listener": "grpc", "latency_ms": 50}},
    },
}


def test_a_flush_makes_a_cache_cold(make_market: Any) -> None:
    changes = {**LOOKS, "stock.clients": {**LOOKS["stock.clients"], "slow": {"protocol": "grpc", "address": "slow:8080", "timeout_s": 1}}}  # fmt: skip
    market = make_market(changes, programs=("cache", "slow", "stock", "web", "load"))

    def missed() -> float:
        """Requests a second for which the cache has no answer."""
        return float(sum(flow.rate for flow in market.history("slow")[-1].flows))

    market.run(200)
    assert missed() < 1
    assert (
        market.shell("load", "printf 'flush_all\\r\\nquit\\r\\n' | nc -w 1 cache 8080")[1]
        == "OK\r\n"
    )
    market.run(1)
    assert missed() > 90
    market.run(20)
    assert 20 < missed() < 60
