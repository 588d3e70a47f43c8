"""Configuration objects of a cluster: capture them, compare them, give them back.

What the system makes by itself (pods of a ReplicaSet, EndpointSlices, events) is no configuration;
it follows. What the server fills in by its own choice (uids, addresses) is not compared.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef

from sregym_kubernetes.operations.role import SYSTEM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

# In the order in which they are given back: what others refer to comes first.
NAMESPACED = (
    ("v1", "ServiceAccount"),
    ("v1", "Secret"),
    ("v1", "ConfigMap"),
    ("v1", "LimitRange"),
    ("v1", "ResourceQuota"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Service"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("networking.k8s.io/v1", "Ingress"),
    ("policy/v1", "PodDisruptionBudget"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("v1", "Pod"),
)
# What decides over writes, those of recovery among them.
ADMISSION = (
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"),
)
LIMITS = (("v1", "LimitRange"), ("v1", "ResourceQuota"))
DEFINITION = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
CLUSTER_WIDE = (
    ("v1", "Node"),
    DEFINITION,
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("networking.k8s.io/v1", "IngressClass"),
    *ADMISSION,
)
SYSTEM_NAMESPACE = "kube-system"
# How labels begin that say which standard of pod security a namespace keeps.
_STANDARDS = "pod-security.kubernetes.io/"
# Controllers settle after a few writes; one that goes on after so many conflicts with another writer.
CONFLICTS = 20
# Of what is deleted everything has gone by then, or something holds it.
GONE_S = 60.0

_VOLATILE_METADATA = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
_VOLATILE_ANNOTATIONS = (
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubernetes.io/change-cause",
    "deprecated.daemonset.template.generation",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
)
# Of which kinds the controllers that come with Kubernetes make objects.
_CONTROLLERS = {
    "Pod": ("ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController", "Node"),
    "Job": ("CronJob",),
    "PersistentVolumeClaim": ("StatefulSet", "Pod"),
}
# What Helm keeps of a revision of a release.
_HELM_REVISION = "helm.sh/release.v1"
_JOB_LABELS = ("controller-uid", "job-name")
_ASSIGNED_SPEC = {
    "Service": ("clusterIP", "clusterIPs"),
    "PersistentVolumeClaim": ("volumeName",),
    "Node": ("podCIDR", "podCIDRs", "providerID"),
}


def desired(obj: KubeObject) -> KubeObject:
    """The part of an object that people decide: no status, nothing the server chose."""
    metadata = {
        key: value for key, value in obj["metadata"].items() if key not in _VOLATILE_METADATA
    }
    annotations = {
        key: value
        for key, value in (metadata.pop("annotations", None) or {}).items()
        if key not in _VOLATILE_ANNOTATIONS
    }
    if annotations:
        metadata["annotations"] = annotations
    wanted = {key: value for key, value in obj.items() if key not in ("status", "metadata")}
    wanted["metadata"] = metadata
    if obj["kind"] == "Job":
        _without_generated(wanted)
    assigned = _ASSIGNED_SPEC.get(obj["kind"], ())
    if assigned and isinstance(wanted.get("spec"), dict):
        spec = {key: value for key, value in wanted["spec"].items() if key not in assigned}
        wanted["spec"] = spec
    return wanted


def _without_generated(job: KubeObject) -> None:
    """Take out by which labels a Job finds its pods: the server chooses them for each anew."""
    if not job["spec"].get("manualSelector"):
        template = dict(job["spec"].get("template") or {})
        template["metadata"] = _without_job_labels(template.get("metadata") or {})
        spec = {key: value for key, value in job["spec"].items() if key != "selector"}
        job["spec"] = {**spec, "template": template}
        job["metadata"] = _without_job_labels(job["metadata"])


def _without_job_labels(metadata: KubeObject) -> KubeObject:
    labels = {
        name: value
        for name, value in (metadata.get("labels") or {}).items()
        if name.rpartition("/")[2] not in _JOB_LABELS
    }
    rest = {key: value for key, value in metadata.items() if key != "labels"}
    return {**rest, "labels": labels} if labels else rest


def capture(cluster: Cluster, namespaces: tuple[str, ...]) -> dict[str, KubeObject]:
    """All configuration objects as they are, by `str(ObjectRef)`."""
    found: dict[str, KubeObject] = {}
    for namespace in (*namespaces, SYSTEM_NAMESPACE):
        for api_version, kind in NAMESPACED:
            for obj in _list(cluster, api_version, kind, namespace):
                if not _made_by_the_system(obj):
                    found[str(ObjectRef.of(obj))] = obj
    for api_version, kind in CLUSTER_WIDE:
        for obj in _list(cluster, api_version, kind, ""):
            found[str(ObjectRef.of(obj))] = obj
            if kind == DEFINITION[1]:
                found |= _custom_objects(cluster, obj, namespaces)
    return found


def _custom_objects(
    cluster: Cluster, definition: KubeObject, namespaces: tuple[str, ...]
) -> dict[str, KubeObject]:
    """The custom resources of a definition that people declared in these namespaces."""
    spec = definition["spec"]
    if spec["scope"] != "Namespaced":
        return {}
    version = next((one["name"] for one in spec["versions"] if one.get("storage")), "")
    return {
        str(ObjectRef.of(obj)): obj
        for namespace in namespaces
        for obj in _list(cluster, f"{spec['group']}/{version}", spec["names"]["kind"], namespace)
        if not obj["metadata"].get("ownerReferences")
    }


def digest(objects: Mapping[str, KubeObject], hidden: Mapping[str, str]) -> str:
    """One number for a configuration and the state outside the API, hexadecimal."""
    state = {name: desired(obj) for name, obj in objects.items()}
    text = json.dumps([state, dict(hidden)], sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def differences(before: Mapping[str, KubeObject], after: Mapping[str, KubeObject]) -> Iterator[str]:
    """What differs between two captures, one phrase for each object, sorted."""
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"{name} is missing"
        elif name not in before:
            yield f"{name} is new"
        elif desired(before[name]) != desired(after[name]):
            path = _first_difference(desired(before[name]), desired(after[name]))
            yield f"{name} differs at {path}"


def restore(
    cluster: Cluster, baseline: Mapping[str, KubeObject], namespaces: tuple[str, ...]
) -> None:
    """Make the configuration equal to the baseline again, object by object; what goes has gone then."""
    current = capture(cluster, namespaces)
    added = [ObjectRef.of(current[name]) for name in sorted(current.keys() - baseline.keys())]
    for ref in added:
        cluster.delete(ref)
    for name in sorted(baseline, key=_place_of(baseline)):
        if name not in current:
            create_anew(cluster, baseline[name])
        elif desired(current[name]) != desired(baseline[name]):
            restore_object(cluster, baseline[name], current[name])
    # Pods take their time to end, as long as they were given.
    cluster.clock.wait_until(lambda: all(cluster.get(ref) is None for ref in added), GONE_S)


def remove_blockers(
    cluster: Cluster, baseline: Mapping[str, KubeObject], namespaces: tuple[str, ...]
) -> None:
    """Take away what would refuse the writes of recovery and is not of the baseline."""
    found = [obj for version, kind in ADMISSION for obj in _list(cluster, version, kind, "")]
    for namespace in namespaces:
        _lower_enforcement(cluster, namespace)
        for version, kind in LIMITS:
            found += _list(cluster, version, kind, namespace)
    for obj in found:
        ref = ObjectRef.of(obj)
        before = baseline.get(str(ref))
        if before is None:
            cluster.delete(ref)
        elif desired(before) != desired(obj):
            restore_object(cluster, before, obj)


def _lower_enforcement(cluster: Cluster, namespace: str) -> None:
    """Take from a namespace the standard that pods have to meet there: no application here sets one."""
    ref = ObjectRef(api_version="v1", kind="Namespace", name=namespace)
    found = cluster.get(ref) or {"metadata": {}}
    labels = [name for name in found["metadata"].get("labels") or {} if name.startswith(_STANDARDS)]
    if labels:
        cluster.patch(ref, {"metadata": {"labels": dict.fromkeys(labels)}}, "merge")


def recreate_namespaces(
    cluster: Cluster, namespaces: Sequence[KubeObject], baseline: Mapping[str, KubeObject]
) -> None:
    """Make namespaces anew that were deleted, with all that was in them.

    Args:
        cluster: Where.
        namespaces: The Namespace objects of the application.
        baseline: What was in them.
    """
    gone = []
    for obj in namespaces:
        current = cluster.get(ObjectRef.of(obj))
        if current is None or "deletionTimestamp" in current["metadata"]:
            gone.append(obj["metadata"]["name"])
            create_anew(cluster, obj)
    for name in sorted(baseline, key=_place_of(baseline)):
        obj = baseline[name]
        if obj["metadata"].get("namespace") in gone:
            create_anew(cluster, obj)


def _place_of(baseline: Mapping[str, KubeObject]) -> Callable[[str], tuple[int, str]]:
    """The order in which objects are given back."""
    order = {kind: place for place, (_, kind) in enumerate((*NAMESPACED, *CLUSTER_WIDE))}
    # Custom resources come last: after their definitions, and after what their operators need.
    return lambda name: (order.get(baseline[name]["kind"], len(order)), name)


def create_anew(cluster: Cluster, obj: KubeObject) -> None:
    """Create an object that may still be in the course of being deleted."""
    ref = ObjectRef.of(obj)
    # What is still being deleted has to go before its successor can come.
    cluster.clock.wait_until(lambda: cluster.get(ref) is None, 60.0)
    cluster.create(desired(obj))


def restore_object(cluster: Cluster, wanted: KubeObject, current: KubeObject) -> None:
    """Give an object its state; one with a field that cannot be changed in place is recreated."""
    body = desired(wanted)
    if current["kind"] == "Job" and "selector" in current["spec"]:
        template = current["spec"]["template"]
        same = desired(current)["spec"]["template"] == body["spec"]["template"]
        if same:  # the server refuses changes of a selector
            kept = {"selector": current["spec"]["selector"], "template": template}
            body = {**body, "spec": {**body["spec"], **kept}}
    try:
        replace_current(cluster, body, current)
    except ClusterError as error:
        if error.status != 422:
            raise
        cluster.delete(ObjectRef.of(wanted))
        create_anew(cluster, wanted)


def restore_by_ref(cluster: Cluster, ref: ObjectRef, before: KubeObject | None) -> None:
    """Give an object its former state, whatever it is now; None: delete it."""
    current = cluster.get(ref)
    if before is None:
        cluster.delete(ref)
    elif current is None:
        create_anew(cluster, before)
    elif desired(current) != desired(before):
        restore_object(cluster, before, current)


def replace_current(cluster: Cluster, body: KubeObject, current: KubeObject) -> None:
    """Replace what is there by `body`, keeping what the server chose.

    Where controllers write the same object meanwhile, it is read again and replaced then.
    """
    seen: KubeObject | None = current
    for _ in range(CONFLICTS):
        if seen is None:
            break
        metadata = {**body["metadata"], "resourceVersion": seen["metadata"]["resourceVersion"]}
        replacement = {**body, "metadata": metadata}
        fields = _ASSIGNED_SPEC.get(body["kind"], ())
        kept = {field: seen["spec"][field] for field in fields if field in seen.get("spec", {})}
        if kept:
            replacement["spec"] = {**body["spec"], **kept}
        try:
            cluster.replace(replacement)
        except ClusterError as error:
            if error.status != 409:
                raise
            seen = cluster.get(ObjectRef.of(body))
        else:
            return
    msg = f"{ObjectRef.of(body)} could not be restored: others kept changing or deleted it"
    raise WorldError(msg)


def _list(cluster: Cluster, api_version: str, kind: str, namespace: str) -> list[KubeObject]:
    try:
        return cluster.list(api_version, kind, namespace)
    except ClusterError as error:
        if error.status == 404:  # this cluster does not serve the kind, so there is none
            return []
        raise


def _controls(owner: KubeObject, kind: str) -> bool:
    """Whether an owner is a controller that makes objects of a kind: anybody may write that it is one."""
    if not owner.get("controller"):
        return False
    built_in = owner.get("apiVersion") in ("v1", "apps/v1", "batch/v1")
    return not built_in or owner.get("kind") in _CONTROLLERS.get(kind, ())


def _made_by_the_system(obj: KubeObject) -> bool:
    metadata = obj["metadata"]
    if any(_controls(owner, obj["kind"]) for owner in metadata.get("ownerReferences", ())):
        return True
    if obj["kind"] == "RoleBinding" and metadata.get("namespace") == SYSTEM_NAMESPACE:
        # That of an agent in namespaces with a suffix: it comes and goes with another episode.
        return bool(metadata["name"].startswith(f"{SYSTEM}-"))
    if obj["kind"] == "ServiceAccount":
        return bool(metadata["name"] == "default")
    if obj["kind"] == "Secret" and obj.get("type") == _HELM_REVISION:
        # The history of a release, as old ReplicaSets are that of a Deployment.
        return bool(metadata["name"].startswith("sh.helm.release.v1."))
    return bool(obj["kind"] == "ConfigMap" and metadata["name"] == "kube-root-ca.crt")


def _first_difference(before: Any, after: Any, path: str = "") -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                step = f"{path}.{key}" if path else str(key)
                return _first_difference(before.get(key), after.get(key), step)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                return _first_difference(old, new, f"{path}[{index}]")
    return f"{path}: {_short(before)} became {_short(after)}"


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else f"{text[:57]}..."
