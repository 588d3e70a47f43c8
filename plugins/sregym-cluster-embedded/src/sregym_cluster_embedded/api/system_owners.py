"""The fields that parts of the control plane own, derived from an object when it is read.

Controllers, kubelets and the scheduler write many times a second; what they own follows from the
object itself. So nothing is kept at their writes: `complete` adds their entries to
`metadata.managedFields` for clients that read whole objects.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import fieldsets
from sregym_cluster_embedded.api.ownership import Entry, definition_of, untimed, with_managed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.fieldsets import FieldSet
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

_CONTROLLERS = "kube-controller-manager"
_APPLY = "kubectl-client-side-apply"
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_REVISION = "deployment.kubernetes.io/revision"
_STATUS_WRITERS: Mapping[str, str] = MappingProxyType(
    {
        "pods": "kubelet",
        "customresourcedefinitions.apiextensions.k8s.io": "kube-apiserver",
        **dict.fromkeys(
            (
                *("deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps"),
                *("jobs.batch", "cronjobs.batch", "horizontalpodautoscalers.autoscaling"),
                *("poddisruptionbudgets.policy", "persistentvolumeclaims", "persistentvolumes"),
                *("namespaces", "resourcequotas", "replicationcontrollers"),
            ),
            _CONTROLLERS,
        ),
    }
)
_CREATORS: Mapping[str, str] = MappingProxyType(
    {
        "csinodes.storage.k8s.io": "kubelet",
        "namespaces": "kube-apiserver",
        **dict.fromkeys(
            (
                *("replicasets.apps", "controllerrevisions.apps", "endpoints"),
                "endpointslices.discovery.k8s.io",
            ),
            _CONTROLLERS,
        ),
    }
)
# Set when the object is created, without an owner.
_FIRST = frozenset({"Pending", "Active"})
# Numbers that are there from the beginning; as long as they are 0 they were not written.
_NUMBERS = frozenset(
    {
        *("numberMisscheduled", "currentNumberScheduled", "desiredNumberScheduled"),
        *("numberReady", "replicas", "availableReplicas", "disruptionsAllowed", "currentHealthy"),
        *("desiredHealthy", "expectedPods"),
    }
)
# What admission writes into a pod has no owner either.
_ADMITTED = ("priority", "preemptionPolicy", "nodeName")
_ACCOUNT = ("serviceAccount", "serviceAccountName")
_TOKEN = "kube-api-access-"
_TOLERATED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def complete(kind: Resource, obj: Object) -> Object:
    """`obj` with the entries of the control plane in its managed fields."""
    entries = without_status_owners(kind, obj)
    found = [*_bound(kind, obj), *_status(kind, obj, entries)]
    stored = obj["metadata"].get("managedFields")
    if not found and (entries is stored or not entries):
        return without_empty_owners(obj)
    known = {_identity(entry) for entry in found}
    return with_managed(obj, [*(e for e in entries if _identity(e) not in known), *found])


def without_status_owners(kind: Resource, obj: Object) -> list[Entry]:
    """The entries without those of the writers of the status.

    Until a client from outside writes, what an object's creator owns follows from the object.
    """
    stored: list[Entry] | None = obj["metadata"].get("managedFields")
    if stored is not None and (not stored or any(not e.get("subresource") for e in stored)):
        return stored
    created = _created(kind, obj)
    return [*created, *(stored or ())] if created or stored is None else stored


def same_owners(kind: Resource, old: Object, new: Object) -> bool:
    """Whether two objects that are the same but for their managed fields have the same owners."""
    before, after = (obj["metadata"].get("managedFields") for obj in (old, new))
    if before == after:
        return True
    owners = [
        sorted(untimed(complete(kind, obj)["metadata"].get("managedFields") or ()), key=str)
        for obj in (old, new)
    ]
    return owners[0] == owners[1]


def without_empty_owners(obj: Object) -> Object:
    """`obj` without the mark that none of its fields has an owner."""
    metadata = obj["metadata"]
    return with_managed(obj, []) if metadata.get("managedFields") == [] else obj


def _identity(entry: Entry) -> tuple[Any, ...]:
    return (entry.get("manager"), entry.get("operation"), entry.get("subresource", ""))


def _entry(kind: Resource, manager: str, fields: FieldSet, at: str, subresource: str = "") -> Entry:
    entry: Entry = {
        "manager": manager,
        "operation": "Update",
        "apiVersion": kind.api_version,
        "time": at,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    if subresource:
        entry["subresource"] = subresource
    return entry


def _created(kind: Resource, obj: Object) -> list[Entry]:
    """What its creator owns, where the object was not created from outside."""
    manager = _creator(kind, obj)
    if not manager:
        return []
    made = {name: value for name, value in as_sent(kind, obj, {}).items() if name != "status"}
    fields = fieldsets.changed({}, made, definition_of(kind))
    at = obj["metadata"].get("creationTimestamp", "")
    return [_entry(kind, manager, fields, at)] if fields else []


def _creator(kind: Resource, obj: Object) -> str:
    metadata = obj["metadata"]
    if _APPLIED in (metadata.get("annotations") or {}) and kind.name not in _CREATORS:
        return _APPLY
    if kind.name == "events":
        return str((obj.get("source") or {}).get("component") or obj.get("reportingComponent", ""))
    if metadata.get("ownerReferences") and kind.name in ("pods", "jobs.batch"):
        return _CONTROLLERS
    if kind.name == "configmaps" and metadata["name"] == "kube-root-ca.crt":
        return _CONTROLLERS
    return _CREATORS.get(kind.name, "")


def as_sent(kind: Resource, obj: Object, sent: Object) -> Object:
    """A new object without what the server has added beyond defaults; `sent` came from the client."""
    if kind.name == "pods":
        return {**obj, "spec": _before_admission(obj["spec"], sent.get("spec") or {})}
    if kind.name == "namespaces":
        return {name: value for name, value in obj.items() if name != "spec"}
    return obj


def _before_admission(spec: Object, sent: Object) -> Object:
    found = {name: value for name, value in spec.items() if name in sent or name not in _ADMITTED}
    if "serviceAccountName" not in sent and "serviceAccount" not in sent:
        found = {
            name: value
            for name, value in found.items()
            if name not in _ACCOUNT or value != "default"
        }
    for name, keep in (("volumes", _own_volume), ("tolerations", _own_toleration)):
        kept = [
            item for item in found.get(name, ()) if keep(item) or item in (sent.get(name) or ())
        ]
        if kept:
            found[name] = kept
        else:
            found.pop(name, None)
    for group in ("initContainers", "containers"):
        if group in found:
            found[group] = [_own_mounts(container) for container in found[group]]
    return found


def _own_volume(volume: Object) -> bool:
    return not str(volume.get("name", "")).startswith(_TOKEN)


def _own_toleration(toleration: Object) -> bool:
    return not (toleration.get("key") in _TOLERATED and toleration.get("tolerationSeconds") == 300)


def _own_mounts(container: Object) -> Object:
    mounts = container.get("volumeMounts")
    if not mounts:
        return container
    kept = [mount for mount in mounts if _own_volume(mount)]
    rest = {name: value for name, value in container.items() if name != "volumeMounts"}
    return {**rest, "volumeMounts": kept} if kept else rest


def _bound(kind: Resource, obj: Object) -> list[Entry]:
    """What the binding of a volume and a claim writes into both."""
    if kind.name not in ("persistentvolumeclaims", "persistentvolumes"):
        return []
    field = "volumeName" if kind.name == "persistentvolumeclaims" else "claimRef"
    spec = {field: obj["spec"][field]} if field in obj.get("spec", {}) else {}
    marks: FieldSet = {
        f"f:{name}": {}
        for name in sorted(obj["metadata"].get("annotations") or {})
        if name.startswith(("pv.kubernetes.io/", "volume.kubernetes.io/"))
    }
    fields = fieldsets.changed({}, {"spec": spec}, definition_of(kind)) if spec else {}
    if marks:
        fields = {"f:metadata": {"f:annotations": marks}, **fields}
    return [_entry(kind, _CONTROLLERS, fields, _latest(obj))] if fields else []


def _status(kind: Resource, obj: Object, entries: list[Entry]) -> list[Entry]:
    """What the writer of its status owns."""
    manager = _STATUS_WRITERS.get(kind.name)
    status = obj.get("status") or {}
    if kind.name == "pods" and not obj["spec"].get("nodeName"):
        manager = "kube-scheduler"
    written = {
        name: value
        for name, value in status.items()
        if not (name == "phase" and value in _FIRST)
        and not (name in _NUMBERS and value == 0)
        and name != "qosClass"
    }
    if manager is None or not written:
        return []
    fields = fieldsets.changed({}, {"status": written}, definition_of(kind))
    if kind.name == "pods":
        _own_pod_conditions(fields["f:status"], status, by_kubelet=manager == "kubelet")
    elif kind.name.startswith("customresourcedefinitions"):
        fields["f:status"].pop("f:storedVersions", None)
        fields["f:status"].get("f:conditions", {}).pop(".", None)
    if kind.name == "deployments.apps" and _REVISION in (obj["metadata"].get("annotations") or {}):
        marks: FieldSet = {f"f:{_REVISION}": {}}
        if not any("f:annotations" in e["fieldsV1"].get("f:metadata", {}) for e in entries):
            marks = {".": {}, **marks}
        fields = {"f:metadata": {"f:annotations": marks}, **fields}
    # What was asked for has been observed: that was later.
    at = max([_latest(obj), *(entry.get("time", "") for entry in entries)])
    return [_entry(kind, manager, fields, at, "status")]


def _own_pod_conditions(fields: FieldSet, status: Object, *, by_kubelet: bool) -> None:
    """The scheduler makes the list of conditions, the kubelet adds to it."""
    owned: FieldSet = {} if by_kubelet else {".": {}}
    for condition in sorted(status.get("conditions") or (), key=lambda entry: str(entry["type"])):
        key = f'k:{{"type":"{condition["type"]}"}}'
        if by_kubelet and condition["type"] == "PodScheduled":
            owned[key] = {"f:observedGeneration": {}}
        else:
            owned[key] = {".": {}, **{f"f:{name}": {} for name in sorted(condition)}}
    if owned:
        fields["f:conditions"] = owned


def _latest(obj: Object) -> str:
    """The last moment that the status tells of."""
    status = obj.get("status") or {}
    moments: list[str | None] = [obj["metadata"].get("creationTimestamp", "")]
    for condition in status.get("conditions") or ():
        moments += [condition.get("lastUpdateTime"), condition.get("lastTransitionTime")]
    for container in status.get("containerStatuses") or ():
        state = container.get("state") or {}
        moments.append((state.get("running") or {}).get("startedAt"))
        moments.append((state.get("terminated") or {}).get("finishedAt"))
    return max(moment for moment in moments if moment is not None)
