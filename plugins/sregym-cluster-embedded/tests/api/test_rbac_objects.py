"""Roles and bindings that cannot be are refused with the error texts of a real server."""

from __future__ import annotations

from typing import Any

import pytest

RBAC = "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("kind", "obj", "text"),
    [
        (
            "namespaces/shop/roles",
            {"rules": [{"apiGroups": [""], "resources": ["pods"]}, {"verbs": ["get"]}]},
            f'Role.{RBAC} "a" is invalid: [rules[0].verbs: Required value: verbs must contain at '
            "least one value, rules[1].apiGroups: Required value: resource rules must supply at "
            "least one api group, rules[1].resources: Required value: resource rules must supply "
            "at least one resource]",
        ),
        (
            "clusterroles",
            {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["a"]}]},
            f'ClusterRole.{RBAC} "a" is invalid: rules[0].nonResourceURLs: Invalid value: ["/x"]: '
            "rules cannot apply to both regular resources and non-resource URLs",
        ),
        (
            "clusterroles",
            {"aggregationRule": {"clusterRoleSelectors": []}},
            f'ClusterRole.{RBAC} "a" is invalid: aggregationRule.clusterRoleSelectors: Required '
            "value: at least one clusterRoleSelector required if aggregationRule is non-nil",
        ),
        (
            "clusterrolebindings",
            {
                "roleRef": {"kind": "Role", "name": "x"},
                "subjects": [
                    {"kind": "ServiceAccount", "name": "b"},
                    {"kind": "Robot", "name": "c"},
                ],
            },
            f'ClusterRoleBinding.{RBAC} "a" is invalid: [roleRef.kind: Unsupported value: "Role": '
            'supported values: "ClusterRole", subjects[0].namespace: Required value, '
            'subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", '
            '"User", "Group"]',
        ),
    ],
)
def test_what_is_wrong_is_listed(client: Any, kind: str, obj: dict[str, Any], text: str) -> None:
    status = client("POST", f"/apis/{RBAC}/v1/{kind}", {"metadata": {"name": "a"}, **obj})
    assert (status["code"], status["message"]) == (422, text)


def test_another_role_needs_another_binding(client: Any) -> None:
    path = f"/apis/{RBAC}/v1/namespaces/shop/rolebindings"
    made = {"metadata": {"name": "a"}, "roleRef": {"kind": "ClusterRole", "name": "view"}}
    client("POST", path, made)
    status = client("PUT", f"{path}/a", {**made, "roleRef": {"kind": "Role", "name": "view"}})
    assert status["message"] == (
        f'RoleBinding.{RBAC} "a" is invalid: roleRef: Invalid value: '
        f'{{"APIGroup":"{RBAC}","Kind":"Role","Name":"view"}}: cannot change roleRef'
    )
