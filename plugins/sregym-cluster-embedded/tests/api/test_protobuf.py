"""Bodies that kubectl 1.37 sent, beside the object that it printed for the same command."""

from __future__ import annotations

import base64
from pathlib import Path

import orjson
import pytest
from sregym_cluster_embedded.api import body, protobuf
from sregym_cluster_embedded.api.errors import ApiError

REQUESTS = orjson.loads((Path(__file__).parent / "data" / "protobuf_requests.json").read_bytes())


def canonical(obj):
    group, _, version = obj["apiVersion"].rpartition("/")
    checked, unknown = body.canonical(obj, group, version, obj["kind"])
    # What a command prints carries its namespace and an empty status; the body leaves them out.
    checked["metadata"].pop("namespace", None)
    checked.pop("status", None)
    return checked, unknown


@pytest.mark.parametrize("request_", REQUESTS, ids=[entry["command"] for entry in REQUESTS])
def test_a_body_holds_what_the_command_prints(request_):
    decoded = protobuf.decode(base64.b64decode(request_["body"]))
    assert canonical(decoded) == canonical(request_["object"])


def test_what_is_cut_off_is_refused():
    whole = base64.b64decode(REQUESTS[0]["body"])
    with pytest.raises(ApiError, match=r"^unexpected EOF$"):
        protobuf.decode(whole[:-7])


def test_what_is_no_envelope_is_refused():
    text = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    with pytest.raises(ApiError) as caught:
        protobuf.decode(b"{}")
    assert caught.value.message == text


def test_a_number_that_go_leaves_out_is_left_out():
    port = {"name": "http", "number": 0}
    service = {"name": "web", "port": port}
    ingress = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "web"},
        "spec": {"defaultBackend": {"service": service}},
    }
    checked, _ = canonical(ingress)
    assert checked["spec"]["defaultBackend"]["service"]["port"] == {"name": "http"}
