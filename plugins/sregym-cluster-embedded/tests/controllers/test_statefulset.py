"""StatefulSets on a real world: order, names, claims, revisions and what is said of them."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

STATEFUL_SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: db, image: "registry.example/shop/web:1.0"}]
"""
CLAIMS = """
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
DB = Key("statefulsets.apps", "shop", "db")


def change(shop: Any, **fields: Any) -> None:
    stateful_set = shop.world.store.get(DB)
    spec = {**stateful_set["spec"], **fields}
    internal_client.update(shop.world, DB.resource, {**stateful_set, "spec": spec})


def set_image(shop: Any, image: str) -> None:
    template = shop.world.store.get(DB)["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": f"registry.example/shop/{image}"}]
    change(shop, template={**template, "spec": {**template["spec"], "containers": containers}})


def images(shop: Any) -> dict[str, str]:
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"].rpartition("/")[2]
        for pod in shop.pods()
    }


def names(shop: Any, resource: str = "pods") -> list[str]:
    return sorted(entry["metadata"]["name"] for entry in shop.world.store.list(resource, "shop"))


def revisions(shop: Any) -> list[tuple[int, str]]:
    """(revision, image) of the ControllerRevisions in the order of their numbers."""
    return sorted(
        (
            entry["revision"],
            entry["data"]["spec"]["template"]["spec"]["containers"][0]["image"].rpartition("/")[2],
        )
        for entry in shop.world.store.list("controllerrevisions.apps", "shop")
    )


def status(shop: Any) -> Object:
    found: Object = shop.world.store.get(DB)["status"]
    return found


def seen(shop: Any, seconds: float) -> list[list[str]]:
    """The different lists of pods while time passes."""
    lists: list[list[str]] = []
    for _ in range(int(seconds * 20)):
        shop.run(0.05)
        if not lists or names(shop) != lists[-1]:
            lists.append(names(shop))
    return lists


def test_pods_start_in_order_with_names_and_labels_of_their_own(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    assert seen(shop, 10) == [["db-0"], ["db-0", "db-1"], ["db-0", "db-1", "db-2"]]
    revision = status(shop)["currentRevision"]
    pod = shop.world.store.get(Key("pods", "shop", "db-1"))
    assert pod["metadata"]["labels"] == {
        "app": "db",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": "db-1",
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("db-1", "db")
    assert status(shop) == {
        "availableReplicas": 3,
        "collisionCount": 0,
        "currentReplicas": 3,
        "currentRevision": revision,
        "observedGeneration": 1,
        "readyReplicas": 3,
        "replicas": 3,
        "updateRevision": revision,
        "updatedReplicas": 3,
    }
    assert shop.events("SuccessfulCreate") == [
        (f"Create Pod db-{number} in StatefulSet db successful", 1) for number in range(3)
    ]


def test_a_pod_that_never_gets_ready_holds_back_the_next(shop: Any) -> None:
    shop.apply(STATEFUL_SET.replace("web:1.0", "web:9.9"))
    assert seen(shop, 10) == [["db-0"]]


def test_ordinals_may_start_elsewhere(shop: Any) -> None:
    shop.apply(STATEFUL_SET + "  ordinals: {start: 5}\n")
    shop.run(10)
    assert names(shop) == ["db-5", "db-6", "db-7"]


def test_parallel_pods_start_together(shop: Any) -> None:
    shop.apply(STATEFUL_SET + "  podManagementPolicy: Parallel\n")
    assert seen(shop, 5) == [["db-0", "db-1", "db-2"]]


def test_a_smaller_set_loses_the_highest_pods_one_by_one(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    change(shop, replicas=1)
    assert seen(shop, 10) == [["db-0", "db-1", "db-2"], ["db-0", "db-1"], ["db-0"]]
    assert shop.events("SuccessfulDelete") == [
        ("Delete Pod db-2 in StatefulSet db successful", 1),
        ("Delete Pod db-1 in StatefulSet db successful", 1),
    ]


def test_a_deleted_pod_comes_back_under_its_name(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    place = Key("pods", "shop", "db-1")
    before = shop.world.store.get(place)["metadata"]["uid"]
    internal_client.delete(shop.world, place)
    shop.run(5)
    assert names(shop) == ["db-0", "db-1", "db-2"]
    assert shop.world.store.get(place)["metadata"]["uid"] != before


def test_an_update_goes_from_the_highest_down_to_the_partition(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    first = status(shop)["currentRevision"]
    change(shop, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 2}})
    set_image(shop, "web:1.1")
    shop.run(10)
    assert images(shop) == {"db-0": "web:1.0", "db-1": "web:1.0", "db-2": "web:1.1"}
    found = status(shop)
    assert found["currentRevision"] == first
    assert (found["currentReplicas"], found["updatedReplicas"]) == (2, 1)
    internal_client.delete(shop.world, Key("pods", "shop", "db-0"))
    shop.run(5)
    assert images(shop)["db-0"] == "web:1.0"
    change(shop, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    shop.run(15)
    assert images(shop) == {"db-0": "web:1.1", "db-1": "web:1.1", "db-2": "web:1.1"}
    assert status(shop)["currentRevision"] == status(shop)["updateRevision"] != first


def test_going_back_gives_the_old_revision_the_highest_number(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    set_image(shop, "web:1.1")
    shop.run(20)
    assert revisions(shop) == [(1, "web:1.0"), (2, "web:1.1")]
    set_image(shop, "web:1.0")
    shop.run(20)
    assert revisions(shop) == [(2, "web:1.1"), (3, "web:1.0")]


def test_the_history_limit_prunes_the_oldest_revision(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    change(shop, revisionHistoryLimit=1)
    for image in ("web:1.1", "web:2.0"):
        set_image(shop, image)
        shop.run(20)
    assert revisions(shop) == [(2, "web:1.1"), (3, "web:2.0")]


def test_on_delete_waits_for_somebody_to_delete_the_pods(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    change(shop, updateStrategy={"type": "OnDelete"})
    set_image(shop, "web:1.1")
    shop.run(10)
    assert images(shop) == {"db-0": "web:1.0", "db-1": "web:1.0", "db-2": "web:1.0"}
    internal_client.delete(shop.world, Key("pods", "shop", "db-1"))
    shop.run(5)
    assert images(shop) == {"db-0": "web:1.0", "db-1": "web:1.1", "db-2": "web:1.0"}


def test_claims_are_made_before_the_pod_and_stay(shop: Any) -> None:
    shop.apply(STATEFUL_SET.replace("replicas: 3", "replicas: 1") + CLAIMS)
    shop.run(2)
    claim = shop.world.store.get(Key("persistentvolumeclaims", "shop", "data-db-0"))
    assert claim["metadata"]["labels"] == {"app": "db"}
    assert "ownerReferences" not in claim["metadata"]
    pod = shop.world.store.get(Key("pods", "shop", "db-0"))
    assert pod["spec"]["volumes"][0] == {
        "name": "data",
        "persistentVolumeClaim": {"claimName": "data-db-0"},
    }
    assert shop.events("SuccessfulCreate") == [
        ("Create Claim data-db-0 Pod db-0 in StatefulSet db success", 1),
        ("Create Pod db-0 in StatefulSet db successful", 1),
    ]
    internal_client.delete(shop.world, DB)
    shop.run(5)
    assert (names(shop), names(shop, "persistentvolumeclaims")) == ([], ["data-db-0"])


def test_claims_go_with_the_set_or_with_the_scaled_down_pod_when_asked(shop: Any) -> None:
    policy = "  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}\n"
    shop.apply(STATEFUL_SET + "  podManagementPolicy: Parallel\n" + policy + CLAIMS)
    shop.run(3)
    change(shop, replicas=1)
    shop.run(5)
    assert names(shop, "persistentvolumeclaims") == ["data-db-0"]
    internal_client.delete(shop.world, DB)
    shop.run(5)
    assert names(shop, "persistentvolumeclaims") == []


def test_a_refused_pod_is_told_and_tried_again(shop: Any) -> None:
    quota = Key("resourcequotas", "shop", "none")
    internal_client.create(
        shop.world,
        quota.resource,
        {"metadata": {"name": "none", "namespace": "shop"}, "spec": {"hard": {"pods": "0"}}},
    )
    shop.run(1)
    shop.apply(STATEFUL_SET.replace("replicas: 3", "replicas: 1"))
    shop.run(1)
    assert shop.events("FailedCreate")[0][0] == (
        'Create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: exceeded '
        "quota: none, requested: pods=1, used: pods=0, limited: pods=0"
    )
    internal_client.delete(shop.world, quota)
    shop.run(10)
    assert status(shop)["readyReplicas"] == 1


def test_minimum_ready_seconds_hold_back_the_next(shop: Any) -> None:
    shop.apply(STATEFUL_SET + "  minReadySeconds: 10\n")
    shop.run(8)
    assert names(shop) == ["db-0"]
    shop.run(40)
    assert status(shop)["availableReplicas"] == 3


def test_a_deletion_in_the_foreground_ends_when_pods_and_revisions_are_gone(shop: Any) -> None:
    shop.apply(STATEFUL_SET)
    shop.run(10)
    internal_client.delete(shop.world, DB, "Foreground")
    shop.run(0.3)
    assert shop.world.store.get(DB)["metadata"]["finalizers"] == ["foregroundDeletion"]
    shop.run(10)
    assert shop.world.store.get(DB) is None
    assert (names(shop), names(shop, "controllerrevisions.apps")) == ([], [])
