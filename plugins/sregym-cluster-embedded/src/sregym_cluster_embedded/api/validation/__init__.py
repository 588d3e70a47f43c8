"""Validation of objects from outside, in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors, schema
from sregym_cluster_embedded.api.validation import (
    admission_objects,
    admission_policies,
    attachments,
    autoscaling,
    flowcontrol,
    immutable,
    ingresses,
    jobs,
    label_selectors,
    meta,
    network_policies,
    pods,
    policy,
    ranges,
    rbac,
    required,
    services,
    settings,
    statuses,
    volumes,
    workloads,
    write_warnings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object


def _definition(obj: Object) -> list[Cause]:
    from sregym_cluster_embedded.api.structural import definitions

    return definitions.definition(obj)


def _named_definition(obj: Object) -> list[Cause]:
    from sregym_cluster_embedded.api.structural import definitions

    return definitions.named(obj)


_CHECKS: Mapping[str, Callable[[Object], list[Cause]]] = {
    "pods": pods.pod,
    "podtemplates": pods.pod_template,
    "replicationcontrollers": workloads.replication_controller,
    "deployments.apps": workloads.deployment,
    "replicasets.apps": workloads.replica_set,
    "statefulsets.apps": workloads.stateful_set,
    "daemonsets.apps": workloads.daemon_set,
    "controllerrevisions.apps": policy.controller_revision,
    "jobs.batch": jobs.job,
    "cronjobs.batch": jobs.cron_job,
    "services": services.service,
    "endpoints": settings.endpoints,
    "endpointslices.discovery.k8s.io": settings.endpoint_slice,
    "ingresses.networking.k8s.io": ingresses.ingress,
    "ingressclasses.networking.k8s.io": ingresses.ingress_class,
    "networkpolicies.networking.k8s.io": network_policies.network_policy,
    "servicecidrs.networking.k8s.io": ranges.service_cidr,
    "ipaddresses.networking.k8s.io": ranges.ip_address_object,
    "configmaps": settings.config_map,
    "secrets": settings.secret,
    "resourcequotas": settings.quota,
    "limitranges": settings.limit_range,
    "namespaces": policy.namespace,
    "events": policy.event,
    "nodes": policy.node,
    "persistentvolumeclaims": volumes.claim,
    "persistentvolumes": volumes.volume,
    "horizontalpodautoscalers.autoscaling": autoscaling.autoscaler,
    "poddisruptionbudgets.policy": policy.disruption_budget,
    "storageclasses.storage.k8s.io": policy.storage_class,
    "volumeattributesclasses.storage.k8s.io": policy.attributes_class,
    "csidrivers.storage.k8s.io": attachments.csi_driver,
    "csinodes.storage.k8s.io": attachments.csi_node,
    "volumeattachments.storage.k8s.io": attachments.volume_attachment,
    "flowschemas.flowcontrol.apiserver.k8s.io": flowcontrol.flow_schema,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": flowcontrol.priority_level,
    "priorityclasses.scheduling.k8s.io": policy.priority_class,
    "runtimeclasses.node.k8s.io": policy.runtime_class,
    "leases.coordination.k8s.io": policy.lease,
    "roles.rbac.authorization.k8s.io": rbac.role,
    "clusterroles.rbac.authorization.k8s.io": rbac.role,
    "rolebindings.rbac.authorization.k8s.io": rbac.binding,
    "clusterrolebindings.rbac.authorization.k8s.io": rbac.binding,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": admission_objects.webhooks,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": admission_objects.webhooks,
    "validatingadmissionpolicies.admissionregistration.k8s.io": admission_policies.policy,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": admission_policies.binding,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": admission_policies.mutating_policy,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": (
        admission_policies.mutating_binding
    ),
    "apiservices.apiregistration.k8s.io": policy.api_service,
    "customresourcedefinitions.apiextensions.k8s.io": _definition,
}
# Fields that are looked at before the label selectors of an object.
_BEFORE_SELECTORS: Mapping[str, tuple[str, ...]] = {
    "deployments.apps": ("spec.replicas",),
    "replicasets.apps": ("spec.replicas", "spec.minReadySeconds"),
    "statefulsets.apps": (
        "spec.podManagementPolicy",
        "spec.updateStrategy",
        "spec.persistentVolumeClaimRetentionPolicy",
        "spec.replicas",
        "spec.minReadySeconds",
        "spec.ordinals",
    ),
    "poddisruptionbudgets.policy": ("spec.minAvailable", "spec.maxUnavailable"),
    "persistentvolumeclaims": ("spec.accessModes", "spec.resources"),
    "jobs.batch": ("spec",),
}
# What is looked at in a new object before all else: names and labels that follow from the rest.
_NAMED: Mapping[str, Callable[[Object], list[Cause]]] = {
    "customresourcedefinitions.apiextensions.k8s.io": _named_definition,
    "jobs.batch": jobs.tied,
}
# What only a new object must not have.
_ON_CREATE: Mapping[str, Callable[[Object], list[Cause]]] = {
    "pods": pods.created,
    "ingresses.networking.k8s.io": ingresses.created,
}


def new(kind: Resource, obj: Object, further: Sequence[Cause] = ()) -> None:
    """Refuse a new object that cannot be; `further` are causes that others found.

    Raises:
        errors.ApiError: Invalid, with all causes.
    """
    found = meta.metadata(kind, obj["metadata"])
    if kind.name in _NAMED:
        found += _NAMED[kind.name](obj)
    found += _specific(kind, obj)
    only_new = _ON_CREATE.get(kind.name)
    if only_new is not None:
        found += only_new(obj)
    _raise(kind, obj, [*found, *further])


def changed(kind: Resource, old: Object, obj: Object, further: Sequence[Cause] = ()) -> None:
    """Refuse a change that cannot be; `further` are causes that others found.

    Raises:
        errors.ApiError: Invalid, with all causes.
    """
    causes = meta.metadata(kind, obj["metadata"])
    causes += meta.changed(old["metadata"], obj["metadata"])
    before, after = immutable.changed(kind, old, obj)
    _raise(kind, obj, [*causes, *before, *_specific(kind, obj), *further, *after])


def status(kind: Resource, old: Object, obj: Object) -> None:
    """Refuse a status that cannot be.

    Raises:
        errors.ApiError: Invalid, with all causes.
    """
    found = meta.metadata(kind, obj["metadata"]) + meta.changed(old["metadata"], obj["metadata"])
    _raise(kind, obj, [*found, *statuses.of(kind.name, old, obj)])


def unrelated(kind: Resource, obj: Object, further: Sequence[Cause]) -> None:
    """Refuse an object that cannot be, whatever it was before.

    Raises:
        errors.ApiError: Invalid, with all causes.
    """
    _raise(kind, obj, [*_specific(kind, obj), *further])


def warnings(kind: Resource, obj: Object, old: Object | None) -> list[str]:
    """What the answer to a write warns of."""
    return write_warnings.of(kind, obj, old)


def _specific(kind: Resource, obj: Object) -> list[Cause]:
    check = _CHECKS.get(kind.name)
    definition = schema.of_kind(kind.group, kind.version, kind.kind)
    chosen = [] if definition is None else label_selectors.anywhere(obj, definition)
    if check is not None:
        found = check(obj)
        if not chosen or not found:
            return [*chosen, *found]
        earlier = _BEFORE_SELECTORS.get(kind.name, ("-",))
        before = [
            cause for cause in found if cause.field == "spec" or cause.field.startswith(earlier)
        ]
        return [*before, *chosen, *(cause for cause in found if cause not in before)]
    return [] if definition is None else [*required.missing(obj, definition), *chosen]


def _raise(kind: Resource, obj: Object, causes: list[Cause]) -> None:
    if causes:
        raise errors.invalid(kind.group, kind.kind, obj["metadata"].get("name", ""), causes)
