"""As whom each controller writes: it has a ServiceAccount of its own in `kube-system`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.dynamic.attributes import CONTROLLERS
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.controllers import (
    attach_detach,
    autoscaling,
    certificates,
    cronjob,
    daemonset,
    deployment,
    device_claims,
    device_taints,
    disruption,
    endpoints,
    ephemeral_claims,
    garbage,
    job,
    namespace,
    node_lifecycle,
    pod_gc,
    pv_recycler,
    quotas,
    replicaset,
    role_aggregation,
    service_ranges,
    statefulset,
    taint_eviction,
    volumes,
)
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

_NAMESPACE = "kube-system"
_OF_VOLUMES = "persistent-volume-binder"
_ACCOUNTS: Mapping[str, str] = MappingProxyType(
    {
        attach_detach.HANDLER: "attachdetach-controller",
        attach_detach.OVERDUE: "attachdetach-controller",
        autoscaling.HANDLER: "horizontal-pod-autoscaler",
        certificates.HANDLER: "certificate-controller",
        cronjob.HANDLER: "cronjob-controller",
        daemonset.HANDLER: "daemon-set-controller",
        deployment.HANDLER: "deployment-controller",
        device_claims.HANDLER: "resource-claim-controller",
        device_taints.EVICT: "device-taint-eviction-controller",
        disruption.HANDLER: "disruption-controller",
        endpoints.HANDLER: "endpointslice-controller",
        ephemeral_claims.HANDLER: "ephemeral-volume-controller",
        garbage.DEPENDENTS: "generic-garbage-collector",
        garbage.OWNERS: "generic-garbage-collector",
        job.HANDLER: "job-controller",
        job.RELEASE: "job-controller",
        job.TTL: "ttl-after-finished-controller",
        namespace.FURNISH: "service-account-controller",
        namespace.HANDLER: "namespace-controller",
        node_lifecycle.EVICT: "node-controller",
        node_lifecycle.MARK: "node-controller",
        node_lifecycle.MONITOR: "node-controller",
        node_lifecycle.TAINTS: "node-controller",
        pod_gc.HANDLER: "pod-garbage-collector",
        quotas.HANDLER: "resourcequota-controller",
        pv_recycler.HANDLER: _OF_VOLUMES,
        replicaset.HANDLER: "replicaset-controller",
        role_aggregation.HANDLER: "clusterrole-aggregation-controller",
        service_ranges.HANDLER: "service-cidrs-controller",
        statefulset.HANDLER: "statefulset-controller",
        taint_eviction.HANDLER: "node-controller",
        volumes.CLAIM: _OF_VOLUMES,
        volumes.VOLUME: _OF_VOLUMES,
    }
)


def user_of(world: World, handler: str) -> User:
    """As whom the controller behind a handler writes; others share the certificate of them all."""
    account = _ACCOUNTS.get(handler)
    if account is None:
        return CONTROLLERS
    found = world.store.get(Key("serviceaccounts", _NAMESPACE, account))
    uid = found["metadata"]["uid"] if found is not None else ""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{_NAMESPACE}")
    name = f"system:serviceaccount:{_NAMESPACE}:{account}"
    return User(name, (*groups, "system:authenticated"), uid)
