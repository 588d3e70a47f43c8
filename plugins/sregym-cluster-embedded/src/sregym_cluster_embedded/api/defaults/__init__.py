"""Defaulting: every object leaves the API as a real server would have completed it.

All functions return a new object that shares what did not change, and the object itself when
nothing was missing: what a controller makes from a stored template costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults import further, network, policy, storage, workloads
from sregym_cluster_embedded.api.defaults.pod import pod

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_DEFAULTS: Mapping[str, Callable[[Object], Object]] = {
    "pods": pod,
    "podtemplates": workloads.pod_template,
    "replicationcontrollers": workloads.replication_controller,
    "deployments.apps": workloads.deployment,
    "replicasets.apps": workloads.replica_set,
    "statefulsets.apps": workloads.stateful_set,
    "daemonsets.apps": workloads.daemon_set,
    "jobs.batch": workloads.job,
    "cronjobs.batch": workloads.cron_job,
    "services": network.service,
    "endpoints": network.endpoints,
    "endpointslices.discovery.k8s.io": network.endpoint_slice,
    "ingresses.networking.k8s.io": network.ingress,
    "networkpolicies.networking.k8s.io": network.network_policy,
    "persistentvolumes": storage.volume,
    "persistentvolumeclaims": storage.claim,
    "storageclasses.storage.k8s.io": storage.storage_class,
    "csidrivers.storage.k8s.io": storage.csi_driver,
    "secrets": storage.secret,
    "nodes": further.node,
    "events": further.event,
    "ingressclasses.networking.k8s.io": network.ingress_class,
    "flowschemas.flowcontrol.apiserver.k8s.io": further.flow_schema,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": further.priority_level,
    "resourceclaims.resource.k8s.io": further.resource_claim,
    "resourceclaimtemplates.resource.k8s.io": further.resource_claim_template,
    "namespaces": policy.namespace,
    "limitranges": policy.limit_range,
    "horizontalpodautoscalers.autoscaling": policy.autoscaler,
    "priorityclasses.scheduling.k8s.io": policy.priority_class,
    "roles.rbac.authorization.k8s.io": policy.role,
    "clusterroles.rbac.authorization.k8s.io": policy.role,
    "rolebindings.rbac.authorization.k8s.io": policy.role_binding,
    "clusterrolebindings.rbac.authorization.k8s.io": policy.role_binding,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": policy.webhooks,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": policy.webhooks,
    "validatingadmissionpolicies.admissionregistration.k8s.io": policy.admission_policy,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": policy.admission_policy,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": policy.policy_binding,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": policy.policy_binding,
    "customresourcedefinitions.apiextensions.k8s.io": policy.definition,
}

_ON_CREATE: Mapping[str, Callable[[World, Object], Object]] = {
    "pods": workloads.new_pod,
    "jobs.batch": workloads.new_job,
    "daemonsets.apps": workloads.new_daemon_set,
    "services": network.new_service,
    "namespaces": policy.new_namespace,
    "nodes": further.new_node,
    "flowschemas.flowcontrol.apiserver.k8s.io": further.new_flow_schema,
    "servicecidrs.networking.k8s.io": further.new_service_cidr,
    "persistentvolumeclaims": storage.new_claim,
    "persistentvolumes": storage.new_volume,
    "validatingadmissionpolicies.admissionregistration.k8s.io": policy.new_admission_policy,
    "customresourcedefinitions.apiextensions.k8s.io": policy.new_definition,
}

# What the zero value of a status looks like in JSON: fields without `omitempty`.
_NEW_STATUS: Mapping[str, Object] = {
    "replicationcontrollers": {"replicas": 0},
    "deployments.apps": {},
    "replicasets.apps": {"replicas": 0},
    "statefulsets.apps": {"replicas": 0, "availableReplicas": 0},
    "daemonsets.apps": {
        "currentNumberScheduled": 0,
        "desiredNumberScheduled": 0,
        "numberMisscheduled": 0,
        "numberReady": 0,
    },
    "jobs.batch": {},
    "cronjobs.batch": {},
    "services": {"loadBalancer": {}},
    "ingresses.networking.k8s.io": {"loadBalancer": {}},
    "horizontalpodautoscalers.autoscaling": {"currentMetrics": None, "desiredReplicas": 0},
    "poddisruptionbudgets.policy": {
        "currentHealthy": 0,
        "desiredHealthy": 0,
        "disruptionsAllowed": 0,
        "expectedPods": 0,
    },
    "resourcequotas": {},
    "persistentvolumeclaims": {"phase": "Pending"},
    "persistentvolumes": {"phase": "Pending"},
    "namespaces": {"phase": "Active"},
    "volumeattachments.storage.k8s.io": {"attached": False},
    "resourceclaims.resource.k8s.io": {},
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": {},
    "validatingadmissionpolicies.admissionregistration.k8s.io": {},
}
# Types whose creator reports their status at once.
_STATUS_KEPT = frozenset({"nodes", "events", "certificatesigningrequests.certificates.k8s.io"})


def apply(kind: Resource, obj: Object) -> Object:
    """`obj` with the defaults of its type."""
    default = _DEFAULTS.get(kind.name)
    return obj if default is None else default(obj)


def on_create(world: World, kind: Resource, obj: Object) -> Object:
    """`obj` with what only its creation sets: an empty status, addresses, selectors."""
    status = _NEW_STATUS.get(kind.name)
    if status is not None:
        obj = {**obj, "status": status}
    elif "status" in obj and kind.subresource("status") and kind.name not in _STATUS_KEPT:
        obj = {key: value for key, value in obj.items() if key != "status"}
    fill = _ON_CREATE.get(kind.name)
    return obj if fill is None else fill(world, obj)


def on_update(world: World, kind: Resource, old: Object, new: Object) -> Object:
    """`new` with what the server counts when it replaces `old`."""
    if kind.name == "daemonsets.apps":
        return workloads.changed_daemon_set(old, new)
    if kind.name == "validatingadmissionpolicies.admissionregistration.k8s.io":
        return policy.changed_admission_policy(world, old, new)
    return new
