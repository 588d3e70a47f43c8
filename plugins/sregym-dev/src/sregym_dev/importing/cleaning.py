"""Objects as they were found, made into those of one application in its own namespace."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from sregym_core.model import WORKLOAD_KINDS, ObjectRef, pod_spec, pod_template

from sregym_dev.importing.object_checks import MISREAD, try_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.remarks import Remarks

CLUSTER_WIDE = (
    *("Namespace", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition"),
    *("PersistentVolume", "StorageClass", "PriorityClass", "IngressClass", "CSIDriver"),
    *("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "APIService"),
)
# What a cluster writes itself: the answers of `kubectl get -o yaml` hold it.
_OF_THE_CLUSTER = (
    *("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"),
    *("selfLink", "ownerReferences", "deletionTimestamp", "deletionGracePeriodSeconds"),
)
_MADE_BY_CLUSTERS = {"Endpoints", "EndpointSlice", "Event", "Node", "ControllerRevision", "Lease"}
_WITH_SPEC = ("Service", "Ingress", "PersistentVolumeClaim", "CustomResourceDefinition")
_NOT_OURS = ("kube-system", "kube-public", "kube-node-lease")
# Versions that have gone -> their successors with the same fields.
_SUCCEEDED = {
    ("extensions/v1beta1", "Deployment"): "apps/v1",
    ("apps/v1beta1", "Deployment"): "apps/v1",
    ("apps/v1beta2", "Deployment"): "apps/v1",
    ("apps/v1beta1", "StatefulSet"): "apps/v1",
    ("apps/v1beta2", "StatefulSet"): "apps/v1",
    ("extensions/v1beta1", "DaemonSet"): "apps/v1",
    ("apps/v1beta2", "DaemonSet"): "apps/v1",
    ("batch/v1beta1", "CronJob"): "batch/v1",
    ("policy/v1beta1", "PodDisruptionBudget"): "policy/v1",
    ("rbac.authorization.k8s.io/v1beta1", "Role"): "rbac.authorization.k8s.io/v1",
    ("rbac.authorization.k8s.io/v1beta1", "RoleBinding"): "rbac.authorization.k8s.io/v1",
}
_GONE = re.compile(r"^(extensions|apps|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)/v\d(alpha|beta)\d$")  # fmt: skip
# Words that the contract of applications refuses in objects: agents read these.
_TELLING = re.compile(r"\b(sregym|faults?|chaos|benchmark|inject\w*)\b", re.IGNORECASE)
_TEST_HOOKS = ("test", "test-success", "test-failure")
_DELETING_HOOKS = ("pre-delete", "post-delete", "pre-rollback", "post-rollback")


def cleaned(objects: Iterable[KubeObject], name: str, remarks: Remarks) -> list[KubeObject]:
    """The objects that an application can have, each in one of its namespaces.

    Args:
        objects: As they were read; they stay as they are.
        name: Of the application, and of the namespace of what has none.
        remarks: What is changed and left out is added.
    """
    every = list(objects)
    definitions = {
        (spec.get("group"), (spec.get("names") or {}).get("kind"))
        for obj in every
        if obj["kind"] == "CustomResourceDefinition" and isinstance(spec := obj.get("spec"), dict)
    }
    found: dict[ObjectRef, KubeObject] = {}
    for obj in every:
        where = _shown(obj)
        try:
            reason = _why_not(obj, definitions)
            if reason:
                remarks.left_out(where, reason)
                continue
            one = _own(obj, name, remarks)
            try_alone(one)
        except MISREAD as error:
            remarks.left_out(
                where, f"a field of it has another form than Kubernetes gives it: {error}"
            )
            continue
        if ObjectRef.of(one) in found:
            remarks.left_out(where, "stands twice; the first counts")
            continue
        found[ObjectRef.of(one)] = one
    spaces = namespaces_of(found.values())
    for space in spaces:
        ref = ObjectRef(api_version="v1", kind="Namespace", namespace="", name=space)
        if ref not in found:
            found[ref] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
    return list(found.values())


def namespaces_of(objects: Iterable[KubeObject]) -> list[str]:
    """The namespaces that objects stand in, in order."""
    return list(
        dict.fromkeys(
            obj["metadata"]["namespace"] for obj in objects if obj["metadata"].get("namespace")
        )
    )


def _shown(obj: KubeObject) -> str:
    return f"{obj['kind']}/{obj['metadata']['name']}"


def _why_not(obj: KubeObject, definitions: set[tuple[Any, Any]]) -> str:
    group, _, _ = obj["apiVersion"].rpartition("/")
    metadata = obj["metadata"]
    if not isinstance(metadata.get("namespace"), str | None):
        return "its namespace is no text"
    hooks = str((metadata.get("annotations") or {}).get("helm.sh/hook", "")).split(",")
    if set(hooks) & {*_TEST_HOOKS, *_DELETING_HOOKS}:
        return f"Helm runs it as the hook {hooks[0]!r} alone"
    if obj["kind"] in _MADE_BY_CLUSTERS:
        return "clusters make it themselves"
    if metadata.get("ownerReferences"):
        owner = metadata["ownerReferences"][0]
        return f"{owner.get('kind')}/{owner.get('name')} makes it"
    if metadata.get("namespace") in _NOT_OURS:
        return f"stands in the namespace {metadata['namespace']!r} of the cluster itself"
    if _GONE.match(obj["apiVersion"]) and (obj["apiVersion"], obj["kind"]) not in _SUCCEEDED:
        return f"{obj['apiVersion']} has gone from Kubernetes"
    custom = "." in group and not group.endswith(".k8s.io")
    if custom and (group, obj["kind"]) not in definitions:
        return (
            f"no CustomResourceDefinition of {obj['kind']} in {group} is among the files, and what its "
            "operator makes of it is not known"
        )
    if obj["kind"] in WORKLOAD_KINDS:
        return _why_no_workload(obj)
    if obj["kind"] in _WITH_SPEC and not isinstance(obj.get("spec"), dict):
        return "has no 'spec'"
    if obj["kind"] == "Service":
        ports = obj["spec"].get("ports") or ()
        if not all(isinstance(one, dict) and isinstance(one.get("port"), int) for one in ports):
            return "a port of it has no number"
    return ""


def _why_no_workload(obj: KubeObject) -> str:
    containers = pod_spec(obj).get("containers")
    if not isinstance(containers, list) or not containers:
        return "has no containers"
    for index, one in enumerate(containers):
        if not isinstance(one, dict) or not one.get("name") or not one.get("image"):
            return f"container {index} of its pods has no name or no image"
    return ""


def _own(obj: KubeObject, name: str, remarks: Remarks) -> KubeObject:
    """A copy without what the cluster wrote, in a namespace, and in a version that there is."""
    one = copy.deepcopy(obj)
    one.pop("status", None)
    for field in _OF_THE_CLUSTER:
        one["metadata"].pop(field, None)
    where = _shown(one)
    version = _SUCCEEDED.get((one["apiVersion"], one["kind"]))
    if version:
        remarks.changed(where, f"{one['apiVersion']} is {version} now")
        one["apiVersion"] = version
        if one["kind"] in ("Deployment", "StatefulSet", "DaemonSet"):
            labels = (one["spec"]["template"].get("metadata") or {}).get("labels") or {}
            one["spec"].setdefault("selector", {"matchLabels": labels})
    if one["kind"] not in CLUSTER_WIDE:
        space = one["metadata"].get("namespace")
        if space == "default":
            remarks.changed(where, f"stands in the namespace {name!r} in place of 'default'")
        one["metadata"]["namespace"] = name if space in (None, "", "default") else space
    one = dict(_renamed(one, name))
    _reworded(one, where, remarks)
    _placed(one, where, remarks)
    return one


def _renamed(value: Any, name: str) -> Any:
    """The same with names of the namespace `default` in texts and subjects changed."""
    if isinstance(value, str):
        return value.replace(".default.svc", f".{name}.svc")
    if isinstance(value, list):
        return [_renamed(one, name) for one in value]
    if isinstance(value, dict):
        found = {key: _renamed(one, name) for key, one in value.items()}
        if found.get("kind") == "ServiceAccount" and found.get("namespace") == "default":
            found["namespace"] = name
        return found
    return value


def _reworded(obj: KubeObject, where: str, remarks: Remarks) -> None:
    """Take out annotations that agents must not read, and say where other such words stand."""
    template = pod_template(obj) if obj["kind"] in WORKLOAD_KINDS else {}
    for metadata in (obj["metadata"], template.get("metadata") or {}):
        notes = metadata.get("annotations") or {}
        for key in [key for key, text in notes.items() if _TELLING.search(f"{key} {text}")]:
            del notes[key]
            remarks.left_out(where, f"its annotation {key!r}: the word would mislead agents")
        metadata.pop("annotations", None) if not notes else None
    for word in sorted({found[0].lower() for text in _texts(obj) for found in _TELLING.finditer(text)}):  # fmt: skip
        remarks.guessed(where, f"has the word {word!r}, which the contract test refuses; reword it")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield str(key)
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _placed(obj: KubeObject, where: str, remarks: Remarks) -> None:
    """Take out what names nodes, addresses and storage of one cluster."""
    spec = obj.get("spec") or {}
    if obj["kind"] == "Service":
        for field in ("clusterIP", "clusterIPs"):
            if spec.get(field) not in (None, "None", ["None"]):
                del spec[field]
                remarks.left_out(where, f"its {field}, which is one of another cluster")
    claims = [obj] if obj["kind"] == "PersistentVolumeClaim" else spec.get("volumeClaimTemplates")
    for claim in claims or ():
        _default_storage(claim["spec"], where, remarks)
    pod = pod_spec(obj) if obj["kind"] in WORKLOAD_KINDS else {}
    foreign = [key for key in pod.get("nodeSelector") or {} if key != "kubernetes.io/os"]
    for key in foreign:
        del pod["nodeSelector"][key]
        remarks.left_out(
            where, f"its nodeSelector {key!r}: nodes of other clusters have no such label"
        )


def _default_storage(spec: dict[str, Any], where: str, remarks: Remarks) -> None:
    given = spec.get("storageClassName")
    if given not in (None, "", "standard"):
        del spec["storageClassName"]
        remarks.left_out(where, f"its storage class {given!r}: the default of the cluster is taken")
    if spec.pop("volumeName", None):
        remarks.left_out(where, "its volumeName, which is one of another cluster")


def workloads_of(objects: Iterable[KubeObject]) -> Sequence[KubeObject]:
    """The workloads among objects, in order."""
    return [obj for obj in objects if obj["kind"] in WORKLOAD_KINDS]
