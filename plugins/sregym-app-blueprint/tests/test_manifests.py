"""What the table of Blueprint Hotel Reservation makes."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Load
from sregym_testing.schemas import validate

if TYPE_CHECKING:
    from sregym_app_blueprint.application import BlueprintHotels

TELLTALE = re.compile(
    r"sregym|(?<!de)fault|chaos|inject|benchmark|harness|oracle|problem|(?<!_)agent(?!-|Host)",
    re.IGNORECASE,
)


def test_how_many_objects_there_are(hotels: BlueprintHotels) -> None:
    assert Counter(obj["kind"] for obj in hotels.manifests()) == {
        "Namespace": 2,
        "ConfigMap": 10,
        "Service": 18,
        "Deployment": 19,
    }
    assert Counter(part.kind for part in hotels.components()) == {
        "service": 8,
        "datastore": 6,
        "cache": 3,
        "tracing": 1,
        "load": 1,
    }


def test_services_that_call_others_share_how(hotels: BlueprintHotels) -> None:
    sources = {
        obj["metadata"]["name"]: [
            entry["configMapRef"]["name"]
            for entry in obj["spec"]["template"]["spec"]["containers"][0].get("envFrom", ())
        ]
        for obj in hotels.manifests()
        if obj["kind"] == "Deployment"
    }

    assert {name: refs for name, refs in sources.items() if "rpc" in refs} == {
        "frontend-service": ["frontend-service", "rpc"],
        "search-service": ["search-service", "rpc"],
    }
    assert sources["rate-service"] == ["rate-service"]


def test_a_real_api_server_would_take_them(hotels: BlueprintHotels) -> None:
    validate(hotels.manifests())


def test_nothing_hints_at_a_test(hotels: BlueprintHotels) -> None:
    assert TELLTALE.findall(json.dumps(hotels.manifests())) == []
    assert TELLTALE.findall(hotels.description) == []


def test_who_calls_whom_follows_from_the_programs(hotels: BlueprintHotels) -> None:
    parts = {part.name: part for part in hotels.components()}

    assert parts["profile-service"].callers == ("frontend-service",)
    assert parts["profile-service"].operations == ("search", "recommend")
    assert parts["geo-service"].callers == ("search-service",)
    assert parts["reserv-db"].operations == ("search", "reserve")
    assert parts["frontend-service"].operations == parts["wlgen"].operations


def test_the_rate_is_a_variable_of_the_load_generator(hotels: BlueprintHotels) -> None:
    (generator,) = (o for o in hotels.manifests() if o["metadata"]["name"] == "wlgen" and o["kind"] == "Deployment")  # fmt: skip
    created: list[dict[str, Any]] = []

    class Cluster:
        @staticmethod
        def create(obj: dict[str, Any], _actor: Any) -> None:
            created.append(obj)

    hotels.deploy_with_load(Cluster(), Load(level=1.5))  # type: ignore[arg-type]
    (given,) = (o for o in created if o["metadata"]["name"] == "wlgen" and o["kind"] == "Deployment")  # fmt: skip
    before, after = (
        {entry["name"]: entry["value"] for entry in obj["spec"]["template"]["spec"]["containers"][0]["env"]}
        for obj in (generator, given)
    )  # fmt: skip

    assert (before["TPUT"], before["MULTIPLIER"], before["TRIGGERTIME"]) == ("3000", "1", "30")
    assert after == {**before, "TPUT": "4500"}
