"""Pods that follow their workloads, one controller for all kinds of workload."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from typing import TYPE_CHECKING, TypeAlias

from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces.cluster import KubeObject

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
HASH_LABEL = "pod-template-hash"

Objects: TypeAlias = "dict[ObjectRef, KubeObject]"
Starts: TypeAlias = "Callable[[KubeObject], bool]"


def starts_always(_pod: KubeObject) -> bool:
    """Every pod becomes ready."""
    return True


def reconcile(objects: Objects, starts: Starts) -> None:
    """Bring pods in line with workloads once.

    As on a real cluster, a rolling update keeps old pods until the new ones are ready; the
    strategy `Recreate` removes them first.
    """
    workloads = [ref for ref in objects if ref.kind in WORKLOADS]
    for ref in [ref for ref in objects if ref.kind == "Pod"]:
        owner = objects[ref]["metadata"].get("ownerReferences", [{}])[0]
        if not any((w.kind, w.name) == (owner.get("kind"), owner.get("name")) for w in workloads):
            del objects[ref]
    for ref in workloads:
        _reconcile_workload(objects, ref, starts)


def _reconcile_workload(
    objects: Objects,
    ref: ObjectRef,
    starts: Starts,
) -> None:
    workload = objects[ref]
    spec = workload["spec"]
    revision = _revision(spec["template"])
    wanted = 1 if ref.kind == "DaemonSet" else spec.get("replicas", 1)
    names = [f"{ref.name}-{revision}-{number}" for number in range(wanted)]
    old = [
        pod
        for pod in objects
        if pod.kind == "Pod"
        and objects[pod]["metadata"]["ownerReferences"][0]["name"] == ref.name
        and pod.name not in names
    ]
    if wanted == 0 or spec.get("strategy", {}).get("type") == "Recreate":
        for pod in old:
            del objects[pod]
        old = []
    for name in names:
        address = ObjectRef(api_version="v1", kind="Pod", namespace=ref.namespace, name=name)
        pod_object = objects.get(address) or _pod(workload, address, revision)
        if not _running(pod_object):
            _set_ready(pod_object, _mountable(objects, pod_object) and starts(pod_object))
        objects[address] = pod_object
    ready = sum(_running(pod) for pod in objects.values() if pod["metadata"]["name"] in names)
    if ready == wanted:
        for pod in old:
            del objects[pod]
    kept = 0 if ready == wanted else len(old)
    workload["status"] = {
        "observedGeneration": workload["metadata"]["generation"],
        "replicas": wanted + kept,
        "updatedReplicas": wanted,
        "readyReplicas": ready + kept,
        "desiredNumberScheduled": wanted,
        "updatedNumberScheduled": wanted,
        "numberReady": ready,
    }


def _pod(workload: KubeObject, address: ObjectRef, revision: str) -> KubeObject:
    template = deepcopy(workload["spec"]["template"])
    owner = {"kind": workload["kind"], "name": workload["metadata"]["name"], "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": address.name,
            "namespace": address.namespace,
            "labels": {**template["metadata"]["labels"], HASH_LABEL: revision},
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }


def _mountable(objects: Objects, pod: KubeObject) -> bool:
    """Whether all ConfigMaps that the pod mounts exist."""
    names = [
        volume["configMap"]["name"]
        for volume in pod["spec"].get("volumes") or []
        if "configMap" in volume
    ]
    namespace = pod["metadata"]["namespace"]
    return all(
        ObjectRef(api_version="v1", kind="ConfigMap", namespace=namespace, name=name) in objects
        for name in names
    )


def _set_ready(pod: KubeObject, ready: bool) -> None:
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    pod["status"] = {"phase": "Running" if ready else "Pending", "conditions": [condition]}


def _running(pod: KubeObject) -> bool:
    return bool(pod.get("status", {}).get("phase") == "Running")


def _revision(template: KubeObject) -> str:
    text = json.dumps(template, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=5).hexdigest()
