"""Recovery takes away what would refuse it, and makes namespaces anew that were deleted."""

from __future__ import annotations

from typing import Any

from sregym_core.model import ObjectRef
from sregym_kubernetes.operations.objects import (
    capture,
    desired,
    recreate_namespaces,
    remove_blockers,
)
from sregym_testing import MemoryCluster

GROUP = "admissionregistration.k8s.io/v1"
SHOP = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def obj(version: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **place}, **more}


def cluster() -> MemoryCluster:
    made = MemoryCluster()
    made.create(SHOP)
    made.create(obj("v1", "ConfigMap", "settings", "shop", data={"a": "b"}))
    made.create(obj("v1", "ResourceQuota", "fair", "shop", spec={"hard": {"pods": "9"}}))
    made.create(obj(GROUP, "ValidatingWebhookConfiguration", "ours", webhooks=[]))
    return made


def test_foreign_admission_goes_and_changed_admission_is_given_back() -> None:
    made = cluster()
    baseline = capture(made, ("shop",))
    foreign = [
        obj(GROUP, "ValidatingWebhookConfiguration", "theirs", webhooks=[]),
        obj(GROUP, "MutatingWebhookConfiguration", "theirs", webhooks=[]),
        obj(GROUP, "ValidatingAdmissionPolicy", "theirs", spec={}),
        obj(GROUP, "ValidatingAdmissionPolicyBinding", "theirs", spec={}),
        obj("v1", "ResourceQuota", "none", "shop", spec={"hard": {"pods": "0"}}),
        obj("v1", "LimitRange", "tiny", "shop", spec={}),
    ]
    for one in foreign:
        made.create(one)
    made.create(obj("v1", "ConfigMap", "left", "shop"))
    ours = ObjectRef(api_version=GROUP, kind="ValidatingWebhookConfiguration", name="ours")
    made.patch(ours, {"webhooks": [{"name": "x"}]}, "merge")
    fair = ObjectRef(api_version="v1", kind="ResourceQuota", namespace="shop", name="fair")
    made.patch(fair, {"spec": {"hard": {"pods": "1"}}}, "merge")
    remove_blockers(made, baseline, ("shop",))
    left = capture(made, ("shop",))
    assert {name: desired(left[name]) for name in baseline} == {
        name: desired(one) for name, one in baseline.items()
    }
    # What does not stand in the way is left to the rest of recovery.
    assert sorted(left.keys() - baseline.keys()) == ["ConfigMap shop/left"]


def test_a_deleted_namespace_comes_back_with_what_was_in_it() -> None:
    made = cluster()
    baseline = capture(made, ("shop",))
    made.delete(ObjectRef.of(SHOP))
    assert capture(made, ("shop",)).keys() < baseline.keys()
    recreate_namespaces(made, [SHOP], baseline)
    after = capture(made, ("shop",))
    assert {name: desired(one) for name, one in after.items()} == {
        name: desired(one) for name, one in baseline.items()
    }


def test_a_namespace_that_stands_is_left_alone() -> None:
    made = cluster()
    baseline = capture(made, ("shop",))
    made.delete(ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="settings"))
    recreate_namespaces(made, [SHOP], baseline)
    assert len(capture(made, ("shop",))) == len(baseline) - 1
