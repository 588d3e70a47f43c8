"""Bytes in objects, and continue tokens: base64 as Go's decoder takes it, and its words."""

from __future__ import annotations

import base64

import orjson
import pytest
from sregym_cluster_embedded.api import base64_words

MAPS = "/api/v1/namespaces/shop/configmaps"
SECRETS = "/api/v1/namespaces/shop/secrets"
INVALID = "invalid continue token: continue key is not valid"


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("", b""),
        ("aGk=", b"hi"),
        ("aGk=\r\n", b"hi"),
        ("a\nGk\n=\n", b"hi"),
        ("YQ=\n=", b"a"),
        ("YWJjZA==", b"abcd"),
        ("YWJj", b"abc"),
        # The last bits of a group that is cut short do not count.
        ("aGl=", b"hi"),
    ],
)
def test_what_is_base64(text, decoded):
    assert base64_words.decode(text) == decoded


@pytest.mark.parametrize(
    ("text", "byte"),
    [
        ("a", 0),
        ("abc", 0),
        ("hunter2", 4),
        ("s3cret!", 6),
        ("pass word", 4),
        ("é", 0),
        ("YQ=", 3),
        ("YQ=x", 2),
        ("Y===", 1),
        ("=", 0),
        ("aGk=x", 4),
        ("aGk==", 4),
        ("YWJj-w==", 4),
    ],
)
def test_what_is_none(text, byte):
    with pytest.raises(base64_words.Base64Error) as caught:
        base64_words.decode(text)
    assert str(caught.value) == f"illegal base64 data at input byte {byte}"


def test_addresses_have_their_own_alphabet_and_no_padding():
    assert base64_words.decode("-_8", url=True) == b"\xfb\xff"
    for text, byte in (("+", 0), ("YQ==", 2), ("YWJjZ", 4)):
        with pytest.raises(base64_words.Base64Error) as caught:
            base64_words.decode(text, url=True)
        assert str(caught.value) == f"illegal base64 data at input byte {byte}"


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
