"""Fields that cannot change once an object exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.claim_growth import capacity_bytes, requested_bytes
from sregym_cluster_embedded.api.validation import causes, internal_types, pod_changes, ranges

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

_STATEFUL_FREE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_STATEFUL_TEXT = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
    "'minReadySeconds' are forbidden"
)
_CLAIM_TEXT = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for "
    "bound claims"
)
_STORAGE = "spec.resources.requests.storage"
_JOB_FIXED = (
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
)
_JOB_FREE = ("affinity", "nodeSelector", "schedulingGates", "tolerations")
_FIXED = {
    "ingressclasses.networking.k8s.io": ("spec.controller",),
    "runtimeclasses.node.k8s.io": ("handler",),
    "resourcequotas": ("spec.scopes",),
    "endpointslices.discovery.k8s.io": ("addressType",),
    "controllerrevisions.apps": ("data",),
    "volumeattachments.storage.k8s.io": ("spec",),
    "ipaddresses.networking.k8s.io": ("spec.parentRef",),
}
_SELECTED = ("deployments.apps", "replicasets.apps", "daemonsets.apps")


def changed(kind: Resource, old: Object, new: Object) -> tuple[list[Cause], list[Cause]]:
    """The causes that the server finds before, and those it finds after, it looks at the rest."""
    before, after = old.get("spec", {}), new.get("spec", {})
    if kind.name in _SELECTED:
        return [], _same("spec.selector", before.get("selector"), after.get("selector"))
    if kind.name == "statefulsets.apps":
        fixed = (before.keys() | after.keys()) - set(_STATEFUL_FREE)
        differs = any(before.get(field) != after.get(field) for field in fixed)
        return [], [causes.forbidden("spec", _STATEFUL_TEXT)] if differs else []
    if kind.name == "pods":
        return [], pod_changes.changed(before, after)
    if kind.name == "jobs.batch":
        found = [
            cause
            for field in _JOB_FIXED
            for cause in _same(f"spec.{field}", before.get(field), after.get(field))
        ]
        return [], [*_completions(before, after), *found, *_job_template(before, after)]
    if kind.name == "services":
        return _service(before, after), []
    if kind.name in ("configmaps", "secrets"):
        return _data(kind, old, new), []
    if kind.name == "persistentvolumeclaims":
        return [], _claim(old, new)
    if kind.name in (
        "rolebindings.rbac.authorization.k8s.io",
        "clusterrolebindings.rbac.authorization.k8s.io",
    ):
        return [], _role(old["roleRef"], new.get("roleRef", {}))
    if kind.name == "customresourcedefinitions.apiextensions.k8s.io":
        from sregym_cluster_embedded.api.structural import definitions

        return [], definitions.changed(old, new)
    if kind.name == "storageclasses.storage.k8s.io":
        return [], _storage_class(old, new)
    if kind.name == "volumeattributesclasses.storage.k8s.io":
        return [], _attributes_class(old, new)
    if kind.name == "csidrivers.storage.k8s.io":
        return [], _driver(before, after)
    if kind.name == "persistentvolumes":
        return [], _volume(before, after)
    if kind.name == "priorityclasses.scheduling.k8s.io":
        return [], _priority_class(old, new)
    if kind.name == "nodes":
        return [], _node(before, after)
    if kind.name == "servicecidrs.networking.k8s.io":
        return [], ranges.changed_cidrs(before.get("cidrs", ()), after.get("cidrs", ()))
    return [], [
        cause
        for path in _FIXED.get(kind.name, ())
        for cause in _same(path, _at(old, path), _at(new, path))
    ]


def _completions(before: Object, after: Object) -> list[Cause]:
    """An Indexed Job grows or shrinks as a whole: as many completions as run at once."""
    field = "spec.completions"
    wanted = after.get("completions")
    if after.get("completionMode") != "Indexed":
        return _same(field, before.get("completions"), wanted)
    if wanted in (None, before.get("completions"), after.get("parallelism")):
        return []
    return [causes.invalid(field, wanted, "can only be modified in tandem with spec.parallelism")]


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for name in path.split("."):
        value = (value or {}).get(name)
    return value


def _volume(before: Object, after: Object) -> list[Cause]:
    found: list[Cause] = []
    left, right = (internal_types.volume_source(spec) for spec in (before, after))
    if left != right:
        text = (
            "spec.persistentvolumesource is immutable after creation\n"
            f"{internal_types.difference(left, right)}"
        )
        found.append(causes.forbidden("spec.persistentvolumesource", text))
    found += _same("volumeMode", before.get("volumeMode"), after.get("volumeMode"))
    old, new = before.get("nodeAffinity"), after.get("nodeAffinity")
    if old is not None and old != new:
        shown = internal_types.any_value(new)
        text = f"{causes.IMMUTABLE}, except for updating from beta label to GA"
        found.append(causes.invalid("nodeAffinity", shown, text))
    return found


def _priority_class(old: Object, new: Object) -> list[Cause]:
    found: list[Cause] = []
    if old.get("value", 0) != new.get("value", 0):
        found.append(causes.forbidden("value", "may not be changed in an update."))
    field = "preemptionPolicy"
    return found + _same(field, old.get(field), new.get(field))


def _node(before: Object, after: Object) -> list[Cause]:
    found: list[Cause] = []
    if before.get("podCIDRs") and before["podCIDRs"] != after.get("podCIDRs"):
        text = 'node updates may not change podCIDR except from "" to valid'
        found.append(causes.forbidden("spec.podCIDRs", text))
    if before.get("providerID") and before["providerID"] != after.get("providerID"):
        text = 'node updates may not change providerID except from "" to valid'
        found.append(causes.forbidden("spec.providerID", text))
    return found


def _same(field: str, before: Any, after: Any) -> list[Cause]:
    return [] if before == after else [causes.invalid(field, after, causes.IMMUTABLE)]


def _storage_class(old: Object, new: Object) -> list[Cause]:
    found: list[Cause] = []
    if old.get("parameters") != new.get("parameters"):
        found.append(causes.forbidden("parameters", "updates to parameters are forbidden."))
    for field in ("provisioner", "reclaimPolicy", "volumeBindingMode"):
        found += _same(field, old.get(field), new.get(field))
    return found


def _attributes_class(old: Object, new: Object) -> list[Cause]:
    found: list[Cause] = []
    if old.get("driverName", "") != new.get("driverName", ""):
        text = "updates to driverName are forbidden."
        found.append(causes.forbidden("driverName", text))
    if (old.get("parameters") or {}) != (new.get("parameters") or {}):
        text = "updates to parameters are forbidden."
        found.append(causes.forbidden("parameters", text))
    return found


def _driver(before: Object, after: Object) -> list[Cause]:
    return [
        cause
        for field, shown in (
            ("attachRequired", "attachedRequired"),
            ("volumeLifecycleModes", "volumeLifecycleModes"),
        )
        for cause in _same(f"spec.{shown}", before.get(field), after.get(field))
    ]


def _service(before: Object, after: Object) -> list[Cause]:
    old, new = before.get("clusterIPs"), after.get("clusterIPs")
    if after.get("clusterIP") != before.get("clusterIP") and new == old:
        new = [after["clusterIP"]] if after.get("clusterIP") else None
    if old and new and old != new and "ExternalName" not in (before["type"], after["type"]):
        text = "may not change once set"
        return [causes.invalid("spec.clusterIPs[0]", new, text)]
    return []


def _data(kind: Resource, old: Object, new: Object) -> list[Cause]:
    found: list[Cause] = []
    if kind.name == "secrets":
        found += _same("type", old.get("type"), new.get("type"))
    if old.get("immutable"):
        text = "field is immutable when `immutable` is set"
        if not new.get("immutable"):
            found.append(causes.forbidden("immutable", text))
        found.extend(
            causes.forbidden(field, text)
            for field in ("data", "binaryData")
            if old.get(field) != new.get(field)
        )
    return found


def _claim(old: Object, new: Object) -> list[Cause]:
    before, after = dict(old["spec"]), dict(new["spec"])
    if not before.get("volumeName"):
        # The binder sets the volume of a claim that has none.
        after.pop("volumeName", None)
        before.pop("volumeName", None)
    if old.get("status", {}).get("phase") == "Bound":
        for spec in (before, after):
            spec.pop("volumeAttributesClassName", None)
            spec["resources"] = {
                k: v for k, v in spec.get("resources", {}).items() if k != "requests"
            }
    if before == after:
        if capacity_bytes(old) > requested_bytes(new) and requested_bytes(new) < requested_bytes(
            old
        ):
            return [causes.forbidden(_STORAGE, "field can not be less than status.capacity")]
        return []
    shown = (internal_types.claim_spec(spec) for spec in (before, after))
    return [causes.forbidden("spec", f"{_CLAIM_TEXT}\n{internal_types.difference(*shown)}")]


def _job_template(before: Object, after: Object) -> list[Cause]:
    """Of the template of a suspended job that never ran, only where its pods go may change."""
    old, new = before.get("template", {}), after.get("template", {})
    free = _JOB_FREE if before.get("suspend") else ()
    left, right = (
        {key: value for key, value in template.get("spec", {}).items() if key not in free}
        for template in (old, new)
    )
    if left != right:
        shown = internal_types.pod_spec(new.get("spec", {}))
        return [causes.invalid("spec.template.spec", shown, causes.IMMUTABLE)]
    if not before.get("suspend"):
        return _same("spec.template", old, new)
    return []


def _role(before: Object, after: Object) -> list[Cause]:
    if before == after:
        return []
    value = {
        "APIGroup": after.get("apiGroup", ""),
        "Kind": after.get("kind", ""),
        "Name": after.get("name", ""),
    }
    return [causes.invalid("roleRef", value, "cannot change roleRef")]
