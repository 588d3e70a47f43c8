"""Lists of the past, pages, and how far back a client may look."""

from __future__ import annotations

import base64

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

MAPS = "/api/v1/namespaces/shop/configmaps"


@pytest.fixture
def maps(client):
    return [
        int(client("POST", MAPS, {"metadata": {"name": name}})["metadata"]["resourceVersion"])
        for name in "abc"
    ]


def names(answer):
    return [item["metadata"]["name"] for item in answer["items"]]


def test_a_list_of_the_past(client, maps):
    client("DELETE", f"{MAPS}/a")
    then = client("GET", MAPS, resourceVersion=str(maps[1]), resourceVersionMatch="Exact")
    assert (names(then), then["metadata"]) == (["a", "b"], {"resourceVersion": str(maps[1])})
    assert names(client("GET", MAPS)) == ["b", "c"]


def test_pages_show_one_moment(client, maps):
    first = client("GET", MAPS, limit="1")
    client("DELETE", f"{MAPS}/b")
    rest = client("GET", MAPS, limit="5", **{"continue": first["metadata"]["continue"]})
    assert names(first) + names(rest) == ["a", "b", "c"]


def test_pages_that_took_too_long(client, maps, world):
    first = client("GET", MAPS, limit="1")
    meta = {"name": "kubernetes", "namespace": "default"}
    internal_client.create(
        world, "services", {"metadata": meta, "spec": {"ports": [{"port": 443}]}}
    )
    refused = client("GET", MAPS, **{"continue": first["metadata"]["continue"]})
    assert (refused["code"], refused["reason"]) == (410, "Expired")
    assert refused["message"].startswith("The provided continue parameter is too old to display")
    anew = refused["metadata"]["continue"]
    assert orjson.loads(base64.urlsafe_b64decode(anew + "==="))["rv"] == -1
    assert names(client("GET", MAPS, **{"continue": anew})) == ["b", "c"]
    old = client("GET", MAPS, resourceVersion="2", resourceVersionMatch="Exact")
    assert old["message"] == "The resourceVersion for the provided list is too old."
    assert world.store.get(Key("services", "default", "kubernetes"))


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        (
            {"resourceVersionMatch": "Exact"},
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
            "is provided",
        ),
        (
            {"resourceVersionMatch": "Often", "resourceVersion": "1"},
            'resourceVersionMatch: Unsupported value: "Often": supported values: "Exact", '
            '"NotOlderThan", ""',
        ),
        (
            {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
            'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for '
            'resourceVersion "0"',
        ),
        (
            {"sendInitialEvents": "true"},
            "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
        ),
        (
            {"sendInitialEvents": "true", "watch": "true"},
            "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch "
            "to NotOlderThan",
        ),
    ],
)
def test_options_that_do_not_fit(client, query, cause):
    answer = client("GET", MAPS, **query)
    assert (answer["code"], answer["reason"]) == (422, "Invalid")
    assert answer["message"] == f'ListOptions.meta.k8s.io "" is invalid: {cause}'
