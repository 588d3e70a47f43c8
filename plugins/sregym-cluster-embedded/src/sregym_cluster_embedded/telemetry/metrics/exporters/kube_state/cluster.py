"""kube-state-metrics about nodes, namespaces, services, configuration and storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state.measures import (
    Measured,
    at,
    condition_of,
    conditions,
    creation,
    gauge,
    info,
    labels_of_object,
    named,
    phase,
)
from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state.pods import (
    resource_name,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs


def _only(label: str) -> Callable[[Object], Pairs]:
    """The label of objects that belong to no namespace."""
    return lambda obj: ((label, obj["metadata"]["name"]),)


_node = _only("node")
_namespace = _only("namespace")
_volume = _only("persistentvolume")
_class = _only("storageclass")
_service = named("service")
_endpoint = named("endpoint")
_slice = named("endpointslice")
_configmap = named("configmap")
_secret = named("secret")
_claim = named("persistentvolumeclaim")
_quota = named("resourcequota")
_range = named("limitrange")
_ingress = named("ingress")
_policy = named("networkpolicy")
_lease = named("lease")


def _amounts(place: str) -> Callable[[Object], Measured]:
    def of(obj: Object) -> Measured:
        found = at(obj, place)
        for name, amount in sorted(found.items()) if isinstance(found, dict) else ():
            more = (("resource", resource_name(name)), ("unit", unit_of(name)))
            yield (*_node(obj), *more), float(parse(str(amount)))

    return of


def _taints(obj: Object) -> Measured:
    for taint in obj["spec"].get("taints") or ():
        more = (
            ("key", taint["key"]),
            ("value", taint.get("value", "")),
            ("effect", taint["effect"]),
        )
        yield (*_node(obj), *more), 1.0


def _unschedulable(obj: Object) -> Measured:
    yield _node(obj), float(bool(obj["spec"].get("unschedulable")))


def _node_info(obj: Object) -> Measured:
    said = at(obj, "status.nodeInfo")
    facts = said if isinstance(said, dict) else {}
    addresses = at(obj, "status.addresses")
    found = addresses if isinstance(addresses, list) else []
    internal = next((e["address"] for e in found if e["type"] == "InternalIP"), "")
    more = (
        ("kernel_version", facts.get("kernelVersion", "")),
        ("os_image", facts.get("osImage", "")),
        ("container_runtime_version", facts.get("containerRuntimeVersion", "")),
        ("kubelet_version", facts.get("kubeletVersion", "")),
        ("kubeproxy_version", "deprecated"),
        ("provider_id", obj["spec"].get("providerID", "")),
        ("pod_cidr", obj["spec"].get("podCIDR", "")),
        ("system_uuid", facts.get("systemUUID", "")),
        ("internal_ip", internal),
    )
    yield (*_node(obj), *more), 1.0


def _roles(obj: Object) -> Measured:
    prefix = "node-role.kubernetes.io/"
    for label in sorted(obj["metadata"].get("labels") or {}):
        if label.startswith(prefix):
            yield (*_node(obj), ("role", label.removeprefix(prefix))), 1.0


NODES = (
    gauge("kube_node_info", "Information about a cluster node.", _node_info),
    gauge("kube_node_created", "Unix creation timestamp", creation(_node)),
    gauge("kube_node_labels", "Kubernetes labels converted to Prometheus labels.", labels_of_object(_node)),
    gauge("kube_node_role", "The role of a cluster node.", _roles),
    gauge("kube_node_spec_unschedulable", "Whether a node can schedule new pods.", _unschedulable),
    gauge("kube_node_spec_taint", "The taint of a cluster node.", _taints),
    gauge("kube_node_status_condition", "The condition of a cluster node.", condition_of(_node)),
    gauge("kube_node_status_capacity", "The total amount of resources available for a node.", _amounts("status.capacity")),
    gauge("kube_node_status_allocatable", "The amount of resources allocatable for pods (after reserving some for system daemons).", _amounts("status.allocatable")),
)  # fmt: skip

NAMESPACES = (
    gauge("kube_namespace_created", "Unix creation timestamp", creation(_namespace)),
    gauge("kube_namespace_labels", "Kubernetes labels converted to Prometheus labels.", labels_of_object(_namespace)),
    gauge("kube_namespace_status_phase", "kubernetes namespace status phase.", phase(_namespace, ("Active", "Terminating"))),
    gauge("kube_namespace_status_condition", "The condition of a namespace.", condition_of(_namespace)),
)  # fmt: skip


def _endpoint_address(obj: Object) -> Measured:
    for subset in obj.get("subsets") or ():
        for field, ready in (("addresses", "true"), ("notReadyAddresses", "false")):
            for address in subset.get(field, ()):
                yield (*_endpoint(obj), ("ip", address["ip"]), ("ready", ready)), 1.0


def _endpoint_ports(obj: Object) -> Measured:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports", ()):
            more = (
                ("port_name", port.get("name", "")),
                ("port_protocol", port.get("protocol", "TCP")),
                ("port_number", str(port["port"])),
            )
            yield (*_endpoint(obj), *more), 1.0


def _slice_endpoints(obj: Object) -> Measured:
    for endpoint in obj.get("endpoints") or ():
        said = endpoint.get("conditions") or {}
        target = endpoint.get("targetRef") or {}
        for address in endpoint["addresses"]:
            more = (
                ("ready", str(said.get("ready", True)).lower()),
                ("serving", str(said.get("serving", True)).lower()),
                ("terminating", str(said.get("terminating", False)).lower()),
                ("hostname", endpoint.get("hostname", "")),
                ("targetref_kind", target.get("kind", "")),
                ("targetref_name", target.get("name", "")),
                ("targetref_namespace", target.get("namespace", "")),
                ("endpoint_nodename", endpoint.get("nodeName", "")),
                ("address", address),
            )
            yield (*_slice(obj), *more), 1.0


def _slice_ports(obj: Object) -> Measured:
    for port in obj.get("ports") or ():
        more = (
            ("port_name", port.get("name", "")),
            ("port_protocol", port.get("protocol", "TCP")),
            ("port_number", str(port.get("port", ""))),
        )
        yield (*_slice(obj), *more), 1.0


SERVICES = (
    gauge("kube_service_info", "Information about service.", info(_service, ("cluster_ip", "spec.clusterIP"), ("external_name", "spec.externalName"), ("external_traffic_policy", "spec.externalTrafficPolicy"), ("load_balancer_ip", "spec.loadBalancerIP"))),
    gauge("kube_service_created", "Unix creation timestamp", creation(_service)),
    gauge("kube_service_labels", "Kubernetes labels converted to Prometheus labels.", labels_of_object(_service)),
    gauge("kube_service_spec_type", "Type about service.", info(_service, ("type", "spec.type"))),
)  # fmt: skip

ENDPOINTS = (
    gauge("kube_endpoint_info", "Information about endpoint.", info(_endpoint)),
    gauge("kube_endpoint_created", "Unix creation timestamp", creation(_endpoint)),
    gauge("kube_endpoint_address", "Information about Endpoint available and non available addresses.", _endpoint_address),
    gauge("kube_endpoint_ports", "Information about the Endpoint ports.", _endpoint_ports),
)  # fmt: skip

SLICES = (
    gauge("kube_endpointslice_info", "Information about endpointslice.", info(_slice, ("addresstype", "addressType"))),
    gauge("kube_endpointslice_created", "Unix creation timestamp", creation(_slice)),
    gauge("kube_endpointslice_endpoints", "Endpoints attached to the endpointslice.", _slice_endpoints),
    gauge("kube_endpointslice_ports", "Ports attached to the endpointslice.", _slice_ports),
)  # fmt: skip


def _version(labels: Callable[[Object], Pairs]) -> Callable[[Object], Measured]:
    def of(obj: Object) -> Measured:
        yield labels(obj), float(obj["metadata"]["resourceVersion"])

    return of


CONFIGMAPS = (
    gauge("kube_configmap_info", "Information about configmap.", info(_configmap)),
    gauge("kube_configmap_created", "Unix creation timestamp", creation(_configmap)),
    gauge("kube_configmap_metadata_resource_version", "Resource version representing a specific version of the configmap.", _version(_configmap)),
)  # fmt: skip

SECRETS = (
    gauge("kube_secret_info", "Information about secret.", info(_secret)),
    gauge("kube_secret_type", "Type about secret.", info(_secret, ("type", "type"))),
    gauge("kube_secret_created", "Unix creation timestamp", creation(_secret)),
    gauge("kube_secret_metadata_resource_version", "Resource version representing a specific version of secret.", _version(_secret)),
)  # fmt: skip


def _bytes(labels: Callable[[Object], Pairs], path: str) -> Callable[[Object], Measured]:
    def of(obj: Object) -> Measured:
        found = at(obj, path)
        if isinstance(found, str):
            yield labels(obj), float(parse(found))

    return of


def _access(obj: Object) -> Measured:
    for mode in obj["spec"].get("accessModes", ()):
        yield (*_claim(obj), ("access_mode", mode)), 1.0


CLAIMS = (
    gauge("kube_persistentvolumeclaim_info", "Information about persistent volume claim.", info(_claim, ("storageclass", "spec.storageClassName"), ("volumename", "spec.volumeName"), ("volumemode", "spec.volumeMode"))),
    gauge("kube_persistentvolumeclaim_created", "Unix creation timestamp", creation(_claim)),
    gauge("kube_persistentvolumeclaim_labels", "Kubernetes labels converted to Prometheus labels.", labels_of_object(_claim)),
    gauge("kube_persistentvolumeclaim_status_phase", "The phase the persistent volume claim is currently in.", phase(_claim, ("Pending", "Bound", "Lost"))),
    gauge("kube_persistentvolumeclaim_resource_requests_storage_bytes", "The capacity of storage requested by the persistent volume claim.", _bytes(_claim, "spec.resources.requests.storage")),
    gauge("kube_persistentvolumeclaim_access_mode", "The access mode(s) specified by the persistent volume claim.", _access),
    gauge("kube_persistentvolumeclaim_status_condition", "Information about status of different conditions of persistent volume claim.", lambda obj: conditions(_claim(obj), obj)),
)  # fmt: skip

VOLUMES = (
    gauge("kube_persistentvolume_info", "Information about persistentvolume.", info(_volume, ("storageclass", "spec.storageClassName"), ("host_path", "spec.hostPath.path"), ("host_path_type", "spec.hostPath.type"), ("reclaim_policy", "spec.persistentVolumeReclaimPolicy"))),
    gauge("kube_persistentvolume_created", "Unix creation timestamp", creation(_volume)),
    gauge("kube_persistentvolume_capacity_bytes", "Persistentvolume capacity in bytes.", _bytes(_volume, "spec.capacity.storage")),
    gauge("kube_persistentvolume_claim_ref", "Information about the Persistent Volume Claim Reference.", info(_volume, ("claim_namespace", "spec.claimRef.namespace"), ("name", "spec.claimRef.name"))),
    gauge("kube_persistentvolume_status_phase", "The phase indicates if a volume is available, bound to a claim, or released by a claim.", phase(_volume, ("Pending", "Available", "Bound", "Released", "Failed"))),
)  # fmt: skip

CLASSES = (
    gauge("kube_storageclass_info", "Information about storageclass.", info(_class, ("provisioner", "provisioner"), ("reclaim_policy", "reclaimPolicy"), ("volume_binding_mode", "volumeBindingMode"))),
    gauge("kube_storageclass_created", "Unix creation timestamp", creation(_class)),
)  # fmt: skip


def _quotas(obj: Object) -> Measured:
    for kind in ("hard", "used"):
        found = at(obj, f"status.{kind}")
        for name, amount in sorted(found.items()) if isinstance(found, dict) else ():
            yield (*_quota(obj), ("resource", name), ("type", kind)), float(parse(str(amount)))


def _limits(obj: Object) -> Measured:
    words = ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    for limit in obj["spec"].get("limits") or ():
        for word in words:
            for name, amount in sorted((limit.get(word) or {}).items()):
                more = (("resource", name), ("type", limit["type"]), ("constraint", word))
                yield (*_range(obj), *more), float(parse(str(amount)))


def _paths(obj: Object) -> Measured:
    for rule in obj["spec"].get("rules") or ():
        for path in (rule.get("http") or {}).get("paths", ()):
            service = path["backend"].get("service") or {}
            port = service.get("port") or {}
            more = (
                ("host", rule.get("host", "")),
                ("path", path.get("path", "")),
                ("path_type", path.get("pathType", "")),
                ("service_name", service.get("name", "")),
                ("service_port", str(port.get("number") or port.get("name") or "")),
            )
            yield (*_ingress(obj), *more), 1.0


def _rules(kind: str) -> Callable[[Object], Measured]:
    def of(obj: Object) -> Measured:
        yield _policy(obj), float(len(obj["spec"].get(kind) or ()))

    return of


def _holder(obj: Object) -> Measured:
    owners = obj["metadata"].get("ownerReferences") or [{}]
    more = (
        ("owner_kind", owners[0].get("kind", "")),
        ("owner_name", owners[0].get("name", "")),
        ("lease_holder", obj["spec"].get("holderIdentity", "")),
    )
    yield (*_lease(obj), *more), 1.0


QUOTAS = (
    gauge("kube_resourcequota", "Information about resource quota.", _quotas),
    gauge("kube_resourcequota_created", "Unix creation timestamp", creation(_quota)),
)
RANGES = (
    gauge("kube_limitrange", "Information about limit range.", _limits),
    gauge("kube_limitrange_created", "Unix creation timestamp", creation(_range)),
)
INGRESSES = (
    gauge("kube_ingress_info", "Information about ingress.", info(_ingress, ("ingressclass", "spec.ingressClassName"))),
    gauge("kube_ingress_created", "Unix creation timestamp", creation(_ingress)),
    gauge("kube_ingress_labels", "Kubernetes labels converted to Prometheus labels.", labels_of_object(_ingress)),
    gauge("kube_ingress_path", "Ingress host, paths and backend service information.", _paths),
)  # fmt: skip
POLICIES = (
    gauge("kube_networkpolicy_created", "Unix creation timestamp of network policy", creation(_policy)),
    gauge("kube_networkpolicy_spec_ingress_rules", "Number of ingress rules on the networkpolicy", _rules("ingress")),
    gauge("kube_networkpolicy_spec_egress_rules", "Number of egress rules on the networkpolicy", _rules("egress")),
)  # fmt: skip
LEASES = (gauge("kube_lease_owner", "Information about the Lease's owner.", _holder),)
