"""Bodies in protobuf beside the same objects in JSON.

`protobuf_requests.json` has what kubectl 1.37 sent, and printed for the same command;
`protobuf_typed.json` what the library of Go (0.36) makes of its structs in both forms.
"""

from __future__ import annotations

import base64
from pathlib import Path

import orjson
import pytest
from sregym_cluster_embedded.api import body, builtin
from sregym_kubernetes.protobuf import ProtobufError, can_decode, decode

REQUESTS = orjson.loads((Path(__file__).parent / "data" / "protobuf_requests.json").read_bytes())
TYPED = orjson.loads((Path(__file__).parent / "data" / "protobuf_typed.json").read_bytes())


def canonical(obj):
    group, _, version = obj["apiVersion"].rpartition("/")
    checked, unknown = body.canonical(obj, group, version, obj["kind"])
    # What a command prints carries its namespace and an empty status; the body leaves them out.
    checked["metadata"].pop("namespace", None)
    checked.pop("status", None)
    return checked, unknown


@pytest.mark.parametrize("request_", REQUESTS, ids=[entry["command"] for entry in REQUESTS])
def test_a_body_holds_what_the_command_prints(request_):
    decoded = decode(base64.b64decode(request_["body"]))
    assert canonical(decoded) == canonical(request_["object"])


@pytest.mark.parametrize("pair", TYPED, ids=[entry["object"]["kind"] for entry in TYPED])
def test_a_typed_object_is_the_same_in_both_forms(pair):
    written = pair["object"]
    group, _, version = written["apiVersion"].rpartition("/")
    decoded = decode(base64.b64decode(pair["body"]))
    expected = body.canonical(written, group, version, written["kind"])
    assert body.canonical(decoded, group, version, written["kind"]) == expected


def test_every_built_in_kind_has_a_message():
    kinds = [
        f"{resource.api_version}/{resource.kind}"
        for resource in builtin.BUILT_IN
        if "create" in resource.verbs
    ]
    assert [kind for kind in kinds if not can_decode(kind)] == []


@pytest.mark.parametrize(
    "wrong", [b"\n\x02\x0a\xff", b"\x12\x02\x08\x01"], ids=["cut off", "bytes expected"]
)
def test_fields_of_the_wrong_form_are_refused(wrong):
    head = b"k8s\x00\n\x0f\n\x02v1\x12\tConfigMap"
    with pytest.raises(ProtobufError, match=r"^unexpected EOF$"):
        decode(head + b"\x12" + bytes([len(wrong)]) + wrong)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ProtobufError) as caught:
        decode(b"k8s\x00\n\x0a\n\x02v1\x12\x04Nope")
    assert str(caught.value) == (
        'no kind "Nope" is registered for version "v1" in scheme '
        '"pkg/api/legacyscheme/scheme.go:30"'
    )


def test_what_is_cut_off_is_refused():
    whole = base64.b64decode(REQUESTS[0]["body"])
    with pytest.raises(ProtobufError, match=r"^unexpected EOF$"):
        decode(whole[:-7])


def test_what_is_no_envelope_is_refused():
    text = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    with pytest.raises(ProtobufError) as caught:
        decode(b"{}")
    assert str(caught.value) == text


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
