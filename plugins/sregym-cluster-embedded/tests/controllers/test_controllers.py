"""Each controller on a real world: what it makes of an object, and what it says."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
"""
WEB = Key("deployments.apps", "shop", "web")


def change(shop: Any, **fields: Any) -> None:
    deployment = shop.world.store.get(WEB)
    spec = {**deployment["spec"], **fields}
    internal_client.update(shop.world, WEB.resource, {**deployment, "spec": spec})


def set_image(shop: Any, image: str) -> None:
    template = shop.world.store.get(WEB)["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": f"registry.example/shop/{image}"}]
    change(shop, template={**template, "spec": {**template["spec"], "containers": containers}})


def sizes(shop: Any) -> list[tuple[str, int]]:
    """(revision, replicas) of the ReplicaSets, in the order of revisions."""
    return sorted(
        (
            entry["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
            entry["status"]["replicas"],
        )
        for entry in shop.world.store.list("replicasets.apps", "shop")
    )


def conditions(obj: Object) -> list[tuple[str, str, str, str]]:
    return [
        (entry["type"], entry["status"], entry["reason"], entry["message"])
        for entry in obj["status"]["conditions"]
    ]


def test_a_rollout_says_what_it_does(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    first = shop.world.store.list("replicasets.apps", "shop")[0]["metadata"]["name"]
    assert shop.events("ScalingReplicaSet") == [(f"Scaled up replica set {first} from 0 to 2", 1)]
    assert conditions(shop.world.store.get(WEB)) == [
        (
            "Available",
            "True",
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        ),
        (
            "Progressing",
            "True",
            "NewReplicaSetAvailable",
            f'ReplicaSet "{first}" has successfully progressed.',
        ),
    ]


def test_a_template_change_makes_a_revision_and_going_back_another(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    set_image(shop, "web:1.1")
    shop.run(10)
    assert sizes(shop) == [("1", 0), ("2", 2)]
    set_image(shop, "web:1.0")
    shop.run(10)
    assert sizes(shop) == [("2", 0), ("3", 2)]


def test_the_history_limit_prunes_the_oldest(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, revisionHistoryLimit=1)
    for image in ("web:1.1", "web:2.0"):
        set_image(shop, image)
        shop.run(10)
    assert sizes(shop) == [("2", 0), ("3", 2)]


def test_recreate_ends_the_old_pods_before_the_new_ones_begin(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, strategy={"type": "Recreate"})
    set_image(shop, "web:1.1")
    seen = set()
    for _ in range(60):
        shop.run(0.1)
        running = [pod for pod in shop.pods() if pod["status"]["phase"] == "Running"]
        seen.add(tuple(sorted({pod["spec"]["containers"][0]["image"] for pod in running})))
    assert sizes(shop) == [("1", 0), ("2", 2)]
    assert ("registry.example/shop/web:1.0", "registry.example/shop/web:1.1") not in seen


def test_a_paused_deployment_scales_but_does_not_roll(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, paused=True)
    set_image(shop, "web:1.1")
    change(shop, replicas=3)
    shop.run(10)
    assert sizes(shop) == [("1", 3)]
    paused = ("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused")
    assert paused in conditions(shop.world.store.get(WEB))


def test_a_rollout_that_does_not_progress_exceeds_its_deadline(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, progressDeadlineSeconds=15)
    set_image(shop, "web:9.9")
    shop.run(30)
    newest = next(
        entry["metadata"]["name"]
        for entry in shop.world.store.list("replicasets.apps", "shop")
        if entry["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"
    )
    assert conditions(shop.world.store.get(WEB))[-1] == (
        "Progressing",
        "False",
        "ProgressDeadlineExceeded",
        f'ReplicaSet "{newest}" has timed out progressing.',
    )


def test_a_relabelled_pod_is_let_go_and_replaced(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    pod = shop.pods()[0]["metadata"]["name"]
    internal_client.patch_metadata(shop.world, Key("pods", "shop", pod), labels={"app": "isolated"})
    shop.run(5)
    assert len(shop.pods()) == 3
    assert "ownerReferences" not in shop.world.store.get(Key("pods", "shop", pod))["metadata"]


def test_what_a_deployment_owns_goes_with_it(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, WEB)
    shop.run(10)
    assert (shop.world.store.list("replicasets.apps", "shop"), shop.pods()) == ([], [])


def test_an_orphaning_deletion_leaves_the_dependents(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, WEB, "Orphan")
    shop.run(10)
    assert shop.world.store.get(WEB) is None
    assert sizes(shop) == [("1", 2)]
    assert len(shop.pods()) == 2


def test_a_deployment_that_comes_again_claims_what_was_left(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    left = shop.world.store.list("replicasets.apps", "shop")[0]["metadata"]["uid"]
    internal_client.delete(shop.world, WEB, "Orphan")
    shop.run(10)
    shop.apply(DEPLOYMENT)
    shop.run(10)
    (kept,) = shop.world.store.list("replicasets.apps", "shop")
    assert kept["metadata"]["uid"] == left
    owner = shop.world.store.get(WEB)["metadata"]["uid"]
    assert [entry["uid"] for entry in kept["metadata"]["ownerReferences"]] == [owner]
    assert len(shop.pods()) == 2


def test_a_foreground_deletion_waits_for_the_dependents(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, WEB, "Foreground")
    shop.run(0.2)
    assert shop.world.store.get(WEB)["metadata"]["finalizers"] == ["foregroundDeletion"]
    shop.run(10)
    assert (shop.world.store.get(WEB), shop.pods()) == (None, [])


def test_a_replica_set_that_is_to_go_says_that_it_has_seen_it(shop: Any) -> None:
    """Before its pods go, as the garbage collector needs a moment for them."""
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, WEB, "Foreground")
    told: list[tuple[int, int]] = []
    for _ in range(40):
        for entry in shop.world.store.list("replicasets.apps", "shop"):
            status = (entry["status"]["observedGeneration"], entry["status"]["replicas"])
            if told[-1:] != [status]:
                told.append(status)
        shop.run(0.005)
    assert told == [(1, 2), (2, 2), (2, 0)]


def test_a_deleted_namespace_is_emptied_and_goes(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, Key("namespaces", "", "shop"))
    shop.run(1)
    place = shop.world.store.get(Key("namespaces", "", "shop"))
    assert place["status"]["phase"] == "Terminating"
    shop.run(15)
    assert shop.world.store.get(Key("namespaces", "", "shop")) is None


def test_pods_of_a_deleted_namespace_go_before_everything_else(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    held = {"name": "held", "namespace": "shop", "finalizers": ["example.com/hold"]}
    internal_client.create(shop.world, "configmaps", {"metadata": held})
    shop.run(5)
    internal_client.delete(shop.world, Key("namespaces", "", "shop"))
    shop.run(5.5)
    assert [pod for pod in shop.pods() if "deletionTimestamp" not in pod["metadata"]] == []
    assert shop.world.store.get(WEB)["status"]["observedGeneration"] == 1
    assert remaining(shop) == {"ContentRemoved", "ContentHasNoFinalizers"}
    shop.run(5.5)
    assert shop.world.store.get(WEB) is None
    assert remaining(shop) == {"SomeResourcesRemain", "SomeFinalizersRemain"}
    key = Key("configmaps", "shop", "held")
    free = {**shop.world.store.get(key), "metadata": {"name": "held", "namespace": "shop"}}
    internal_client.update(shop.world, "configmaps", free)
    shop.run(8)
    assert shop.world.store.get(Key("namespaces", "", "shop")) is None


def remaining(shop: Any) -> set[str]:
    place = shop.world.store.get(Key("namespaces", "", "shop"))
    return {entry["reason"] for entry in place["status"]["conditions"][3:]}


def test_a_claim_gets_a_volume_where_its_pod_goes(shop: Any) -> None:
    shop.apply(
        """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
    )
    shop.run(2)
    claim = Key("persistentvolumeclaims", "shop", "data")
    assert shop.world.store.get(claim)["status"] == {"phase": "Pending"}
    assert shop.events("WaitForFirstConsumer") == [
        ("waiting for first consumer to be created before binding", 1)
    ]
    shop.apply(
        """
apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  containers:
  - name: db
    image: registry.example/shop/worker:1.0
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
    )
    shop.run(10)
    bound = shop.world.store.get(claim)
    assert bound["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
    }
    assert shop.pods()[0]["status"]["phase"] == "Running"
    internal_client.delete(shop.world, claim)
    shop.run(2)
    # A claim that a pod uses is protected.
    assert "deletionTimestamp" in shop.world.store.get(claim)["metadata"]
    internal_client.delete(shop.world, Key("pods", "shop", "db"))
    shop.run(60)
    assert shop.world.store.get(claim) is None
    assert shop.world.store.list("persistentvolumes") == []


def test_a_namespace_with_a_recreating_deployment_goes(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, strategy={"type": "Recreate"})
    set_image(shop, "web:1.1")
    shop.run(0.05)
    internal_client.delete(shop.world, Key("namespaces", "", "shop"))
    shop.run(30)
    assert shop.world.store.get(Key("namespaces", "", "shop")) is None
    assert shop.world.table("controllers.retries") == {}


def test_a_quota_is_counted_again_when_pods_go(shop: Any) -> None:
    quota = {"metadata": {"name": "pods", "namespace": "shop"}, "spec": {"hard": {"pods": "2"}}}
    internal_client.create(shop.world, "resourcequotas", quota)
    shop.apply(DEPLOYMENT)
    shop.run(5)
    change(shop, replicas=0)
    shop.run(5)
    counted = shop.world.store.get(Key("resourcequotas", "shop", "pods"))
    assert counted["status"] == {"hard": {"pods": "2"}, "used": {"pods": "0"}}


def test_a_deployment_that_goes_after_its_pods_still_counts_them(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(5)
    internal_client.delete(shop.world, WEB, "Foreground")
    shop.run(0.04)
    assert shop.world.store.get(WEB)["status"] | {"conditions": []} == {
        "observedGeneration": 2,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "terminatingReplicas": 0,
        "conditions": [],
    }
    shop.run(40)
    assert shop.world.store.get(WEB) is None
