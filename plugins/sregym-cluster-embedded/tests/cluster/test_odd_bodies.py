"""What is odd in a body is refused or left aside; nothing of it ends the server or a controller."""

from __future__ import annotations

import json

import pytest
from sregym_cluster_embedded.api.quantity import SYNTAX, canonical
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import served
from sregym_cluster_embedded.store import Key

JSON = {"content-type": "application/json", "accept": "application/json"}


def _send(world, method, path, body=None):
    sent = b"" if body is None else json.dumps(body).encode()
    answer = served(world, Request(method, path, (), JSON, sent))
    return answer.status, json.loads(answer.body)


@pytest.fixture
def world(make_shop):
    return make_shop().world


@pytest.mark.parametrize(
    ("given", "shown"),
    [("9" * 40, "9" * 40), ("1e300", "1e300"), ("1e-3", "1e-3"), ("1500e-3", "1500e-3"), ("12e6", "12e6")],
)  # fmt: skip
def test_quantities_are_exact(given, shown):
    assert canonical(given) == shown


@pytest.mark.parametrize("given", ["1e999999999", "1" * 500, "\uff11", "1e", "1_0"])
def test_what_nobody_can_compute_with_is_no_quantity(given):
    with pytest.raises(ValueError) as caught:
        canonical(given)
    assert str(caught.value) == SYNTAX


def test_a_quota_of_many_digits_is_stored(world):
    quota = {"metadata": {"name": "q"}, "spec": {"hard": {"count/secrets": "9" * 40}}}
    status, obj = _send(world, "POST", "/api/v1/namespaces/shop/resourcequotas", quota)
    assert (status, obj["spec"]["hard"]) == (201, {"count/secrets": "9" * 40})
    world.run_until(world.now + 30)


@pytest.mark.parametrize(
    "fields", [{"f:data": "x"}, {"f:data": {"k:{": {}}}, {"v:x": {}}, {"i:x": {}}, {"a": {}}, {"k:[]": {}}]
)  # fmt: skip
def test_managed_fields_that_cannot_be_decoded_are_left_aside(world, fields):
    path = "/api/v1/namespaces/shop/configmaps"
    _send(world, "POST", path, {"metadata": {"name": "m"}, "data": {"a": "1"}})
    entry = {
        **{"manager": "me", "operation": "Update", "apiVersion": "v1"},
        **{"fieldsType": "FieldsV1", "fieldsV1": fields},
    }
    changed = {"metadata": {"name": "m", "managedFields": [entry]}, "data": {"a": "2"}}
    status, obj = _send(world, "PUT", f"{path}/m", changed)
    assert status == 200
    assert "me" not in [entry["manager"] for entry in obj["metadata"]["managedFields"]]


def test_nodes_go_on_without_the_namespace_of_their_leases(world):
    _send(world, "DELETE", "/api/v1/namespaces/kube-node-lease")
    world.run_until(world.now + 120)
    _send(world, "POST", "/api/v1/namespaces", {"metadata": {"name": "kube-node-lease"}})
    world.run_until(world.now + 60)
    assert world.store.list("leases.coordination.k8s.io", "kube-node-lease")
    assert world.store.get(Key("nodes", "", world.store.list("nodes")[0]["metadata"]["name"]))
