"""Making a cluster: nodes, the namespaces, and the objects that every cluster begins with."""

from __future__ import annotations

from base64 import b32encode
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines, storage_drivers
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.controllers.namespace import extra_setup
from sregym_cluster_embedded.kubelet.images import preload
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.references import configuration_id
from sregym_cluster_embedded.kubelet.users import reports_users
from sregym_cluster_embedded.node import (
    authorization_objects,
    control_plane,
    kubeadm,
    restoring,
    system_objects,
)
from sregym_cluster_embedded.node.addresses import free_address, pod_network
from sregym_cluster_embedded.node.conditions import conditions
from sregym_cluster_embedded.node.kubelets import announce_boot
from sregym_cluster_embedded.node.registration import announce_registration
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime
    from sregym_cluster_embedded.world import World

KUBELET_VERSION = "v1.36.2"
# The part of a disk that the system itself and its packages fill.
_DISK_USED = 0.19
# What this version of the kubelet declares that others may not have.
_DECLARED_FEATURES = (
    "ExtendWebSocketsToKubelet",
    "InPlacePodLevelResourcesVerticalScaling",
    "InPlacePodVerticalScalingInitContainers",
    "RestartAllContainersOnContainerExits",
)


@dataclass(frozen=True)
class NodeSpec:
    """One node to be made.

    Attributes:
        name: Empty for `node1`, `node2` ... in order.
        address: InternalIP; empty for a free one in the network of the others.
        cpu: Cores.
        memory_kib: Memory.
        disk_kib: Root file system.
        pods: How many pods it takes at most.
        labels: Labels besides the usual ones.
        taints: As in the API.
        images: Image references that are on the node from the beginning. Their ids and sizes come
            from the runtime.
        container_runtime: Name and version.
        cgroup_version: 1 or 2.
        role: `machines.CONTROL_PLANE` for a node of the control plane alone, as kubeadm makes it;
            the first one runs it, and with it kube-proxy and the pod network are pods.
        invalid_share: As of `machines.Machine`.
    """

    name: str = ""
    address: str = ""
    cpu: int = 8
    memory_kib: int = 32 * 1024 * 1024
    disk_kib: int = 264_212_084
    pods: int = 110
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Object, ...] = ()
    images: tuple[str, ...] = ()
    container_runtime: str = "containerd://2.1.4"
    cgroup_version: int = 2
    role: str = ""
    invalid_share: float = 0.0


def bootstrap(
    world: World,
    nodes: Sequence[NodeSpec] = (NodeSpec(), NodeSpec()),
    dns_replicas: int = 1,
    dns: system_objects.Dns = system_objects.INSTALLED,
) -> None:
    """Fill an empty world; the pods of the DNS start as time goes on.

    Args:
        world: A world whose constitution holds controllers, scheduler, kubelet and a runtime.
        nodes: The nodes; `node1`, `node2` ... where unnamed.
        dns_replicas: Replicas of the cluster DNS.
        dns: How it was installed.
    """
    for name in system_objects.NAMESPACES:
        internal_client.create(world, "namespaces", system_objects.namespace(name))
        extra_setup(world, name)
    _add_control_plane(world)
    for entry in system_objects.priority_classes():
        internal_client.create(world, "priorityclasses.scheduling.k8s.io", entry)
    internal_client.create(world, "storageclasses.storage.k8s.io", system_objects.storage_class())
    leads = any(spec.role == machines.CONTROL_PLANE for spec in nodes)
    for spec in nodes:
        images = (*spec.images, dns.image, *(kubeadm.images_of(spec.role) if leads else ()))
        add_node(world, replace(spec, images=images))
    host = (nodes[0].name or "node1") if nodes else "node1"
    identity = b32encode(sha256(f"server {world.seed.value}".encode()).digest()[:16])
    instance = identity.decode().rstrip("=").lower()
    now = world.micro_timestamp()
    lease = control_plane.server_lease(instance, world.seed.uid(), host, now)
    internal_client.create(world, "leases.coordination.k8s.io", lease)
    internal_client.create(world, "services", system_objects.api_service())
    endpoints, sliced = system_objects.api_endpoints(machines.control_plane_address(world))
    internal_client.create(world, "endpoints", endpoints)
    internal_client.create(world, "endpointslices.discovery.k8s.io", sliced)
    account = {"metadata": {"name": "coredns", "namespace": "kube-system"}}
    internal_client.create(world, "serviceaccounts", account)
    internal_client.create(world, "configmaps", system_objects.dns_config())
    internal_client.create(world, "services", system_objects.dns_service(dns))
    if dns_replicas:
        deployment = system_objects.dns_deployment(dns_replicas, dns.image)
        internal_client.create(world, "deployments.apps", deployment)
    if leads:
        kubeadm.install(world)


def _add_control_plane(world: World) -> None:
    now = world.timestamp()
    rbac = f".{authorization_objects.RBAC}"
    fairness = ".flowcontrol.apiserver.k8s.io"
    accounts = [
        {"metadata": {"name": name, "namespace": "kube-system"}}
        for name in authorization_objects.controller_accounts()
    ]
    configs = [
        system_objects.authentication_config(certificate_authority(world)),
        system_objects.token_tracking(now[:10]),
    ]
    for resource, entries in (
        ("apiservices.apiregistration.k8s.io", control_plane.api_services(now)),
        (f"prioritylevelconfigurations{fairness}", control_plane.priority_levels()),
        (f"flowschemas{fairness}", control_plane.flow_schemas(now)),
        ("servicecidrs.networking.k8s.io", [control_plane.service_range(now)]),
        (f"clusterroles{rbac}", authorization_objects.cluster_roles()),
        (f"clusterrolebindings{rbac}", authorization_objects.cluster_role_bindings()),
        (f"roles{rbac}", authorization_objects.roles()),
        (f"rolebindings{rbac}", authorization_objects.role_bindings()),
        ("serviceaccounts", accounts),
        ("configmaps", configs),
    ):
        for entry in entries:
            internal_client.create(world, resource, entry)
            if "status" in entry:
                # As of any new object, what was given as status was not taken.
                key = Key(resource, "", entry["metadata"]["name"])
                internal_client.update_status(world, key, entry["status"])


def add_node(world: World, spec: NodeSpec) -> Object:
    """Let a machine join the cluster; returns its Node.

    Raises:
        ApiError: AlreadyExists: there is a node of that name.
    """
    number = 1 + max((entry.number for entry in machines.machines(world)), default=-1)
    name = spec.name or f"node{number + 1}"
    root = machines.Disk("root", spec.disk_kib * 1024, int(spec.disk_kib * 1024 * _DISK_USED))
    machine = machines.Machine(
        name,
        number,
        spec.memory_kib,
        (root,),
        address=spec.address or free_address(world),
        role=spec.role,
        invalid_share=spec.invalid_share,
    )
    listed = _images(world, name, spec.images)
    # From the first write on everybody has to know that there is a machine behind the node.
    machines.add(world, machine)
    node = internal_client.create(world, "nodes", _node_object(spec, name, number))
    status = _node_status(world, spec, machine, listed)
    node = internal_client.update_status(world, Key("nodes", "", name), status) or node
    present = [
        storage_drivers.registration(entry, name) for entry in storage_drivers.installed(world)
    ]
    internal_client.create(
        world, storage_drivers.CSI_NODES, control_plane.storage_of_node(node, present)
    )
    restoring.create_lease(world, node)
    announce_boot(world, name, spec.cgroup_version)
    announce_registration(world, node)
    return node


def _images(world: World, node: str, images: Sequence[str]) -> list[Object]:
    """Put images onto a node; returns its status.images, the largest first."""
    runtime: ContainerRuntime = world.service(RUNTIME)
    listed: list[Object] = [
        {"names": [system_objects.PAUSE_IMAGE], "sizeBytes": system_objects.PAUSE_SIZE_BYTES}
    ]
    for image in dict.fromkeys(images):
        pulled = runtime.pull(world, node, image)
        if pulled.found:
            # No registry told the digest of the manifest of what was imported, not pulled.
            preload(world, node, image, configuration_id(pulled.image_id), pulled.size_bytes)
            listed.append({"names": [image], "sizeBytes": pulled.size_bytes})
    return sorted(listed, key=lambda entry: (-entry["sizeBytes"], entry["names"]))


def _node_object(spec: NodeSpec, name: str, number: int) -> Object:
    network = pod_network(number)
    node_spec: Object = {"podCIDR": network, "podCIDRs": [network]}
    leads = spec.role == machines.CONTROL_PLANE
    taints = (kubeadm.TAINT, *spec.taints) if leads else spec.taints
    if taints:
        node_spec["taints"] = [dict(taint) for taint in taints]
    return {
        "metadata": {
            "name": name,
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                **(kubeadm.LABELS if leads else {}),
                **spec.labels,
            },
            "annotations": {
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            },
        },
        "spec": node_spec,
    }


def _node_status(
    world: World, spec: NodeSpec, machine: machines.Machine, images: list[Object]
) -> Object:
    identity, runtime = world.seed.hexadecimal(32), spec.container_runtime
    return {
        "addresses": [
            {"type": "InternalIP", "address": machine.address},
            {"type": "Hostname", "address": machine.name},
        ],
        "allocatable": {
            "cpu": str(spec.cpu),
            # A tenth of the disk and 100 MiB of memory are what the kubelet keeps free.
            "ephemeral-storage": str(int(spec.disk_kib * 1024 * 0.9)),
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "memory": f"{spec.memory_kib - 100 * 1024}Ki",
            "pods": str(spec.pods),
        },
        "capacity": {
            "cpu": str(spec.cpu),
            "ephemeral-storage": f"{spec.disk_kib}Ki",
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "memory": f"{spec.memory_kib}Ki",
            "pods": str(spec.pods),
        },
        "conditions": conditions(world, machine.name),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "declaredFeatures": list(_DECLARED_FEATURES),
        **({"features": {"supplementalGroupsPolicy": True}} if reports_users(runtime) else {}),
        "images": images,
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": world.seed.uid(),
            "containerRuntimeVersion": runtime,
            "kernelVersion": machines.KERNEL,
            "kubeProxyVersion": "",
            "kubeletVersion": KUBELET_VERSION,
            "machineID": identity,
            "operatingSystem": "linux",
            "osImage": "Debian GNU/Linux 12 (bookworm)",
            "systemUUID": identity,
        },
    }
