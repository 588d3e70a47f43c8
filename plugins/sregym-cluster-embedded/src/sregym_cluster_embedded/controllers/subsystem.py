"""All controllers as one part of a cluster."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.access.rbac import CLUSTER_ROLES
from sregym_cluster_embedded.api.service_ranges import RESOURCE as SERVICE_RANGES
from sregym_cluster_embedded.controllers import (
    account_tokens,
    api_services,
    attach_detach,
    attacher,
    autoscaling,
    certificates,
    cronjob,
    daemonset,
    definitions,
    deployment,
    device_claims,
    device_taints,
    disruption,
    endpoints,
    ephemeral_claims,
    event_expiry,
    expansion,
    garbage,
    job,
    namespace,
    node_lifecycle,
    pod_gc,
    provisioning,
    pv_recycler,
    quotas,
    replicaset,
    role_aggregation,
    service_ranges,
    statefulset,
    taint_eviction,
    volumes,
)
from sregym_cluster_embedded.controllers.pods import counts, matters
from sregym_cluster_embedded.controllers.retrying import repeating, retrying
from sregym_cluster_embedded.device_pools import SLICES
from sregym_cluster_embedded.storage_drivers import ATTACHMENTS
from sregym_cluster_embedded.store import owner_of
from sregym_cluster_embedded.subsystem import Subsystem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World


def pod_labels(pod: Object) -> list[str]:
    """`NAMESPACE/KEY=VALUE` of a pod's labels."""
    metadata = pod["metadata"]
    namespace_name = metadata["namespace"]
    labels = metadata.get("labels")
    return [f"{namespace_name}/{key}={value}" for key, value in labels.items()] if labels else []


def pod_node(pod: Object) -> list[str]:
    """The node that a pod is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


def follow_pod(world: World, change: Change) -> None:
    """Tell the controllers of pods, once it is clear that the write matters to them."""
    if not matters(change):
        return
    if counts(change):
        replicaset.pod_changed(world, change)
    others = not _of_replica_set(change)
    if others:
        statefulset.pod_changed(world, change)
        daemonset.pod_changed(world, change)
    endpoints.pod_changed(world, change)
    if others:
        job.pod_changed(world, change)
    disruption.pod_changed(world, change)
    pod_gc.pod_changed(world, change)


def _of_replica_set(change: Change) -> bool:
    """Whether a pod is and was a ReplicaSet's: most are, and then it is nobody else's."""
    owners = change.obj["metadata"].get("ownerReferences")
    if change.old is not None and change.old["metadata"].get("ownerReferences") is not owners:
        return False
    owner = owner_of(change.obj)
    return owner is not None and owner["kind"] == "ReplicaSet"


_RECONCILERS: Mapping[str, Callable[[World, Any], None]] = MappingProxyType(
    {
        api_services.HANDLER: api_services.reconcile,
        attacher.HANDLER: attacher.reconcile,
        attach_detach.HANDLER: attach_detach.reconcile,
        attach_detach.OVERDUE: attach_detach.overdue,
        autoscaling.HANDLER: autoscaling.reconcile,
        definitions.HANDLER: definitions.reconcile,
        deployment.HANDLER: deployment.reconcile,
        replicaset.HANDLER: replicaset.reconcile,
        statefulset.HANDLER: statefulset.reconcile,
        daemonset.HANDLER: daemonset.reconcile,
        device_claims.HANDLER: device_claims.reconcile,
        device_taints.HANDLER: device_taints.reconcile,
        device_taints.EVICT: device_taints.evict,
        ephemeral_claims.HANDLER: ephemeral_claims.reconcile,
        cronjob.HANDLER: cronjob.reconcile,
        job.RELEASE: job.release,
        job.TTL: job.expire,
        namespace.HANDLER: namespace.empty,
        namespace.FURNISH: namespace.extra_setup,
        garbage.DEPENDENTS: garbage.finalize,
        garbage.OWNERS: garbage.collect,
        quotas.HANDLER: quotas.reconcile,
        account_tokens.HANDLER: account_tokens.reconcile,
        certificates.HANDLER: certificates.reconcile,
        role_aggregation.HANDLER: role_aggregation.reconcile,
        service_ranges.HANDLER: service_ranges.reconcile,
        pv_recycler.HANDLER: pv_recycler.reconcile,
        volumes.CLAIM: volumes.reconcile_claim,
        volumes.VOLUME: volumes.reconcile_volume,
        disruption.HANDLER: disruption.reconcile,
        pod_gc.HANDLER: pod_gc.collect,
        node_lifecycle.TAINTS: node_lifecycle.taint,
        node_lifecycle.EVICT: node_lifecycle.evict,
    }
)


# What runs beside volume drivers, and how soon it tries again what the API refused.
_OF_DRIVERS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {provisioning.HANDLER: provisioning.provision, expansion.RESIZER: expansion.resize}
)
_DRIVERS_S = 10.0


def subsystem() -> Subsystem:
    """What this layer adds to a cluster."""
    period_s = node_lifecycle.MONITOR_PERIOD_S
    return Subsystem(
        name="controllers",
        handlers={
            **{name: retrying(name, reconcile) for name, reconcile in _RECONCILERS.items()},
            job.HANDLER: retrying(job.HANDLER, job.reconcile, *job.RETRIES_S),
            endpoints.HANDLER: retrying(endpoints.HANDLER, endpoints.reconcile, 1.0),
            node_lifecycle.MONITOR: retrying(
                node_lifecycle.MONITOR, node_lifecycle.monitor, period_s, period_s
            ),
            node_lifecycle.MARK: repeating(node_lifecycle.MARK, node_lifecycle.mark, period_s),
            event_expiry.HANDLER: event_expiry.expire,
            taint_eviction.HANDLER: repeating(taint_eviction.HANDLER, taint_eviction.evict, None),
            **{name: repeating(name, act, _DRIVERS_S) for name, act in _OF_DRIVERS.items()},
        },
        followers={
            api_services.RESOURCE: (api_services.listen,),
            autoscaling.RESOURCE: (autoscaling.listen,),
            definitions.RESOURCE: (definitions.listen,),
            deployment.RESOURCE: (deployment.listen,),
            replicaset.RESOURCE: (deployment.listen, replicaset.listen),
            replicaset.CONTROLLERS: (replicaset.listen,),
            "statefulsets.apps": (statefulset.listen,),
            daemonset.RESOURCE: (daemonset.listen,),
            "nodes": (
                node_lifecycle.listen,
                taint_eviction.node_changed,
                daemonset.node_changed,
                pod_gc.node_changed,
            ),
            "pods": (
                follow_pod,
                taint_eviction.pod_changed,
                job.pod_restarted,
                ephemeral_claims.listen,
                volumes.listen,
                attach_detach.pod_changed,
                device_claims.pod_changed,
                pv_recycler.pod_changed,
            ),
            disruption.RESOURCE: (disruption.listen,),
            job.RESOURCE: (job.listen, cronjob.job_changed),
            cronjob.RESOURCE: (cronjob.listen,),
            "services": (endpoints.listen, api_services.backend_changed),
            "secrets": (account_tokens.listen,),
            certificates.RESOURCE: (certificates.listen,),
            "serviceaccounts": (account_tokens.listen,),
            CLUSTER_ROLES: (role_aggregation.listen,),
            SERVICE_RANGES: (service_ranges.listen,),
            "ipaddresses.networking.k8s.io": (service_ranges.address_changed,),
            endpoints.SLICES: (endpoints.listen, api_services.backend_changed),
            "endpoints": (endpoints.listen,),
            "persistentvolumeclaims": (volumes.listen,),
            "persistentvolumes": (volumes.listen, attach_detach.volume_changed),
            "events": (pv_recycler.copy_event_to_volume, event_expiry.listen),
            device_claims.RESOURCE: (device_claims.claim_changed, device_taints.changed),
            SLICES: (device_taints.changed,),
            ATTACHMENTS: (attach_detach.attachment_changed, attacher.listen),
            "": (namespace.listen, garbage.listen, quotas.listen),
        },
        indexers={
            "pods": {"label": pod_labels, "node": pod_node, "claim": volumes.claim_values},
            "services": {"selector": endpoints.selector_values},
        },
    )
