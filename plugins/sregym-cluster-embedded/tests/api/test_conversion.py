"""Custom resources in several versions, converted by a webhook or not at all."""

from __future__ import annotations

from types import MappingProxyType

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.dynamic.webhook_client import Answer
from sregym_cluster_embedded.api.keys import WEBHOOKS
from sregym_cluster_embedded.world import SimulationSpec, World

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
V1 = "/apis/shop.example/v1/namespaces/shop/caches"
V2 = "/apis/shop.example/v2/namespaces/shop/caches"
MERGE = "application/merge-patch+json"
URL = "https://10.77.0.2:9443/convert"
FIELDS = {"shop.example/v1": "size", "shop.example/v2": "capacity"}


class Converter:
    """Version 2 calls `size` `capacity`; `change` spoils its answers."""

    def __init__(self):
        self.asked = []
        self.change = lambda review: None
        self.raw = None

    def __call__(self, world, call):
        request = orjson.loads(call.body)["request"]
        self.asked.append((call.url, request["desiredAPIVersion"], request["objects"]))
        wanted = request["desiredAPIVersion"]
        objects = [
            {
                **obj,
                "apiVersion": wanted,
                "spec": {FIELDS[wanted]: obj["spec"][FIELDS[obj["apiVersion"]]]},
            }
            for obj in request["objects"]
        ]
        review = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "response": {
                "uid": request["uid"],
                "result": {"status": "Success"},
                "convertedObjects": objects,
            },
        }
        self.change(review)
        return self.raw or Answer(200, orjson.dumps(review))


@pytest.fixture
def converter():
    return Converter()


@pytest.fixture
def world(converter):
    services = MappingProxyType(WEBHOOKS.offer(converter))
    world = World(SimulationSpec(services=services), seed=7, epoch=1_767_225_600)
    for name in ("default", "shop"):
        internal_client.create(world, "namespaces", {"metadata": {"name": name}})
        internal_client.create(
            world, "serviceaccounts", {"metadata": {"name": "default", "namespace": name}}
        )
    return world


def version(name, field, **more):
    spec = {"type": "object", "properties": {field: {"type": "integer", "maximum": 9}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    column = {"name": "Room", "type": "integer", "jsonPath": f".spec.{field}"}
    return {
        "name": name,
        "served": True,
        "storage": False,
        "schema": {"openAPIV3Schema": schema},
        "additionalPrinterColumns": [column],
        **more,
    }


def definition(client_config=None, **conversion):
    webhook = {"clientConfig": client_config or {"url": URL}, "conversionReviewVersions": ["v1"]}
    return {
        "metadata": {"name": "caches.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": {"plural": "caches", "kind": "Cache"},
            "versions": [version("v1", "size", storage=True), version("v2", "capacity")],
            "conversion": conversion or {"strategy": "Webhook", "webhook": webhook},
        },
    }


@pytest.fixture
def caches(client):
    made = client("POST", DEFINITIONS, definition())
    assert made["kind"] == "CustomResourceDefinition", made
    client("POST", V1, {"metadata": {"name": "main"}, "spec": {"size": 3}})


def test_a_version_is_made_of_the_stored_one(client, caches, converter, table):
    assert converter.asked == []
    read = client("GET", f"{V2}/main")
    assert (read["apiVersion"], read["spec"]) == ("shop.example/v2", {"capacity": 3})
    (url, wanted, objects), *more = converter.asked
    stored = client("GET", f"{V1}/main")
    assert (url, wanted, objects) == (f"{URL}?timeout=30s", "shop.example/v2", [stored])
    assert more == []
    assert client("GET", V2)["items"] == [read]
    assert [row[:2] for row in table(V2)] == [["main", 3]]


def test_what_is_written_is_looked_at_in_its_version_and_stored_in_another(client, caches, world):
    sent = {"metadata": {"name": "more"}, "spec": {"capacity": 12}}
    refused = client("POST", V2, sent)
    assert refused["message"] == (
        'Cache.shop.example "more" is invalid: spec.capacity: Invalid value: 12: spec.capacity in '
        "body should be less than or equal to 9"
    )
    made = client("POST", V2, {**sent, "spec": {"capacity": 4}})
    assert (made["apiVersion"], made["spec"]) == ("shop.example/v2", {"capacity": 4})
    changed = client("PATCH", f"{V2}/main", {"spec": {"capacity": 5}}, content=MERGE)
    assert (changed["spec"], changed["metadata"]["generation"]) == ({"capacity": 5}, 2)
    stored = world.store.list("caches.shop.example", "shop")
    assert [(obj["apiVersion"], obj["spec"]) for obj in stored] == [
        ("shop.example/v1", {"size": 5}),
        ("shop.example/v1", {"size": 4}),
    ]


def test_reading_changes_nothing(client, caches, world):
    before = world.seed.fork().suffix()
    assert client("GET", f"{V2}/main") == client("GET", f"{V2}/main")
    assert world.seed.fork().suffix() == before


def _respond(**fields):
    return lambda review: review["response"].update(fields)


def _first(**fields):
    return lambda review: review["response"]["convertedObjects"][0].update(fields)


HEAD = "conversion webhook for shop.example/v1, Kind=Cache"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            _respond(result={"status": "Failure", "message": "no such luck"}),
            f"{HEAD} failed: no such luck",
        ),
        (_respond(result={}), f"{HEAD} failed: response.result.status was '', not 'Success'"),
        (
            lambda review: review.pop("response"),
            f"{HEAD} failed: no response provided",
        ),
        (
            lambda review: review.update(apiVersion="admission.k8s.io/v1"),
            f"{HEAD} failed: expected webhook response of apiextensions.k8s.io/v1, "
            "Kind=ConversionReview, got admission.k8s.io/v1, Kind=ConversionReview",
        ),
        (_respond(convertedObjects=[]), f"{HEAD} returned 0 objects, expected 1"),
        (
            _first(apiVersion="shop.example/v3"),
            f"{HEAD} returned invalid object at index 0: invalid groupVersion (expected "
            "shop.example/v2, received shop.example/v3)",
        ),
        (
            _first(kind="Store"),
            f"{HEAD} returned invalid object at index 0: invalid kind (expected Cache, received "
            "Store)",
        ),
        (
            _first(metadata={"name": "other", "namespace": "shop"}),
            f"{HEAD} returned invalid object: must have the same name: main != other",
        ),
        (
            lambda review: review["response"]["convertedObjects"][0].pop("metadata"),
            f"{HEAD} returned invalid metadata: missing metadata in converted object",
        ),
    ],
)
def test_answers_that_do_not_count(client, caches, converter, change, message):
    converter.change = change
    answer = client("GET", f"{V2}/main")
    assert (answer["code"], answer.get("reason", ""), answer["message"]) == (500, "", message)
    assert client("GET", V2)["message"] == message
    assert client("GET", f"{V1}/main")["spec"] == {"size": 3}


def test_a_server_that_fails(client, caches, converter):
    converter.raw = Answer(500, b"not json", "text/plain")
    assert client("GET", f"{V2}/main")["message"] == (
        f'{HEAD} failed: an error on the server ("not json") has prevented the request from '
        "succeeding"
    )
    sent = {"metadata": {"name": "more"}, "spec": {"capacity": 4}}
    assert client("POST", V2, sent)["message"] == (
        "conversion webhook for shop.example/v2, Kind=Cache failed: an error on the server "
        '("not json") has prevented the request from succeeding'
    )
    assert [item["metadata"]["name"] for item in client("GET", V1)["items"]] == ["main"]


def test_a_service_that_is_not_there(client):
    service = {"service": {"name": "hooks", "namespace": "shop", "path": "/convert"}}
    made = client("POST", DEFINITIONS, definition(service))
    assert made["kind"] == "CustomResourceDefinition", made
    client("POST", V1, {"metadata": {"name": "main"}, "spec": {"size": 3}})
    assert client("GET", f"{V2}/main")["message"] == (
        f'{HEAD} failed: Post "https://hooks.shop.svc:443/convert?timeout=30s": service "hooks" not '
        "found"
    )


def test_only_labels_and_annotations_of_the_metadata_are_the_webhooks(client, caches, converter):
    def change(review):
        metadata = review["response"]["convertedObjects"][0]["metadata"]
        metadata |= {"labels": {"by": "hook"}, "generation": 9, "finalizers": ["shop.example/x"]}

    converter.change = change
    metadata = client("GET", f"{V2}/main")["metadata"]
    assert metadata["labels"] == {"by": "hook"}
    assert (metadata["generation"], "finalizers" in metadata) == (1, False)


def test_without_a_webhook_only_the_version_differs(client, converter, world):
    client("POST", DEFINITIONS, definition(strategy="None"))
    client("POST", V2, {"metadata": {"name": "main"}, "spec": {"capacity": 3}})
    assert client("GET", f"{V2}/main")["spec"] == {"capacity": 3}
    stored = world.store.list("caches.shop.example", "shop")[0]
    assert stored["apiVersion"] == "shop.example/v1"
    assert converter.asked == []


def test_the_newest_stable_version_is_preferred(client):
    made = definition(strategy="None")
    made["spec"]["versions"] += [version("v3beta1", "rooms"), version("v10", "rooms")]
    client("POST", DEFINITIONS, made)
    group = client("GET", "/apis/shop.example")
    assert [entry["version"] for entry in group["versions"]] == ["v10", "v2", "v1", "v3beta1"]
    assert group["preferredVersion"]["version"] == "v10"


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"deprecated": True}, "shop.example/v1 Cache is deprecated; use shop.example/v2 Cache"),
        ({"deprecated": True, "deprecationWarning": "go away"}, "go away"),
        ({}, ""),
    ],
)
def test_deprecated_versions_warn(client, fields, warning):
    made = definition(strategy="None")
    made["spec"]["versions"][0] |= fields
    client("POST", DEFINITIONS, made)
    headers = client.raw("GET", V1).headers
    assert headers.get("Warning", "") == (f'299 - "{warning}"' if warning else "")
    assert "Warning" not in client.raw("GET", V2).headers
