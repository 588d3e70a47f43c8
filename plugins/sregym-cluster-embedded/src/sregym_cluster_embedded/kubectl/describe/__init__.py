"""`kubectl describe`; each kind is described by a module that is imported when it is met."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.builder import documents, selector_query, targets
from sregym_cluster_embedded.kubectl.editing import Found
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import FILES, IGNORED, SELECTION, switch
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.store import Object

FLAGS = (*SELECTION, *IGNORED, *FILES, switch("show-events"), switch("all-namespaces", "A"))

_NOTHING = """error: You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources."""
_RBAC = "rbac.authorization.k8s.io"
_NETWORK = "networking.k8s.io"
# Module and function; kinds of which kubectl knows nothing are described field by field.
_DESCRIBERS: MappingProxyType[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {
        ("", "Pod"): ("pods", "describe_pod"),
        ("apps", "Deployment"): ("workloads", "describe_deployment"),
        ("apps", "ReplicaSet"): ("workloads", "describe_replica_set"),
        ("", "ReplicationController"): ("workloads", "describe_replication_controller"),
        ("apps", "StatefulSet"): ("sets", "describe_stateful_set"),
        ("apps", "DaemonSet"): ("sets", "describe_daemon_set"),
        ("batch", "Job"): ("jobs", "describe_job"),
        ("batch", "CronJob"): ("jobs", "describe_cron_job"),
        ("autoscaling", "HorizontalPodAutoscaler"): ("autoscalers", "describe_autoscaler"),
        ("", "Service"): ("services", "describe_service"),
        ("", "Endpoints"): ("endpoints", "describe_endpoints"),
        ("discovery.k8s.io", "EndpointSlice"): ("endpoints", "describe_slice"),
        (_NETWORK, "Ingress"): ("ingresses", "describe_ingress"),
        (_NETWORK, "IngressClass"): ("ingresses", "describe_ingress_class"),
        (_NETWORK, "NetworkPolicy"): ("network_policies", "describe_network_policy"),
        ("", "ConfigMap"): ("settings", "describe_configmap"),
        ("", "Secret"): ("settings", "describe_secret"),
        (_RBAC, "Role"): ("access_rules", "describe_role"),
        (_RBAC, "ClusterRole"): ("access_rules", "describe_role"),
        (_RBAC, "RoleBinding"): ("access_rules", "describe_binding"),
        (_RBAC, "ClusterRoleBinding"): ("access_rules", "describe_binding"),
        ("", "ServiceAccount"): ("access_rules", "describe_service_account"),
        ("", "ResourceQuota"): ("limits", "describe_quota"),
        ("", "LimitRange"): ("limits", "describe_limit_range"),
        ("policy", "PodDisruptionBudget"): ("limits", "describe_disruption_budget"),
        ("scheduling.k8s.io", "PriorityClass"): ("limits", "describe_priority_class"),
        ("", "Namespace"): ("limits", "describe_namespace"),
        ("", "PersistentVolumeClaim"): ("claims", "describe_claim"),
        ("", "PersistentVolume"): ("storage", "describe_volume"),
        ("storage.k8s.io", "StorageClass"): ("storage", "describe_storage_class"),
        ("storage.k8s.io", "CSINode"): ("storage", "describe_csi_node"),
        ("", "Node"): ("nodes", "describe_node"),
    }
)
# Kinds that the binary describes in a way of their own, and the twin does not.
_LEFT = frozenset({
    ("certificates.k8s.io", "CertificateSigningRequest"), (_NETWORK, "ServiceCIDR"),
    (_NETWORK, "IPAddress"), ("storage.k8s.io", "VolumeAttributesClass"),
})  # fmt: skip


def describe(session: Session) -> None:
    """Run `kubectl describe`."""
    arguments = session.arguments
    if not arguments.words and not arguments.of_files:
        raise CommandError(_NOTHING)
    if arguments.has("all"):
        raise NotCovered("describe --all")
    errors: list[CommandError] = []
    found = _found(session, errors)
    if (errors or len(found) > 1) and not arguments.has("show-events"):
        arguments.given["show-events"] = ["false"]
    if len(arguments.words) == 2 and any(_not_found(error) for error in errors):
        _describe_beginning_so(session, errors[0])
        return
    session.out.append("\n\n".join(_text(session, one.kind, one.obj) for one in found))
    raise_all(errors)
    if not found:
        where = "" if arguments.on("all-namespaces") else f" in {session.namespace} namespace."
        session.complain(f"No resources found{where}")


def _not_found(error: CommandError) -> bool:
    return isinstance(error, ServerError) and error.not_found


def _found(session: Session, errors: list[CommandError]) -> list[Found]:
    """What the words and files mean, as it is on the server."""
    arguments, client = session.arguments, session.client
    query = selector_query(arguments)
    namespace = None if arguments.on("all-namespaces") else session.namespace
    found: list[Found] = []
    if arguments.of_files:
        for document in documents(session, arguments.words):
            metadata = document.obj["metadata"]
            place = metadata.get("namespace", session.namespace)
            with collected(errors):
                obj = client.get(document.kind, place, metadata["name"])
                found.append(Found(document.kind, place, metadata["name"], obj))
        return found
    chosen = targets(client, arguments.words, bool(query))
    if namespace is None and any(target.name for target in chosen):
        raise CommandError("error: a resource cannot be retrieved by name across all namespaces")
    for kind, name in ((target.kind, target.name) for target in chosen):
        with collected(errors):
            objects = _objects(session, kind, namespace, name, query)
            found += (Found(kind, namespace, obj["metadata"]["name"], obj) for obj in objects)
    return found


def _objects(
    session: Session,
    kind: ResourceType,
    namespace: str | None,
    name: str,
    query: Sequence[tuple[str, str]],
) -> list[Object]:
    if name:
        return [session.client.get(kind, namespace, name)]
    return session.client.list(kind, namespace, query)


def _describe_beginning_so(session: Session, error: CommandError) -> None:
    """`describe TYPE NAME` of a name that is not there: of all whose names begin so."""
    word, prefix = session.arguments.words
    if "," in word:
        raise NotCovered("the beginning of names of several types")
    kind = session.client.resource_type(word)
    listed = session.client.list(kind, session.namespace)
    same = [obj for obj in listed if obj["metadata"]["name"].startswith(prefix)]
    if not same:
        raise error
    session.out += (_text(session, kind, obj) + "\n" for obj in same)


def _text(session: Session, kind: ResourceType, obj: Object) -> str:
    key = (kind.group, kind.kind)
    if key in _LEFT:
        raise NotCovered(f"describe a {kind.kind}")
    module, function = _DESCRIBERS.get(key, ("unstructured", "describe_unstructured"))
    found = import_module(f"sregym_cluster_embedded.kubectl.describe.{module}")
    act: Callable[[Session, Object], str] = getattr(found, function)
    return act(session, obj)
