"""Changes look as the tools make them with which people and pipelines deliver."""

from __future__ import annotations

import json
from random import Random

import pytest
from sregym_core.model import ObjectRef
from sregym_kubernetes.changes import (
    actor_for,
    apply_edit,
    delivery_of,
    restart,
    with_delivery_marks,
)
from sregym_kubernetes.changes.delivery import DELIVERERS, EDIT, LAST_APPLIED, Delivery
from sregym_testing import MemoryCluster

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
}
REF = ObjectRef.of(SERVICE)


def delivered(delivery):
    return with_delivery_marks(SERVICE, delivery, "shop", "default")


@pytest.mark.parametrize("delivery", Delivery)
def test_the_marks_of_a_delivery_tell_it(delivery) -> None:
    assert delivery_of(delivered(delivery)) is delivery
    assert delivered(delivery)["spec"] == SERVICE["spec"]


def test_marks_are_those_of_the_tools() -> None:
    marks = {
        str(delivery): {
            **delivered(delivery)["metadata"]["labels"],
            **delivered(delivery)["metadata"].get("annotations", {}),
        }
        for delivery in Delivery
    }
    applied = (
        '{"apiVersion":"v1","kind":"Service","metadata":{"annotations":{},"labels":{"app":"web"},'
        '"name":"web","namespace":"default"},"spec":{"ports":[{"port":80,"targetPort":8080}],'
        '"selector":{"app":"web"}}}\n'
    )
    tracking = "shop:/Service:default/web"
    tracked = applied.replace(
        '"annotations":{}', f'"annotations":{{"argocd.argoproj.io/tracking-id":"{tracking}"}}'
    )
    assert marks == {
        "kubectl-create": {"app": "web"},
        "kubectl-apply": {"app": "web", LAST_APPLIED: applied},
        "helm": {
            "app": "web",
            "app.kubernetes.io/managed-by": "Helm",
            "meta.helm.sh/release-name": "shop",
            "meta.helm.sh/release-namespace": "default",
        },
        "argocd": {
            "app": "web",
            "argocd.argoproj.io/tracking-id": tracking,
            LAST_APPLIED: tracked,
        },
        "flux": {
            "app": "web",
            "kustomize.toolkit.fluxcd.io/name": "shop",
            "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
        },
    }


@pytest.mark.parametrize(
    ("delivery", "managers"),
    [
        (Delivery.CREATE, {"kubectl-edit", "kubectl-patch"}),
        (Delivery.APPLY, {"kubectl-edit", "kubectl-patch", "kubectl-client-side-apply"}),
        (Delivery.HELM, {"kubectl-edit", "kubectl-patch", "helm"}),
        (Delivery.ARGO_CD, {"kubectl-edit", "kubectl-patch", "argocd-controller"}),
        (Delivery.FLUX, {"kubectl-edit", "kubectl-patch", "kustomize-controller"}),
    ],
)
def test_only_tools_that_fit_change_an_object(delivery, managers) -> None:
    obj = delivered(delivery)
    assert {actor_for(obj, Random(seed)).manager for seed in range(60)} == managers


def test_a_standing_object_tells_its_delivery_by_its_managers() -> None:
    obj = {**SERVICE, "metadata": {**SERVICE["metadata"], "managedFields": [{"manager": "helm"}]}}
    assert delivery_of(obj) is Delivery.HELM


CHANGES = [
    ({"spec": {"selector": {"tier": "x"}}}, "merge"),
    ({"spec": {"selector": {"tier": "x"}}}, "strategic"),
    ([{"op": "add", "path": "/spec/selector/tier", "value": "x"}], "json"),
]


@pytest.mark.parametrize(("patch", "kind"), CHANGES)
def test_who_applies_remembers_what_was_applied(patch, kind) -> None:
    cluster = MemoryCluster()
    cluster.create(delivered(Delivery.APPLY))
    actor = DELIVERERS[Delivery.APPLY]
    changed = apply_edit(cluster, REF, patch, kind, actor, cluster.get(REF))
    remembered = json.loads(changed["metadata"]["annotations"][LAST_APPLIED])
    assert changed["spec"]["selector"] == {"app": "web", "tier": "x"}
    assert remembered["spec"]["selector"] == {"app": "web", "tier": "x"}
    assert remembered["metadata"] == {**SERVICE["metadata"], "annotations": {}}
    managers = [entry["manager"] for entry in changed["metadata"]["managedFields"]]
    assert managers == ["kubectl-create", "kubectl-client-side-apply"]


@pytest.mark.parametrize(("patch", "kind"), CHANGES)
def test_who_edits_leaves_what_was_applied(patch, kind) -> None:
    cluster = MemoryCluster()
    before = cluster.create(delivered(Delivery.APPLY))
    changed = apply_edit(cluster, REF, patch, kind, EDIT, cluster.get(REF))
    assert changed["spec"]["selector"] == {"app": "web", "tier": "x"}
    assert changed["metadata"]["annotations"] == before["metadata"]["annotations"]


def test_what_is_remembered_is_written_as_go_writes_it() -> None:
    obj = {**SERVICE, "metadata": {"name": "a<b>&c"}}
    text = with_delivery_marks(obj, Delivery.APPLY, "shop", "")["metadata"]["annotations"][
        LAST_APPLIED
    ]
    assert '"name":"a\\u003cb\\u003e\\u0026c"' in text


def test_a_restart_is_that_of_kubectl() -> None:
    cluster = MemoryCluster()
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": []}}
    metadata = {"name": "a", "namespace": "default"}
    made = cluster.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {"template": template},
        }
    )
    cluster.clock.advance(17.25)
    changed = restart(cluster, ObjectRef.of(made))
    assert changed["spec"]["template"]["metadata"]["annotations"] == {
        "kubectl.kubernetes.io/restartedAt": "2023-11-14T22:13:37Z"
    }
    assert changed["metadata"]["managedFields"][-1] == {
        "manager": "kubectl-rollout",
        "operation": "Update",
        "apiVersion": "apps/v1",
        "time": "2023-11-14T22:13:37Z",
    }
