"""Secrets with tokens of ServiceAccounts, and ClusterRoles that collect rules."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.access import tokens
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

ROLES = "clusterroles.rbac.authorization.k8s.io"
ACCOUNT = "kubernetes.io/service-account"


@pytest.fixture
def world(make_shop: Callable[..., Any]) -> World:
    found: World = make_shop().world
    internal_client.create(
        found, "serviceaccounts", {"metadata": {"name": "bot", "namespace": "default"}}
    )
    return found


def secret(world: World, account: str) -> dict[str, Any] | None:
    annotations = {f"{ACCOUNT}.name": account}
    metadata = {"name": "t", "namespace": "default", "annotations": annotations}
    internal_client.create(world, "secrets", {"metadata": metadata, "type": f"{ACCOUNT}-token"})
    world.run_until(world.now + 1)
    return world.store.get(Key("secrets", "default", "t"))


def decoded(held: dict[str, Any]) -> dict[str, str]:
    return {key: base64.b64decode(value).decode() for key, value in held["data"].items()}


def test_a_secret_of_an_account_gets_its_token(world: World) -> None:
    held = secret(world, "bot")
    assert held is not None
    account = world.store.get(Key("serviceaccounts", "default", "bot"))
    assert account is not None
    assert held["metadata"]["annotations"][f"{ACCOUNT}.uid"] == account["metadata"]["uid"]
    data = decoded(held)
    assert data == {
        "ca.crt": certificate_authority(world),
        "namespace": "default",
        "token": data["token"],
    }
    assert tokens.identify(world, data["token"]).user.name == "system:serviceaccount:default:bot"


def test_using_the_token_leaves_the_day_at_the_secret(world: World) -> None:
    held = secret(world, "bot")
    assert held is not None
    headers = {"authorization": f"Bearer {decoded(held)['token']}"}
    answer = handle(world, Request("GET", "/api", (), headers))
    assert isinstance(answer, Response)
    assert answer.status == 200
    used = world.store.get(Key("secrets", "default", "t"))
    assert used is not None
    assert used["metadata"]["labels"] == {
        "kubernetes.io/legacy-token-last-used": world.timestamp()[:10]
    }


def test_a_secret_goes_with_its_account(world: World) -> None:
    held = secret(world, "bot")
    assert held is not None
    internal_client.delete(world, Key("serviceaccounts", "default", "bot"))
    world.run_until(world.now + 1)
    assert world.store.get(Key("secrets", "default", "t")) is None
    with pytest.raises(tokens.TokenError) as caught:
        tokens.identify(world, decoded(held)["token"])
    assert str(caught.value) == ("invalid bearer token, service account token has been invalidated")


def test_a_secret_of_nobody_is_removed(world: World) -> None:
    assert secret(world, "ghost") is None


def test_tokens_of_others_are_none_of_this_cluster(make_shop: Callable[..., Any]) -> None:
    world, other = make_shop(salt="one").world, make_shop(salt="other").world
    account = other.store.get(Key("serviceaccounts", "default", "default"))
    assert account is not None
    token = tokens.issue(other, account, 600)
    forged = "invalid bearer token, go-jose/go-jose: error in cryptographic primitive"
    unknown = "invalid bearer token"
    for text, why in ((token, forged), ("abc", unknown), ("a.b.c", unknown), ("a.é.c", unknown)):
        with pytest.raises(tokens.TokenError) as caught:
            tokens.identify(world, text)
        assert str(caught.value) == why


def rules(world: World, name: str) -> list[Any]:
    found = world.store.get(Key(ROLES, "", name))
    assert found is not None
    return list(found.get("rules") or ())


def test_a_role_collects_the_rules_of_those_it_selects(world: World) -> None:
    selector = {"matchLabels": {"into": "all"}}
    wanted = {"clusterRoleSelectors": [selector]}
    internal_client.create(world, ROLES, {"metadata": {"name": "all"}, "aggregationRule": wanted})
    first = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
    second = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    for name, held in (("b", [second, first]), ("a", [first])):
        metadata = {"name": name, "labels": {"into": "all"}}
        internal_client.create(world, ROLES, {"metadata": metadata, "rules": held})
    world.run_until(world.now + 1)
    assert rules(world, "all") == [first, second]
    internal_client.delete(world, Key(ROLES, "", "b"))
    world.run_until(world.now + 1)
    assert rules(world, "all") == [first]


def test_the_roles_of_a_new_cluster_are_collected_already(world: World) -> None:
    before = {name: rules(world, name) for name in ("admin", "edit", "view")}
    internal_client.patch_metadata(world, Key(ROLES, "", "view"), labels={"touched": "yes"})
    world.run_until(world.now + 1)
    assert {name: rules(world, name) for name in before} == before
