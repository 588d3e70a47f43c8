"""Bytes in objects, and continue tokens that are no base64."""

from __future__ import annotations

import base64

import orjson
import pytest

MAPS = "/api/v1/namespaces/shop/configmaps"
SECRETS = "/api/v1/namespaces/shop/secrets"
INVALID = "invalid continue token: continue key is not valid"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (
            SECRETS,
            {"kind": "Secret", "data": {"password": "hunter2"}},
            'Secret in version "v1" cannot be handled as a Secret: '
            "illegal base64 data at input byte 4",
        ),
        (
            SECRETS,
            {"kind": "Secret", "data": {"password": 5}},
            'Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal number '
            "into Go struct field Secret.data of type []uint8",
        ),
        (
            SECRETS,
            {"kind": "Secret", "data": ["a"]},
            'Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal array '
            "into Go struct field Secret.data of type map[string][]uint8",
        ),
        (
            MAPS,
            {"kind": "ConfigMap", "binaryData": {"a": "="}},
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
            "illegal base64 data at input byte 0",
        ),
    ],
)
def test_objects_with_bytes_that_are_none(client, path, body, message):
    answer = client("POST", path, {"apiVersion": "v1", "metadata": {"name": "s"}, **body})
    assert (answer["code"], answer["reason"], answer["message"]) == (400, "BadRequest", message)


def test_bytes_are_written_again_as_the_server_does(client):
    data = {"a": "aG\nk=\n", "b": "aGl=", "c": None, "d": ""}
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data}
    assert client("POST", SECRETS, body)["data"] == {"a": "aGk=", "b": "aGk=", "d": ""}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", f"{INVALID}: unexpected end of JSON input"),
        (
            b'"a"',
            f"{INVALID}: json: cannot unmarshal string into Go value of type storage.continueToken",
        ),
        (
            {"v": "meta.k8s.io/v1", "rv": "5", "start": "a"},
            f"{INVALID}: json: cannot unmarshal string into Go struct field continueToken.rv of "
            "type int64",
        ),
        ({"rv": 5}, f"{INVALID}: server does not recognize this encoded version "),
        (
            {"v": "meta.k8s.io/v1", "start": "a"},
            f"{INVALID}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (
            {"v": "meta.k8s.io/v1", "rv": 5},
            f"{INVALID}: encoded start key empty (version meta.k8s.io/v1)",
        ),
        ({"v": "meta.k8s.io/v1", "rv": 5, "start": "../../a"}, f"{INVALID}: ../../a"),
    ],
)
def test_continue_tokens_that_are_none(client, content, message):
    raw = content if isinstance(content, bytes) else orjson.dumps(content)
    token = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    answer = client("GET", MAPS, limit="1", **{"continue": token})
    assert (answer["code"], answer["reason"], answer["message"]) == (400, "BadRequest", message)
