"""Regular expressions that requests are tried on: what they cost, by expression and by input."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.userland.keys import RUNTIME

GOOD, BAD = "^[a-z]+$", "^([a-z]+)*$"
CRAFTED = "a" * 20 + "!"


def filtered(make_market: Any, rule: str, *, on: bool = True) -> Any:
    """Requests with letters, and a tenth of them crafted; the rule is a setting of `web`."""
    changes = {
        "web.config": {
            "rule": {"env": "RULE", "default": rule},
            "on": {"env": "RULE_ON", "default": str(on)},
        },
        "web.operations.buy.filters": [
            {"pattern": "${rule}", "text": "${query.q}", "when": "${on}", "most_steps": 1_000_000}
        ],
        "load.rate": 10,
        "load.mix": {
            "buy": {"request": "GET /buy?q=telescopes", "weight": 9},
            "crafted": {"request": f"GET /buy?q={CRAFTED}", "weight": 1, "counts_as": "buy"},
        },
    }
    return make_market(changes)


@pytest.mark.parametrize(
    ("rule", "on", "cpu"),
    [
        # 0.2 ms of each request itself; 10 ns for each of a million trials of one request a second.
        (BAD, True, 10 * 0.0002 + 1 * 0.01),
        (BAD, False, 10 * 0.0002),
        (GOOD, True, 10 * 0.0002),
        # What is no expression is not tried.
        ("(", True, 10 * 0.0002),
    ],
)
def test_what_filters_cost(make_market: Any, rule: str, on: bool, cpu: float) -> None:
    market = filtered(make_market, rule, on=on)
    market.run(30)
    assert market.history("web")[-1].load.cpu == pytest.approx(cpu, rel=0.02)


def test_a_single_request_feels_its_own_input(make_market: Any) -> None:
    market = filtered(make_market, BAD)
    runtime, web = market.world.service(RUNTIME), market.refs("web")[-1]
    took = []
    for text in ("telescopes", CRAFTED):
        line = f"wget -q -O - 'http://web:8080/buy?q={text}'"
        took.append(runtime.exec(market.world, web, ("sh", "-c", line), "").duration_s)
    assert took[1] - took[0] == pytest.approx(0.01, abs=0.004)
