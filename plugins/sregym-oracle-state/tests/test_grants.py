"""Whose rights grow by a repair: read of roles and bindings, by what they allow."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.interfaces import SystemState
from sregym_core.model import ObjectRef
from sregym_kubernetes.operations.objects import capture
from sregym_oracle_state.grants import broadened
from sregym_testing import Shop

from sregym_oracles import differences, side_effects

RBAC = "rbac.authorization.k8s.io"


def state_of(shop: Any) -> SystemState:
    return SystemState(capture(shop.cluster, ("shop",)))


def told_of(shop: Any, healthy: SystemState) -> dict[str, tuple[str, str]]:
    """(class, what) of the last side effect, by the object."""
    now = state_of(shop)
    found = side_effects(differences(healthy, now), Shop())
    effects = [broadened(shop.cluster, healthy, now, one).effect for one in found]
    return {one.where: (one.kind, one.what) for one in effects}


def grant(shop: Any, name: str, subject: str, resources: list[str], verbs: list[str], **more: Any) -> None:  # fmt: skip
    """Create a Role and a binding of this name, for a service account."""
    rule = {"apiGroups": [""], "resources": resources, "verbs": verbs, **more}
    head = {"apiVersion": f"{RBAC}/v1", "metadata": {"name": name, "namespace": "shop"}}
    shop.cluster.create({**head, "kind": "Role", "rules": [rule]})
    binding = {
        "roleRef": {"kind": "Role", "name": name, "apiGroup": RBAC},
        "subjects": [{"kind": "ServiceAccount", "name": subject}],
    }
    shop.cluster.create({**head, "kind": "RoleBinding", **binding})


NEW = ("object-added", "it is new: it did not exist before")


@pytest.mark.parametrize(
    ("resources", "verbs", "what"),
    [
        (["*"], ["create"], "binds more"),
        (["pods", "deployments"], ["get", "create"], "lets its subjects run pods as any account"),
        (["pods/exec"], ["create"], "lets its subjects enter containers"),
        (["secrets", "roles"], ["list", "bind"], "lets its subjects grant rights, read secrets"),
        (["serviceaccounts"], ["impersonate"], "lets its subjects act as others"),
        (["serviceaccounts/token"], ["create"], "lets its subjects act as others"),
        (["pods", "configmaps", "services"], ["get", "list", "watch"], None),
        (["configmaps", "leases"], ["create", "update"], None),
    ],
)
def test_whose_rights_somebody_gets_says_the_role_and_not_its_name(
    shop: Any, resources: list[str], verbs: list[str], what: str | None
) -> None:
    healthy = state_of(shop)
    grant(shop, "more", "orders", resources, verbs)
    grown = ("broad-grant", f"{what}: far more rights than any part needs")
    assert told_of(shop, healthy)["RoleBinding shop/more"] == (NEW if what is None else grown)


def test_a_role_that_grows_is_a_grant_to_all_who_have_it(shop: Any) -> None:
    grant(shop, "reader", "orders", ["pods"], ["get"])
    healthy = state_of(shop)
    role = ObjectRef(api_version=f"{RBAC}/v1", kind="Role", namespace="shop", name="reader")
    rule = {"apiGroups": [""], "resources": ["pods", "secrets"], "verbs": ["get"]}
    shop.cluster.patch(role, {"rules": [rule]}, "merge")
    assert told_of(shop, healthy) == {
        "Role shop/reader": (
            "broad-grant",
            "lets its subjects read secrets: far more rights than any part needs",
        )
    }


def test_what_somebody_could_do_before_is_no_grant(shop: Any) -> None:
    """And neither is a right to objects that are named."""
    grant(shop, "keys", "orders", ["secrets"], ["get"])
    healthy = state_of(shop)
    grant(shop, "keys-again", "orders", ["secrets"], ["get", "list"])
    grant(shop, "one-key", "carts", ["secrets"], ["get"], resourceNames=["carts"])
    assert set(told_of(shop, healthy).values()) == {NEW}
    grant(shop, "all-keys", "carts", ["secrets"], ["get"])
    assert told_of(shop, healthy)["RoleBinding shop/all-keys"][0] == "broad-grant"
