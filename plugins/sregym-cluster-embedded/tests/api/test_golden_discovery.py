"""Discovery documents equal those of a real cluster."""

from __future__ import annotations

import orjson
import pytest

DOCUMENTS = (
    "api-plain",
    "api-aggregated",
    "api-aggregated-v2beta1",
    "apis-plain",
    "apis-aggregated",
    "apis-aggregated-v2beta1",
    "not-acceptable",
    "version",
)


def same(client, recorded):
    request = recorded["request"]
    answer = client.raw("GET", request["path"], accept=request["accept"])
    assert answer.status == recorded["status"]
    assert answer.content_type == recorded["content_type"]
    assert orjson.loads(answer.body) == recorded["body"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_the_real_one(client, golden, name):
    path = golden / "discovery" / f"{name}.json"
    same(client, orjson.loads(path.read_bytes()))


def test_every_group_version_is_the_real_one(client, golden):
    paths = sorted((golden / "discovery" / "groups").glob("*.json"))
    assert paths
    for path in paths:
        same(client, orjson.loads(path.read_bytes()))


def test_the_openapi_index_names_what_a_real_one_names(client, golden):
    recorded = orjson.loads((golden / "discovery" / "openapi-v3-index.json").read_bytes())
    answer = client("GET", "/openapi/v3")
    assert sorted(answer["paths"]) == sorted(recorded["body"]["paths"])
    for entry in answer["paths"].values():
        path, _, digest = entry["serverRelativeURL"].partition("?hash=")
        assert len(digest) == 128
        assert client("GET", path)["openapi"] == "3.0.0"
