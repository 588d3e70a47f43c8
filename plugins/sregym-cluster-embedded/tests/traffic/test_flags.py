"""Feature flags: what a server of flags tells, and what programs do otherwise while a flag is on."""

from __future__ import annotations

import json
from typing import Any

import pytest

FLAG = {"server": "flags:8080", "protocol": "http"}
CHANGES: dict[str, Any] = {
    "flags": {
        "flags_file": "file:/tmp/flags.json",
        "startup": [{"listen": "http"}],
        "listeners": {"http": {"protocol": "http", "port": 8080}},
    },
    "stock.flags": {
        "failing": {**FLAG, "flag": "stockFailure", "default": "0"},
        "slow": {**FLAG, "flag": "stockSlow", "default": "0"},
        "busy": {**FLAG, "flag": "stockBusy", "default": "false"},
    },
    "stock.operations.Take.variants": [
        {
            "when": "${failing}",
            "fails": "${failing}",
            "error": "no stock today",
            "log": ["cannot take"],
        },
        {"when": "${slow}", "latency_ms": "${slow}"},
        {"when": "${busy}", "cpu_ms": 5},
    ],
    "web.flags": {"elsewhere": {**FLAG, "flag": "webElsewhere", "default": "false"}},
    "web.clients": {
        "stock": {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1},
        "bad": {"protocol": "grpc", "address": "bad:8080", "timeout_s": 1},
    },
    "web.operations.buy.calls": [
        {"call": "stock.Take", "unless": "${elsewhere}"},
        {"call": "bad.Take", "when": "${elsewhere}"},
    ],
}
UNKNOWN = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: '
    'dial tcp: lookup bad on 10.96.0.10:53: no such host"'
)


def written(**variants: tuple[Any, str]) -> str:
    """A file of flags, each with its value while it is on, and which variant it has."""
    flags = {
        name: {"state": "ENABLED", "variants": {"off": False, "on": on}, "defaultVariant": variant}
        for name, (on, variant) in variants.items()
    }
    return json.dumps({"flags": flags})


@pytest.fixture(scope="module")
def calm(make_market: Any) -> Any:
    return make_market(
        CHANGES, programs=("flags", "stock", "web", "load"), tools=("busybox", "curl")
    )


@pytest.fixture
def market(calm: Any) -> Any:
    return calm.fork()


def switch(market: Any, **variants: tuple[Any, str]) -> Any:
    """Write the file of flags, let it take effect, and see what users see."""
    assert market.shell("flags", f"echo '{written(**variants)}' >/tmp/flags.json")[0] == 0
    market.run(5)
    return market.seen(30)


def failing(seen: Any) -> dict[str, float]:
    return {text: round(count / seen.requests, 2) for text, count in seen.failed.items()}


def test_without_a_file_flags_have_their_defaults(market: Any) -> None:
    assert market.seen(30).failed == {}


@pytest.mark.parametrize(
    ("variants", "shares"),
    [
        ({"stockFailure": (0.25, "on")}, {"500": 0.25}),
        ({"stockFailure": (True, "on")}, {"500": 1.0}),
        ({"stockFailure": (0.25, "off")}, {}),
        ({"stockFailure": (0.25, "none")}, {}),
        ({"webElsewhere": (True, "on")}, {"500": 1.0}),
    ],
)
def test_a_flag_that_is_switched_takes_effect_at_once(
    market: Any, variants: dict[str, Any], shares: dict[str, float]
) -> None:
    assert failing(switch(market, **variants)) == shares
    assert switch(market).failed == {}


def test_who_asks_hears_the_words_of_the_variant(market: Any) -> None:
    switch(market, stockFailure=(0.5, "on"))
    flow = market.history("web")[-1].flows[0]
    own = market.history("stock")[-1].flows[0]

    assert dict(flow.errors) == {"rpc error: code = Unknown desc = no stock today": 0.5}
    assert dict(own.errors) == {"no stock today": 0.5}
    assert own.calls == ()


def test_a_call_goes_elsewhere(market: Any) -> None:
    switch(market, webElsewhere=(True, "on"))
    flow = market.history("web")[-1].flows[0]

    assert [call.client for call in flow.calls] == ["bad"]
    assert dict(flow.errors) == {UNKNOWN: 1.0}


def test_variants_cost_time_and_work(market: Any) -> None:
    before = market.history("stock")[-1].flows[0].time.mean_ms
    switch(market, stockSlow=(80, "on"))
    slow = market.history("stock")[-1].flows[0].time.mean_ms
    switch(market, stockBusy=(True, "on"))
    busy = market.history("stock")[-1].flows[0].time.mean_ms

    assert slow == pytest.approx(before + 80, abs=0.1)
    assert busy > before + 5


def test_without_their_server_flags_have_their_defaults(market: Any) -> None:
    assert failing(switch(market, stockFailure=(1, "on"))) == {"500": 1.0}
    market.scale("flags", 0)
    market.run(40)
    assert market.seen(30).failed == {}


@pytest.mark.parametrize(
    ("flag", "answer"),
    [
        ("stockFailure", '{"value":0.25,"key":"stockFailure","reason":"STATIC","variant":"on","metadata":{}}\n'),
        ("none", '{"key": "none", "errorCode": "FLAG_NOT_FOUND", "errorDetails": "flag `none` does not exist"}'),
    ],
)  # fmt: skip
def test_a_flag_can_be_asked_for(market: Any, flag: str, answer: str) -> None:
    switch(market, stockFailure=(0.25, "on"))
    url = f"http://flags:8080/ofrep/v1/evaluate/flags/{flag}"
    assert market.shell("flags", f"curl -s -X POST {url}") == (0, answer, "")
    assert market.shell("flags", f"curl -s {url}") == (0, "404 page not found\n", "")


def test_a_file_that_is_no_json_has_no_flags(market: Any) -> None:
    market.shell("flags", "echo oops >/tmp/flags.json")
    market.run(5)
    assert market.seen(30).failed == {}
