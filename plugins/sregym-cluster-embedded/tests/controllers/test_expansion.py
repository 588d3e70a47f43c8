"""Claims that want to grow or shrink."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle

ADMIN = User("admin", ("system:masters", "system:authenticated"))
WAITS = "waiting for an external controller to expand this PVC"


def bound(shop: Any, allows: bool) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "disk",
        "resources": {"requests": {"storage": "2Gi"}},
    }
    made = {"metadata": {"name": "disk"}, "provisioner": "example.com/disk"}
    if allows:
        made["allowVolumeExpansion"] = True  # type: ignore[assignment]
    internal_client.create(shop.world, "storageclasses.storage.k8s.io", made)
    volume = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "disk",
        "capacity": {"storage": "2Gi"},
        "hostPath": {"path": "/tmp/disk"},
    }
    internal_client.create(
        shop.world, "persistentvolumes", {"metadata": {"name": "v"}, "spec": volume}
    )
    metadata = {"name": "data", "namespace": "shop"}
    internal_client.create(
        shop.world, "persistentvolumeclaims", {"metadata": metadata, "spec": spec}
    )
    shop.run(2)


def ask(shop: Any, size: str) -> Any:
    body = {"spec": {"resources": {"requests": {"storage": size}}}}
    path = "/api/v1/namespaces/shop/persistentvolumeclaims/data"
    headers = {"content-type": "application/merge-patch+json"}
    answer = handle(shop.world, Request("PATCH", path, (), headers, orjson.dumps(body), ADMIN))
    assert isinstance(answer, Response)
    return orjson.loads(answer.body)


def test_a_claim_waits_for_somebody_who_can_expand_its_volume(shop: Any) -> None:
    bound(shop, allows=True)
    assert ask(shop, "4Gi")["spec"]["resources"] == {"requests": {"storage": "4Gi"}}
    shop.run(60)
    assert shop.events("ExternalExpanding") == [(WAITS, 1)]
    assert ask(shop, "2Gi")["status"]["capacity"] == {"storage": "2Gi"}


@pytest.mark.parametrize(
    ("allows", "size", "why"),
    [
        (
            False,
            "4Gi",
            'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be '
            "resized and the storageclass that provisions the pvc must support resize",
        ),
        (
            True,
            "1Gi",
            'PersistentVolumeClaim "data" is invalid: spec.resources.requests.storage: Forbidden: '
            "field can not be less than status.capacity",
        ),
    ],
)
def test_sizes_that_a_claim_cannot_have(shop: Any, allows: bool, size: str, why: str) -> None:
    bound(shop, allows=allows)
    assert ask(shop, size)["message"] == why
