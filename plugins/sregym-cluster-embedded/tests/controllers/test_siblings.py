"""ReplicationControllers, claims of ephemeral volumes, Jobs of others, faster StatefulSet updates."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

CONTROLLER = """
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: "registry.example/shop/web:1.0"}]}
"""
CLASS = {
    "metadata": {"name": "late"},
    "provisioner": "kubernetes.io/no-provisioner",
    "volumeBindingMode": "WaitForFirstConsumer",
}
WITH_VOLUME = {
    "metadata": {"name": "box", "namespace": "shop"},
    "spec": {
        "containers": [{"name": "c", "image": "registry.example/shop/worker:1.0"}],
        "volumes": [
            {
                "name": "scratch",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {
                            "storageClassName": "late",
                            "accessModes": ["ReadWriteOnce"],
                            "resources": {"requests": {"storage": "1Gi"}},
                        }
                    }
                },
            }
        ],
    },
}


def volume(name: str, node: str, size: str) -> Any:
    entry = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {
        "metadata": {"name": name},
        "spec": {
            "storageClassName": "late",
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "local": {"path": "/var/tmp"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [entry]}]}},
        },
    }


def replication_controller(shop: Any, replicas: int = 2) -> Any:
    import yaml

    obj = yaml.safe_load(CONTROLLER)
    obj["metadata"]["namespace"] = "shop"
    obj["spec"]["replicas"] = replicas
    return obj


def test_a_replication_controller_keeps_its_pods(shop: Any) -> None:
    made = internal_client.create(
        shop.world, "replicationcontrollers", replication_controller(shop)
    )
    shop.run(5)
    pods = shop.pods()
    assert [pod["metadata"]["ownerReferences"][0]["kind"] for pod in pods] == [
        "ReplicationController",
        "ReplicationController",
    ]
    key = Key("replicationcontrollers", "shop", "old")
    assert shop.world.store.get(key)["status"] == {
        "replicas": 2,
        "fullyLabeledReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "observedGeneration": 1,
    }
    created = [
        entry
        for entry in shop.world.store.list("events", "shop")
        if entry["reason"] == "SuccessfulCreate"
    ]
    assert {entry["source"]["component"] for entry in created} == {"replication-controller"}
    internal_client.update(
        shop.world, "replicationcontrollers", {**made, "spec": {**made["spec"], "replicas": 0}}
    )
    shop.run(40)
    assert shop.pods() == []


def test_an_ephemeral_volume_gets_a_claim_that_belongs_to_the_pod(shop: Any) -> None:
    world = shop.world
    internal_client.create(world, "storageclasses.storage.k8s.io", CLASS)
    internal_client.create(world, "persistentvolumes", volume("small", "node2", "2Gi"))
    internal_client.create(world, "persistentvolumes", volume("large", "node1", "9Gi"))
    internal_client.create(world, "pods", WITH_VOLUME)
    shop.run(10)
    claim = world.store.get(Key("persistentvolumeclaims", "shop", "box-scratch"))
    (owner,) = claim["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("Pod", "box")
    (pod,) = shop.pods()
    home = {"small": "node2", "large": "node1"}[claim["spec"]["volumeName"]]
    assert (pod["spec"]["nodeName"], pod["status"]["phase"]) == (home, "Running")
    assert shop.events("FailedScheduling") == [
        (
            "0/2 nodes are available: waiting for ephemeral volume controller to create the "
            'persistentvolumeclaim "box-scratch". not found',
            1,
        )
    ]


def test_without_a_volume_in_reach_the_pod_waits(shop: Any) -> None:
    world = shop.world
    internal_client.create(world, "storageclasses.storage.k8s.io", CLASS)
    internal_client.create(world, "pods", WITH_VOLUME)
    shop.run(5)
    said = [message for message, _ in shop.events("FailedScheduling")]
    assert said[-1] == (
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. "
        "no new claims to deallocate, preemption: 0/2 nodes are available: "
        "2 Preemption is not helpful for scheduling."
    )


def test_a_job_of_somebody_else_is_left_alone(shop: Any) -> None:
    container = {"name": "c", "image": "registry.example/library/busybox:1.36"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    job = {
        "metadata": {"name": "far", "namespace": "shop"},
        "spec": {"managedBy": "example.com/other", "template": template},
    }
    internal_client.create(shop.world, "jobs.batch", job)
    shop.run(5)
    assert shop.pods() == []


def test_max_unavailable_lets_a_set_replace_two_pods_at_once(shop: Any) -> None:
    shop.apply(
        """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 4
  serviceName: db
  podManagementPolicy: Parallel
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 2}}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: "registry.example/shop/web:1.0"}]
"""
    )
    shop.run(10)
    place = Key("statefulsets.apps", "shop", "db")
    obj = shop.world.store.get(place)
    container = {"name": "db", "image": "registry.example/shop/web:1.1"}
    template = {**obj["spec"]["template"], "spec": {"containers": [container]}}
    internal_client.update(
        shop.world, place.resource, {**obj, "spec": {**obj["spec"], "template": template}}
    )
    shop.run(0.1)
    leaving = [
        pod["metadata"]["name"] for pod in shop.pods() if "deletionTimestamp" in pod["metadata"]
    ]
    assert leaving == ["db-2", "db-3"]


def test_endpoints_are_hinted_to_the_nodes_of_their_pods(shop: Any) -> None:
    shop.apply(
        """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {kubernetes.io/hostname: node2}
      containers: [{name: web, image: "registry.example/shop/web:1.0"}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}], trafficDistribution: PreferSameNode}
"""
    )
    shop.run(5)
    (entry,) = shop.world.store.list("endpointslices.discovery.k8s.io", "shop")
    (endpoint,) = entry["endpoints"]
    assert endpoint["hints"] == {"forNodes": [{"name": "node2"}]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            {"hostPath": {"path": "/var/data"}},
            "host_path deleter only supports /tmp/.+ but received provided /var/data",
        ),
        (
            {"nfs": {"server": "10.0.0.1", "path": "/"}},
            'error getting deleter volume plugin for volume "pv": no deletable volume plugin matched',
        ),
        ({"hostPath": {"path": "/tmp/data"}}, None),
    ],
)
def test_volumes_that_nobody_can_delete_have_failed(
    shop: Any, source: Any, message: str | None
) -> None:
    world = shop.world
    spec = {
        "storageClassName": "manual",
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Delete",
        **source,
    }
    internal_client.create(world, "persistentvolumes", {"metadata": {"name": "pv"}, "spec": spec})
    claim = {
        "storageClassName": "manual",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    metadata = {"name": "data", "namespace": "shop"}
    internal_client.create(world, "persistentvolumeclaims", {"metadata": metadata, "spec": claim})
    shop.run(2)
    internal_client.delete(world, Key("persistentvolumeclaims", "shop", "data"))
    shop.run(2)
    left = world.store.get(Key("persistentvolumes", "", "pv"))
    if message is None:
        assert left is None
        return
    status = {name: left["status"][name] for name in ("phase", "message")}
    assert status == {"phase": "Failed", "message": message}
    said = [e["message"] for e in world.store.list("events", "default")]
    assert message in said


def test_a_claim_says_again_and_again_what_it_waits_for(shop: Any) -> None:
    world = shop.world
    internal_client.create(world, "storageclasses.storage.k8s.io", CLASS)
    internal_client.create(world, "pods", WITH_VOLUME)
    shop.run(61)
    ((message, count),) = shop.events("WaitForPodScheduled")
    assert (message, count >= 4) == ("waiting for pod box to be scheduled", True)
