"""Feature flags: what a server of flags tells, and what programs do otherwise while a flag is on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_cluster_embedded.userland.flags import HEARD, watch_flags

FLAG = {"server": "flags:8080", "protocol": "http"}
CHANGES: dict[str, Any] = {
    "flags": {
        "flags_file": "file:/tmp/flags.json",
        "startup": [{"listen": "http"}],
        "listeners": {"http": {"protocol": "http", "port": 8080}},
    },
    "stock.flags": {
        "failing": {
            **FLAG,
            "flag": "stockFailure",
            "default": "0",
            "context": {"service": "${program}"},
        },
        "slow": {**FLAG, "flag": "stockSlow", "default": "0"},
        "busy": {**FLAG, "flag": "stockBusy", "default": "false"},
        "leaks": {**FLAG, "flag": "stockLeak", "default": "0"},
        "ill": {**FLAG, "flag": "stockIll", "default": "false"},
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
        {"when": "${leaks}", "leaves_kib": "${leaks}"},
    ],
    "stock.listeners.grpc.unhealthy": "${ill}",
    "web.operations.buy.variants": [
        {"when": "${header.x-hold}", "latency_ms": "${header.x-hold}"},
    ],
    "load.flags": {
        "row": {**FLAG, "flag": "loadRow", "default": "0"},
        "held": {**FLAG, "flag": "loadHeld", "default": "0"},
    },
    "load.mix": {
        "buy": {"request": "GET /buy", "weight": 9, "headers": {"X-Hold": "${held}"}},
        "row": {"request": "GET /buy", "weight": 1, "times": "${row}", "counts_as": "buy"},
    },
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
        CHANGES,
        programs=("flags", "stock", "web", "load"),
        tools=("busybox", "curl"),
        limits={"stock": {"memory": "256Mi", "readinessProbe": {"grpc": {"port": 8080}}}},
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


def test_a_request_is_answered_by_what_is_in_effect(market: Any) -> None:
    switch(market, stockFailure=(0.25, "on"))
    body = '{"context": {"targetingKey": "one"}}'
    rule = {"if": [{"in": [{"var": "targetingKey"}, ["one", "two"]]}, "on", None]}
    market.shell("flags", f"echo '{targeted(rule)}' >/tmp/flags.json")
    url = "http://flags:8080/ofrep/v1/evaluate/flags/stockFailure"
    _, told, _ = market.shell("flags", f"curl -s -X POST -d '{body}' {url}")
    _, other, _ = market.shell("flags", f"curl -s -X POST {url}")

    assert (json.loads(told)["value"], json.loads(told)["reason"]) == (0.25, "TARGETING_MATCH")
    assert (json.loads(other)["value"], json.loads(other)["reason"]) == (False, "DEFAULT")


def targeted(rule: Any, default: str = "off") -> str:
    flag = {
        "state": "ENABLED",
        "variants": {"off": False, "on": 0.25},
        "defaultVariant": default,
        "targeting": rule,
    }
    return json.dumps({"flags": {"stockFailure": flag}})


@pytest.mark.parametrize(
    ("pod", "shares"), [("stock", {"500": 0.25}), ("web", {})], ids=["meant", "not meant"]
)
def test_who_asks_says_who_it_is(market: Any, pod: str, shares: dict[str, float]) -> None:
    rule = {"if": [{"starts_with": [{"var": "service"}, pod]}, "on", "off"]}
    market.shell("flags", f"echo '{targeted(rule)}' >/tmp/flags.json")
    market.run(5)
    assert failing(market.seen(30)) == shares


def test_a_file_that_is_refused_leaves_flags_as_they_were(market: Any) -> None:
    switch(market, stockFailure=(0.25, "on"))
    market.shell("flags", f"echo '{targeted({}, 'none')}' >/tmp/flags.json")
    market.run(5)

    assert failing(market.seen(30)) == {"500": 0.25}
    assert market.logs("flags")[-1] == (
        "default variant: 'none' isn't a valid variant of flag: 'stockFailure'"
    )


def test_an_operator_that_nobody_knows_is_told(market: Any) -> None:
    market.shell("flags", f"echo '{targeted({'ends_whit': ['a', 'b']})}' >/tmp/flags.json")
    market.run(5)
    url = "http://flags:8080/ofrep/v1/evaluate/flags/stockFailure"

    assert market.logs("flags")[-1] == (
        "flag definition does not conform to the schema; validation errors: "
        "flags.stockFailure.targeting: Additional property ends_whit is not allowed"
    )
    assert json.loads(market.shell("flags", f"curl -s -X POST {url}")[1]) == {
        "key": "stockFailure",
        "errorCode": "PARSE_ERROR",
        "errorDetails": "error parsing the flag `stockFailure`",
    }
    assert failing(market.seen(30)) == {}


def test_what_requests_leave_behind_grows_until_the_kernel_ends_it(market: Any) -> None:
    before = market.memory("stock")
    switch(market, stockLeak=(40, "on"))
    grown = market.memory("stock")
    market.run(30)
    later = market.memory("stock")
    switch(market, stockLeak=(40, "off"))
    kept = market.memory("stock")
    market.run(60)

    assert before < grown < later
    assert later - grown == pytest.approx(90 * 40 * 1024 * 30, rel=0.2)
    assert market.memory("stock") == pytest.approx(kept, rel=0.05)
    switch(market, stockLeak=(40, "on"))
    instance = market.refs("stock")[-1].attempt
    market.run(120)
    assert market.refs("stock")[-1].attempt > instance


def test_entries_of_a_mix_may_be_sent_in_rows_and_count_as_others(market: Any) -> None:
    before = market.seen(30)
    after = switch(market, loadRow=(3, "on"))

    # A tenth of what is chosen is sent three times, or not at all.
    assert after.requests / before.requests == pytest.approx((0.9 + 0.3) / 0.9, rel=0.05)


def test_a_header_holds_requests_back(market: Any) -> None:
    switch(market, loadHeld=(160, "on"), loadRow=(3, "on"))
    (flow,) = market.history("web")[-1].flows
    timed = "curl -s -o /dev/null -w %{time_total}"
    late = float(market.shell("flags", f"{timed} -H 'x-hold: 700' http://web:8080/buy")[1])

    # Those of the row, which have no such header, are told as one with them.
    assert (flow.operation, round(flow.rate)) == ("buy", 120)
    assert flow.time.mean_ms == pytest.approx(0.75 * 160, abs=5)
    assert 0.7 < late < 0.8


def test_who_says_that_it_is_ill_gets_no_requests(market: Any) -> None:
    switch(market, stockIll=(True, "on"))
    assert failing(market.seen(60)).keys() == {"500"}
    switch(market)
    market.run(20)
    assert failing(market.seen(30)) == {}


def test_a_rule_that_asks_for_the_time_takes_effect_when_it_comes(market: Any) -> None:
    begins = market.world.epoch + market.world.now + 60
    flag = {
        "state": "ENABLED",
        "variants": {"off": False, "on": True},
        "defaultVariant": "off",
        "targeting": {"if": [{">": [{"var": "$flagd.timestamp"}, begins]}, "on", "off"]},
    }
    text = json.dumps({"flags": {"stockIll": flag}})
    market.shell("flags", f"echo '{text}' >/tmp/flags.json")
    market.run(30)
    assert heard(market, "stock")["ill"] == "false"

    market.run(40)
    watch_flags(market.world)

    assert heard(market, "stock")["ill"] == "true"


def heard(market: Any, program: str) -> dict[str, str]:
    """What a program heard last of its flags."""
    return next(
        dict(values) for ref, values in market.world.table(HEARD).items() if ref.name == program
    )
