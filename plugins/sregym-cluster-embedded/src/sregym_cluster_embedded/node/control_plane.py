"""What the API server keeps about itself: its APIs, the fairness of requests, address ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.builtin import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object

SERVICE_RANGE = "10.96.0.0/16"

# In what order clients are told of the groups (the greater first) and, in one group, the versions.
_GROUP_PRIORITIES = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "storage.k8s.io": 16800,
    "apiextensions.k8s.io": 16700,
    "admissionregistration.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "resource.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
}
_VERSION_PRIORITIES = {("", "v1"): 1, ("autoscaling", "v2"): 30}
_USUAL_VERSION_PRIORITY = 15

# Shares, what others may borrow in percent, and queues, hand size and queue length; None rejects.
_LEVELS: dict[str, tuple[int, int, tuple[int, int, int] | None]] = {
    "catch-all": (5, 0, None),
    "global-default": (20, 50, (128, 6, 50)),
    "leader-election": (10, 0, (16, 4, 50)),
    "node-high": (40, 25, (64, 6, 50)),
    "system": (30, 33, (64, 6, 50)),
    "workload-high": (40, 50, (128, 6, 50)),
    "workload-low": (100, 90, (128, 6, 50)),
}
# Volume types of the kubelet's own that separate drivers have taken over.
_MOVED_TO_DRIVERS = (
    "aws-ebs",
    "azure-disk",
    "azure-file",
    "cinder",
    "gce-pd",
    "portworx-volume",
    "vsphere-volume",
)
_ANY = ["*"]
_EVERY_RESOURCE: Object = {
    "verbs": _ANY,
    "apiGroups": _ANY,
    "resources": _ANY,
    "clusterScope": True,
    "namespaces": _ANY,
}
_EVERY_PATH: Object = {"verbs": _ANY, "nonResourceURLs": _ANY}
_EVERYTHING: Object = {"resourceRules": [_EVERY_RESOURCE], "nonResourceRules": [_EVERY_PATH]}
_PROBES: Object = {
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]
}
_ELECTION: Object = {
    "resourceRules": [
        {
            "verbs": ["get", "create", "update"],
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "namespaces": _ANY,
        }
    ]
}
_NODES: Object = {
    "resourceRules": [
        {
            "verbs": _ANY,
            "apiGroups": [""],
            "resources": ["nodes", "nodes/status"],
            "clusterScope": True,
            "namespaces": _ANY,
        },
        {
            "verbs": _ANY,
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "namespaces": _ANY,
        },
    ]
}
_MANAGER = ("User", "system:kube-controller-manager")
_SCHEDULER = ("User", "system:kube-scheduler")
_ACCOUNTS = ("ServiceAccount", "*")
_KNOWN = ("Group", "system:authenticated")
_UNKNOWN = ("Group", "system:unauthenticated")
# Name, level, precedence, what requests are told apart by, what it is for, whose requests.
_SCHEMAS: tuple[tuple[str, str, int, str, Object, tuple[tuple[str, str], ...]], ...] = (
    ("exempt", "exempt", 1, "", _EVERYTHING, (("Group", "system:masters"),)),
    ("probes", "exempt", 2, "", _PROBES, (_UNKNOWN, _KNOWN)),
    (
        "system-leader-election",
        "leader-election",
        100,
        "ByUser",
        _ELECTION,
        (_MANAGER, _SCHEDULER, _ACCOUNTS),
    ),
    ("system-node-high", "node-high", 400, "ByUser", _NODES, (("Group", "system:nodes"),)),
    ("system-nodes", "system", 500, "ByUser", _EVERYTHING, (("Group", "system:nodes"),)),
    ("kube-controller-manager", "workload-high", 800, "ByNamespace", _EVERYTHING, (_MANAGER,)),
    ("kube-scheduler", "workload-high", 800, "ByNamespace", _EVERYTHING, (_SCHEDULER,)),
    (
        "kube-system-service-accounts",
        "workload-high",
        900,
        "ByNamespace",
        _EVERYTHING,
        (_ACCOUNTS,),
    ),
    (
        "service-accounts",
        "workload-low",
        9000,
        "ByUser",
        _EVERYTHING,
        (("Group", "system:serviceaccounts"),),
    ),
    ("global-default", "global-default", 9900, "ByUser", _EVERYTHING, (_UNKNOWN, _KNOWN)),
    ("catch-all", "catch-all", 10000, "ByUser", _EVERYTHING, (_UNKNOWN, _KNOWN)),
)


def server_lease(instance: str, uid: str, node: str, now: str) -> Object:
    """The lease by which an API server tells others that it lives."""
    name = f"apiserver-{instance}"
    return {
        "metadata": {
            "name": name,
            "namespace": "kube-system",
            "labels": {
                "apiserver.kubernetes.io/identity": "kube-apiserver",
                "kubernetes.io/hostname": node,
            },
        },
        "spec": {
            "holderIdentity": f"{name}_{uid}",
            "leaseDurationSeconds": 3600,
            "renewTime": now,
        },
    }


def api_services(now: str) -> list[Object]:
    """One for each version of each group that the server serves itself."""
    versions = dict.fromkeys((kind.group, kind.version) for kind in BUILT_IN)
    condition = {
        "lastTransitionTime": now,
        "message": "Local APIServices are always available",
        "reason": "Local",
        "status": "True",
        "type": "Available",
    }
    return [
        {
            "metadata": {
                "name": f"{version}.{group}",
                "labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"},
            },
            "spec": {
                **({"group": group} if group else {}),
                "groupPriorityMinimum": _GROUP_PRIORITIES[group],
                "version": version,
                "versionPriority": _VERSION_PRIORITIES.get(
                    (group, version), _USUAL_VERSION_PRIORITY
                ),
            },
            "status": {"conditions": [condition]},
        }
        for group, version in versions
        # The API of the API services is served by the aggregator itself and has none.
        if group in _GROUP_PRIORITIES
    ]


def priority_levels() -> list[Object]:
    """The shares of the server's capacity that kinds of requests have."""
    exempt: Object = {
        "metadata": _automatic("exempt"),
        "spec": {
            "type": "Exempt",
            "exempt": {"lendablePercent": 0, "nominalConcurrencyShares": 0},
        },
        "status": {},
    }
    return [exempt, *(_limited(name, *level) for name, level in _LEVELS.items())]


def flow_schemas(now: str) -> list[Object]:
    """Which requests belong to which level."""
    return [
        {
            "metadata": _automatic(name),
            "spec": {
                "priorityLevelConfiguration": {"name": level},
                "matchingPrecedence": precedence,
                **({"distinguisherMethod": {"type": method}} if method else {}),
                "rules": [{"subjects": [_subject(*entry) for entry in subjects], **rules}],
            },
            "status": {
                "conditions": [
                    {
                        "type": "Dangling",
                        "status": "False",
                        "lastTransitionTime": now,
                        "reason": "Found",
                        "message": "This FlowSchema references the PriorityLevelConfiguration "
                        f'object named "{level}" and it exists',
                    }
                ]
            },
        }
        for name, level, precedence, method, rules, subjects in _SCHEMAS
    ]


def service_range(now: str) -> Object:
    """The range from which services get their addresses."""
    return {
        "metadata": {
            "name": "kubernetes",
            "finalizers": ["networking.k8s.io/service-cidr-finalizer"],
        },
        "spec": {"cidrs": [SERVICE_RANGE]},
        "status": {
            "conditions": [
                {
                    "lastTransitionTime": now,
                    "message": "Kubernetes default Service CIDR is ready",
                    "observedGeneration": 0,
                    "reason": "",
                    "status": "True",
                    "type": "Ready",
                }
            ]
        },
    }


def storage_of_node(node: Object, drivers: Sequence[Object] = ()) -> Object:
    """The CSINode that a kubelet makes, with the drivers that have registered with it."""
    metadata = node["metadata"]
    plugins = ",".join(f"kubernetes.io/{name}" for name in _MOVED_TO_DRIVERS)
    owner = {"apiVersion": "v1", "kind": "Node", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "metadata": {
            "name": metadata["name"],
            "annotations": {"storage.alpha.kubernetes.io/migrated-plugins": plugins},
            "ownerReferences": [owner],
        },
        "spec": {"drivers": list(drivers) or None},
    }


def _limited(name: str, shares: int, lendable: int, queuing: tuple[int, int, int] | None) -> Object:
    response: Object = {"type": "Reject"}
    if queuing is not None:
        queues, hand, length = queuing
        sizes = {"handSize": hand, "queueLengthLimit": length, "queues": queues}
        response = {"queuing": sizes, "type": "Queue"}
    return {
        "metadata": _automatic(name),
        "spec": {
            "type": "Limited",
            "limited": {
                "lendablePercent": lendable,
                "limitResponse": response,
                "nominalConcurrencyShares": shares,
            },
        },
        "status": {},
    }


def _automatic(name: str) -> Object:
    return {"name": name, "annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}


def _subject(kind: str, name: str) -> Object:
    if kind == "ServiceAccount":
        return {"kind": kind, "serviceAccount": {"name": name, "namespace": "kube-system"}}
    return {"kind": kind, kind.lower(): {"name": name}}
