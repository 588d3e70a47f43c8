"""Calls that come back to where they were made."""

from __future__ import annotations

from typing import Any

import pytest

ITSELF: dict[str, Any] = {
    "web.clients": {"web": {"protocol": "http", "address": "http://web:8080", "timeout_s": 2}},
    "web.operations.buy.calls": [{"call": "web.GET /buy"}],
}
SOMETIMES = {**ITSELF, "web.operations.buy.calls": [{"call": "web.GET /buy", "share": 0.5}]}


@pytest.mark.parametrize(
    ("changes", "success", "kinds"), [(ITSELF, 0.0, {"500"}), (SOMETIMES, 1.0, set())]
)
def test_a_request_that_comes_back_to_itself_never_ends(
    make_market: Any, changes: dict[str, Any], success: float, kinds: set[str]
) -> None:
    seen = make_market(changes, programs=("web", "load")).seen(20)
    assert (seen.ok / seen.requests, set(seen.failed)) == (success, kinds)
