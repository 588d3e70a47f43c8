"""Which operation of a service a request reaches, however often it is asked."""

from __future__ import annotations

from sregym_apps.model import ServiceProgram
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.traffic.reached import reached


def _serving(**routes: str) -> ServiceProgram:
    operations = {name: {"listener": "http", "route": route} for name, route in routes.items()}
    listeners = {"http": {"protocol": "http", "port": 8080}}
    return ServiceProgram.model_validate({"listeners": listeners, "operations": operations})


def test_what_a_program_answers_is_never_told_of_another_one() -> None:
    world = build(Blueprint())
    shop = _serving(buy="GET /buy", rest="GET /*")
    bank = _serving(invest="GET /buy")
    asked = [(shop, "GET /buy"), (bank, "GET /buy"), (shop, "GET /buy?n=2"), (shop, "GET /sell")]
    asked += [(bank, "GET /sell"), (bank, "POST /buy")]
    found = [reached(world, program, request) for program, request in asked]
    assert found == ["buy", "invest", "buy", "rest", None, None]
    assert [reached(world.fork(), program, request) for program, request in asked] == found
