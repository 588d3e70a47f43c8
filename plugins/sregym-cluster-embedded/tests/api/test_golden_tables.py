"""Tables have the columns of a real cluster's, and for the same object the same cells."""

from __future__ import annotations

import orjson
import pytest
from sregym_cluster_embedded.api.printers import cells, columns
from sregym_cluster_embedded.api.printers.duration import seconds_of


def tables(golden):
    for path in sorted((golden / "tables").glob("*.json")):
        recorded = orjson.loads(path.read_bytes())
        if recorded["body"].get("kind") == "Table":
            yield recorded["request"]["path"], recorded["body"]


def resource_of(path):
    parts = path.partition("?")[0].strip("/").split("/")
    group = "" if parts[0] == "api" else parts[1]
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = rest[2:]
    return f"{rest[0]}.{group}" if group else rest[0]


def test_columns_are_the_real_ones(golden):
    checked = 0
    for path, body in tables(golden):
        if ".example/" in path:
            continue
        assert columns(resource_of(path)) == body["columnDefinitions"], path
        checked += 1
    assert checked >= 50


def test_a_deployment_has_the_real_cells(golden):
    body = orjson.loads((golden / "tables" / "one-deployment-object.json").read_bytes())["body"]
    (row,) = body["rows"]
    created = seconds_of(row["object"]["metadata"]["creationTimestamp"])
    assert cells("deployments.apps", row["object"], created + 8) == row["cells"]


def test_a_missing_pod_is_the_real_answer(client, golden):
    recorded = orjson.loads((golden / "tables" / "pods-missing.json").read_bytes())
    path = recorded["request"]["path"].replace("shop-tables", "shop")
    assert client("GET", path, accept=recorded["request"]["accept"]) == recorded["body"]


@pytest.mark.parametrize("name", ["pods-empty", "pods-limit"])
def test_a_table_has_the_real_frame(client, golden, name):
    recorded = orjson.loads((golden / "tables" / f"{name}.json").read_bytes())["body"]
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    answer = client("GET", "/api/v1/namespaces/shop/pods", accept=accept)
    assert answer["columnDefinitions"] == recorded["columnDefinitions"]
    assert (answer["kind"], answer["apiVersion"]) == (recorded["kind"], recorded["apiVersion"])
