"""Discovery of the issuer of tokens."""

from __future__ import annotations

import base64
from typing import Any

import orjson
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.access import tokens
from sregym_cluster_embedded.store import Key


def test_the_issuer_says_where_its_keys_are(client: Any) -> None:
    subset = {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 6443}]}
    metadata = {"name": "kubernetes", "namespace": "default"}
    internal_client.create(client.world, "endpoints", {"metadata": metadata, "subsets": [subset]})
    assert client("GET", "/.well-known/openid-configuration") == {
        "issuer": "https://kubernetes.default.svc.cluster.local",
        "jwks_uri": "https://10.0.0.1:6443/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }


def test_tokens_name_the_key_that_is_published(client: Any) -> None:
    account = client.world.store.get(Key("serviceaccounts", "shop", "default"))
    head = tokens.issue(client.world, account, 600).partition(".")[0]
    header = orjson.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    [key] = client("GET", "/openid/v1/jwks")["keys"]
    assert header == {"alg": "RS256", "kid": key["kid"]}
    assert len(base64.urlsafe_b64decode(key["n"] + "==")) == 256


def test_they_can_only_be_read(client: Any) -> None:
    status = client("POST", "/openid/v1/jwks", {})
    assert (status["code"], status["reason"]) == (405, "MethodNotAllowed")
    assert client.raw("GET", "/openid/v1/none").status == 404
