"""Where kustomizations find labels, images and the names of others in objects of each kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object

# Kinds all of whose references to others are known here.
KINDS = frozenset({
    "ConfigMap", "CronJob", "DaemonSet", "Deployment", "Job", "Namespace", "PersistentVolumeClaim",
    "Pod", "Secret", "Service", "ServiceAccount", "StatefulSet",
})  # fmt: skip
CLUSTER_WIDE = frozenset({"Namespace"})
# What gets neither prefix nor suffix.
UNPREFIXED = frozenset({"Namespace"})
SCALED = frozenset({"Deployment", "StatefulSet"})

# Kinds in the order in which they are applied; all others come after them.
ORDER = (
    "Namespace", "ResourceQuota", "StorageClass", "CustomResourceDefinition", "ServiceAccount",
    "PodSecurityPolicy", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ConfigMap",
    "Secret", "Endpoints", "Service", "LimitRange", "PriorityClass", "PersistentVolume",
    "PersistentVolumeClaim", "Deployment", "StatefulSet", "CronJob", "PodDisruptionBudget",
)  # fmt: skip

_TEMPLATE = "spec/template/metadata"
_JOB_TEMPLATE = "spec/jobTemplate/spec/template/metadata"
SELECTORS = {
    "Service": ("spec/selector",),
    "Deployment": ("spec/selector/matchLabels",),
    "DaemonSet": ("spec/selector/matchLabels",),
    "StatefulSet": ("spec/selector/matchLabels",),
}
TEMPLATE_LABELS = {
    "Deployment": (f"{_TEMPLATE}/labels",),
    "DaemonSet": (f"{_TEMPLATE}/labels",),
    "StatefulSet": (f"{_TEMPLATE}/labels",),
    "Job": (f"{_TEMPLATE}/labels",),
    "CronJob": ("spec/jobTemplate/metadata/labels", f"{_JOB_TEMPLATE}/labels"),
}
TEMPLATE_ANNOTATIONS = {
    "Deployment": (f"{_TEMPLATE}/annotations",),
    "DaemonSet": (f"{_TEMPLATE}/annotations",),
    "StatefulSet": (f"{_TEMPLATE}/annotations",),
    "Job": (f"{_TEMPLATE}/annotations",),
    "CronJob": ("spec/jobTemplate/metadata/annotations", f"{_JOB_TEMPLATE}/annotations"),
}
_IMAGE = re.compile(r"(.*?)((?::[^/:@]*)?(?:@.*)?)", re.DOTALL)


def merge_at(obj: Object, path: str, pairs: dict[str, Any]) -> None:
    """Put pairs into a mapping of the object, which is made where there is none."""
    target: Any = obj
    for name in path.split("/"):
        if not isinstance(target.get(name), dict):
            target[name] = {}
        target = target[name]
    target.update(pairs)


def pod_spec(obj: Object) -> Object:
    """The spec of the pods of a workload, or an empty one."""
    spec = obj.get("spec") or {}
    if obj["kind"] == "CronJob":
        spec = spec.get("jobTemplate", {}).get("spec", {})
    found: Object = spec if obj["kind"] == "Pod" else (spec.get("template") or {}).get("spec") or {}
    return found


def has_affinity(obj: Object) -> bool:
    """Whether its pods select others by labels."""
    spec = pod_spec(obj)
    return bool(spec.get("affinity") or spec.get("topologySpreadConstraints"))


def containers(obj: Object) -> Iterator[Object]:
    """All containers of a pod or workload."""
    spec = pod_spec(obj)
    for field in ("containers", "initContainers"):
        yield from spec.get(field) or ()


def split_image(image: str) -> tuple[str, str]:
    """Name of an image, and its tag or digest with the sign before it."""
    found = _IMAGE.fullmatch(image)
    assert found is not None
    return found[1], found[2]


def references(obj: Object) -> Iterator[tuple[str, Object, str]]:
    """Kind, holder and key of each name of another object."""
    spec = pod_spec(obj)
    for container in containers(obj):
        for entry in container.get("env") or ():
            source = entry.get("valueFrom") or {}
            yield from _named(
                source, (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef"))
            )
        for entry in container.get("envFrom") or ():
            yield from _named(entry, (("ConfigMap", "configMapRef"), ("Secret", "secretRef")))
    for volume in spec.get("volumes") or ():
        yield from _named(volume, (("ConfigMap", "configMap"),))
        yield from _named(volume, (("Secret", "secret"),), "secretName")
        yield from _named(
            volume, (("PersistentVolumeClaim", "persistentVolumeClaim"),), "claimName"
        )
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield from _named(source, (("ConfigMap", "configMap"), ("Secret", "secret")))
    for holder in (*(spec.get("imagePullSecrets") or ()), *(obj.get("imagePullSecrets") or ())):
        if "name" in holder:
            yield "Secret", holder, "name"
    if "serviceAccountName" in spec:
        yield "ServiceAccount", spec, "serviceAccountName"
    if obj["kind"] == "StatefulSet" and "serviceName" in obj["spec"]:
        yield "Service", obj["spec"], "serviceName"


def _named(
    holder: Object, fields: tuple[tuple[str, str], ...], key: str = "name"
) -> Iterator[tuple[str, Object, str]]:
    for kind, field in fields:
        if isinstance(holder.get(field), dict) and key in holder[field]:
            yield kind, holder[field], key
