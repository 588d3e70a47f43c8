"""The end of a namespace: pods first, in passes that come when the controller expects it."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

PLACE = Key("namespaces", "", "shop")
OVERDUE = (
    "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: "
    "shop for gvr: /v1, Resource=pods"
)
POD = """
apiVersion: v1
kind: Pod
metadata: {name: stubborn}
spec:
  terminationGracePeriodSeconds: 8
  containers:
  - {name: main, image: "registry.example/library/busybox:1.36", command: [sleep, "900"]}
"""


def failure(shop: Any) -> tuple[str, str, str]:
    conditions = shop.world.store.get(PLACE)["status"]["conditions"]
    found = next(e for e in conditions if e["type"] == "NamespaceDeletionContentFailure")
    return (found["status"], found["reason"], found["message"])


def test_pods_that_stay_longer_than_their_grace_are_an_error(shop: Any) -> None:
    good = (
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    )
    shop.apply(POD)
    shop.run(3)
    internal_client.delete(shop.world, PLACE)
    # After five seconds the pod is told to go; the next pass comes after half of its grace.
    shop.run(5.5)
    assert "deletionTimestamp" in shop.world.store.get(Key("pods", "shop", "stubborn"))["metadata"]
    assert failure(shop) == good
    shop.run(4)
    assert failure(shop) == good
    # The grace counts from the deletion of the namespace here, but the pod has five seconds more.
    shop.run(1)
    assert failure(shop) == ("True", "ContentDeletionFailed", OVERDUE)
    assert shop.world.store.get(Key("configmaps", "shop", "kube-root-ca.crt")) is not None
    shop.run(10)
    assert shop.world.store.get(PLACE) is None
