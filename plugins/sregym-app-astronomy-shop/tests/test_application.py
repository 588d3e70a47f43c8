"""What the table and the manifests of the shop make."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sregym_core.model import containers_of
from sregym_testing.schemas import validate

if TYPE_CHECKING:
    from sregym_app_astronomy_shop.application import AstronomyShop

TELLTALE = re.compile(
    r"sregym|(?<!de)(?<!x-envoy-)faults?\b|chaos|inject|benchmark|harness|oracle", re.IGNORECASE
)
OPERATIONS = [
    "index",
    "browse_product",
    "get_recommendations",
    "get_ads",
    "view_cart",
    "add_to_cart",
    "checkout",
    "checkout_multi",
    "view_image",
]
# As the demo ships them.
LIMITS = {
    "accounting": "120Mi",
    "ad": "300Mi",
    "cart": "160Mi",
    "checkout": "20Mi",
    "currency": "20Mi",
    "email": "100Mi",
    "flagd": "75Mi",
    "fraud-detection": "300Mi",
    "frontend": "250Mi",
    "frontend-proxy": "65Mi",
    "image-provider": "50Mi",
    "kafka": "600Mi",
    "load-generator": "1500Mi",
    "payment": "140Mi",
    "postgresql": "100Mi",
    "product-catalog": "20Mi",
    "product-reviews": "100Mi",
    "quote": "40Mi",
    "recommendation": "500Mi",
    "shipping": "20Mi",
    "valkey-cart": "20Mi",
}
FLAGS = [
    "adFailure",
    "adHighCpu",
    "adManualGc",
    "cartFailure",
    "emailMemoryLeak",
    "failedReadinessProbe",
    "imageSlowLoad",
    "kafkaQueueProblems",
    "llmInaccurateResponse",
    "llmRateLimitError",
    "loadGeneratorFloodHomepage",
    "paymentFailure",
    "paymentUnreachable",
    "productCatalogFailure",
    "recommendationCacheFailure",
]


def test_how_many_objects_there_are(shop: AstronomyShop) -> None:
    assert Counter(obj["kind"] for obj in shop.manifests()) == {
        "Namespace": 2,
        "ServiceAccount": 1,
        "ConfigMap": 5,
        "Secret": 1,
        "Service": 23,
        "Deployment": 24,
        "StatefulSet": 1,
        "DaemonSet": 1,
    }


def test_a_real_api_server_would_take_them(shop: AstronomyShop) -> None:
    validate(shop.manifests())


def test_nothing_hints_at_a_test(shop: AstronomyShop) -> None:
    assert TELLTALE.findall(json.dumps(shop.manifests())) == []
    assert TELLTALE.findall(shop.description) == []


def test_memory_limits_are_those_of_the_demo(objects: dict[tuple[str, str], Any]) -> None:
    found = {
        name: containers_of(obj)[-2 if name == "flagd" else -1]["resources"]["limits"]["memory"]
        for (kind, name), obj in objects.items()
        if kind == "Deployment" and name in LIMITS
    }
    assert found == LIMITS


def test_every_address_in_a_variable_is_a_port_of_a_service(
    objects: dict[tuple[str, str], Any],
) -> None:
    served = {
        f"{name}:{port['port']}"
        for (kind, name), obj in objects.items()
        if kind == "Service"
        for port in obj["spec"]["ports"]
    }
    given = {
        entry["value"].removeprefix("http://")
        for (kind, _), obj in objects.items()
        if kind == "Deployment"
        for container in containers_of(obj)
        for entry in container.get("env", ())
        if entry["name"].endswith("_ADDR") and ":" in entry.get("value", "").strip(":")
    }

    assert given <= served
    assert len(given) == 13


def test_the_flags_are_off(objects: dict[tuple[str, str], Any]) -> None:
    flags = json.loads(objects["ConfigMap", "flagd-config"]["data"]["demo.flagd.json"])["flags"]

    assert list(flags) == FLAGS
    assert {flag["defaultVariant"] for flag in flags.values()} == {"off"}
    assert {flag["state"] for flag in flags.values()} == {"ENABLED"}


def test_locust_does_what_the_model_says(
    shop: AstronomyShop, objects: dict[tuple[str, str], Any]
) -> None:
    (model,) = shop.service_models()
    mix = model.programs["load-generator"].mix
    script = ast.parse(objects["ConfigMap", "load-generator"]["data"]["locustfile.py"])
    (user,) = (
        part
        for part in script.body
        if isinstance(part, ast.ClassDef) and part.name == "WebsiteUser"
    )
    weights = {
        call.args[0].value: call.args[1].value
        for part in ast.walk(user)
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "task"
        for call in part.args
    }  # fmt: skip
    (container,) = containers_of(objects["Deployment", "load-generator"])
    given = {entry["name"]: entry["value"] for entry in container["env"]}

    assert list(mix) == list(weights) == [*OPERATIONS, "search", "flood_home"]
    assert {name: given[f"WEIGHT_{name.upper()}"] for name in mix} == {
        name: str(weight) for name, weight in weights.items()
    }
    assert set(shop.load_mix) < set(given)


def test_kinds_of_components(shop: AstronomyShop) -> None:
    kinds = Counter(part.kind for part in shop.components())

    assert kinds == {"service": 19, "datastore": 2, "cache": 1, "queue": 1, "tracing": 2, "load": 1}
    assert len(shop.components()) == 26
    assert [part.name for part in shop.components() if part.service is None] == [
        "accounting",
        "fraud-detection",
        "load-generator",
    ]
