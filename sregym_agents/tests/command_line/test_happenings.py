"""Tokens that are told more than once."""

from __future__ import annotations

from sregym_agents.command_line import Meter, Used
from sregym_core.model import Tokens


def tokens(prompt: int, completion: int, cached: int = 0) -> Tokens:
    return Tokens(prompt=prompt, completion=completion, cached=cached)


def test_a_request_counts_once_however_often_it_is_told() -> None:
    meter = Meter()
    assert list(meter.request("a", tokens(100, 1, 60))) == [Used(tokens(100, 1, 60))]
    assert list(meter.request("a", tokens(100, 1, 60))) == []
    assert list(meter.request("a", tokens(100, 9, 60))) == [Used(tokens(0, 8))]
    assert list(meter.request("b", tokens(50, 2))) == [Used(tokens(50, 2))]


def test_the_total_adds_what_was_not_told_before() -> None:
    meter = Meter()
    list(meter.request("a", tokens(100, 1)))
    assert list(meter.total(tokens(130, 11, 5))) == [Used(tokens(30, 10, 5))]
    assert list(meter.total(tokens(130, 11, 5))) == []
    assert list(meter.total(tokens(90, 0))) == []
