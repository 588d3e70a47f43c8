"""What an agent may do in a cluster, and giving it that role and taking it away.

An engineer on call: everything inside the namespaces of the application, a look at everything else
but secrets, and of what belongs to the whole cluster the repair of nodes, volumes, classes and
admission. No rights grow: no impersonation, no tokens and no programs of others, no way
through the kubelet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef
from sregym_core.policy.role import ON_CALL, on_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.policy import Identity

CLUSTER = "on-call-cluster"
APPLICATION = "on-call-application"
SYSTEM = "on-call-system"
_GROUP = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
_WRITE = ["create", "update", "patch", "delete"]

_CORE = (
    "componentstatuses", "configmaps", "endpoints", "events", "limitranges", "namespaces",
    "namespaces/status", "nodes", "nodes/status", "persistentvolumeclaims",
    "persistentvolumeclaims/status", "persistentvolumes", "persistentvolumes/status", "pods",
    "pods/log", "pods/status", "podtemplates", "replicationcontrollers",
    "replicationcontrollers/scale", "replicationcontrollers/status", "resourcequotas",
    "resourcequotas/status", "serviceaccounts", "services", "services/status",
)  # fmt: skip
_GROUPS = (
    "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps",
    "autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
    "events.k8s.io", "flowcontrol.apiserver.k8s.io", "metrics.k8s.io", "networking.k8s.io",
    "node.k8s.io", "policy", _GROUP, "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
)  # fmt: skip


def grant(cluster: Cluster, namespaces: Sequence[str], suffix: str = "") -> None:
    """Give the role to the agent; what is there already is left as it is.

    Args:
        cluster: Where.
        namespaces: Of the application.
        suffix: With which they end: agents that share a cluster have roles of their own.
    """
    for obj in manifests(namespaces, on_call(suffix), suffix):
        try:
            cluster.create(obj)
        except ClusterError as error:
            if error.reason != "AlreadyExists":
                raise


def revoke(cluster: Cluster, namespaces: Sequence[str], suffix: str = "") -> None:
    """Take the role away."""
    for obj in reversed(manifests(namespaces, on_call(suffix), suffix)):
        cluster.delete(ObjectRef.of(obj))


def manifests(
    namespaces: Sequence[str], identity: Identity = ON_CALL, suffix: str = ""
) -> list[dict[str, Any]]:
    """The roles and bindings for an application with these namespaces.

    Args:
        namespaces: Of the application.
        identity: Who has them.
        suffix: With which names of these objects end.
    """
    cluster, application, system = (f"{name}{suffix}" for name in (CLUSTER, APPLICATION, SYSTEM))
    subjects = [{"apiGroup": _GROUP, "kind": "Group", "name": name} for name in identity.groups]
    inside = {"apiGroups": ["*"], "resources": ["*"]}
    inside["verbs"] = [*_READ, *_WRITE, "deletecollection"]
    objects = [
        _role(cluster, _rules_of_the_cluster()),
        _binding("ClusterRoleBinding", cluster, cluster, subjects),
        _role(application, [inside]),
        _role(system, _repairs_of_the_system()),
        _binding("RoleBinding", system, system, subjects, "kube-system"),
    ]
    objects += [
        _binding("RoleBinding", application, application, subjects, namespace)
        for namespace in namespaces
    ]
    return objects


def _rules_of_the_cluster() -> list[dict[str, Any]]:
    groups = [{"apiGroups": [name], "resources": ["*"], "verbs": _READ} for name in _GROUPS]
    cluster_wide = [
        _rule("", ("nodes",), "update", "patch"),
        _rule("", ("persistentvolumes",), "update", "patch"),
        _rule("storage.k8s.io", ("storageclasses", "volumeattachments"), *_WRITE),
        _rule("scheduling.k8s.io", ("priorityclasses",), *_WRITE),
        _rule(
            "flowcontrol.apiserver.k8s.io",
            ("flowschemas", "prioritylevelconfigurations"), *_WRITE,
        ),
        _rule("networking.k8s.io", ("ingressclasses",), *_WRITE),
        _rule("apiregistration.k8s.io", ("apiservices",), "delete"),
        _rule("apiextensions.k8s.io", ("customresourcedefinitions",), "update", "patch"),
        _rule(
            "admissionregistration.k8s.io",
            (
                "mutatingwebhookconfigurations", "validatingwebhookconfigurations",
                "mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
                "validatingadmissionpolicies", "validatingadmissionpolicybindings",
            ),
            *_WRITE,
        ),
    ]  # fmt: skip
    return [_rule("", _CORE, *_READ), *groups, *cluster_wide]


def _repairs_of_the_system() -> list[dict[str, Any]]:
    """Settings and restarts; the right to change its programs implies the rights of all of them."""
    return [
        _rule("", ("configmaps",), "update", "patch"),
        _rule("", ("pods",), "delete"),
        _rule("", ("pods/eviction",), "create"),
        _rule("apps", ("deployments/scale", "statefulsets/scale"), "update", "patch"),
    ]


def _rule(group: str, resources: Sequence[str], *verbs: str) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def _role(name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rules,
    }


def _binding(
    kind: str, name: str, role: str, subjects: list[dict[str, str]], namespace: str = ""
) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {
        "apiVersion": f"{_GROUP}/v1",
        "kind": kind,
        "metadata": {"name": name, **place},
        "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": role},
        "subjects": subjects,
    }
