"""What admission adds to a new object, and what it refuses."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors, limits, priorities, quota
from sregym_cluster_embedded.api.quality import qos_class
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SOURCES = [
    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
    {
        "configMap": {
            "name": "kube-root-ca.crt",
            "items": [{"key": "ca.crt", "path": "ca.crt"}],
        }
    },
    {
        "downwardAPI": {
            "items": [
                {
                    "path": "namespace",
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                }
            ]
        }
    },
]
# A name of which a server thinks up the end: what it keeps of its beginning, and the end's length.
_KEPT, _THOUGHT_UP = 58, 5
_TOLERATED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATION_S = 300
_MIRROR = "kubernetes.io/config.mirror"
# What the server says of a pod that must not be scheduled yet; not of which generation.
_GATED: Mapping[str, Any] = MappingProxyType(
    {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }
)


def admit(world: World, kind: Resource, obj: Object) -> Object:
    """A new object as admission lets it pass.

    Raises:
        errors.ApiError: Forbidden.
    """
    if kind.name == "pods":
        ranged = world.store.has_any("limitranges", obj["metadata"]["namespace"])
        obj = _pod(world, kind, limits.with_defaults(world, obj) if ranged else obj)
        status = {**obj["status"], "qosClass": qos_class(obj["spec"])}
        if obj["spec"].get("schedulingGates"):
            status["conditions"] = [{**_GATED, "lastTransitionTime": world.timestamp()}]
        obj = {**obj, "status": status}
        if ranged:
            limits.check(world, kind, obj)
    elif kind.name == "persistentvolumeclaims":
        limits.check(world, kind, obj)
    if kind.name != "events":
        quota.admit(world, kind, obj)
    return obj


def _pod(world: World, kind: Resource, obj: Object) -> Object:
    spec = dict(obj["spec"])
    if _MIRROR not in obj["metadata"].get("annotations", {}):
        _service_account(world, kind, obj["metadata"], spec)
    if spec.get("runtimeClassName"):
        _runtime_class(world, kind, obj["metadata"], spec)
    priorities.resolve(world, kind, _early_name(obj["metadata"]), spec)
    _tolerations(spec)
    return {**obj, "spec": spec}


def _early_name(metadata: dict[str, Any]) -> str:
    """What a new pod is called before the server thinks up an end of its name."""
    name: str = metadata["name"]
    base: str = metadata.get("generateName", "")
    return base if base and name[:-_THOUGHT_UP] == base[:_KEPT] else name


def _runtime_class(
    world: World, kind: Resource, metadata: dict[str, Any], spec: dict[str, Any]
) -> None:
    name = spec["runtimeClassName"]
    found = world.store.get(Key("runtimeclasses.node.k8s.io", "", name))
    if found is None:
        why = f'pod rejected: RuntimeClass "{name}" not found'
        raise errors.forbidden(kind, _early_name(metadata), why)
    overhead = (found.get("overhead") or {}).get("podFixed")
    if overhead:
        spec["overhead"] = overhead
    chosen = (found.get("scheduling") or {}).get("nodeSelector")
    if chosen:
        spec["nodeSelector"] = {**spec.get("nodeSelector", {}), **chosen}


def _service_account(
    world: World, kind: Resource, metadata: dict[str, Any], spec: dict[str, Any]
) -> None:
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    namespace = metadata["namespace"]
    account = world.store.get(Key("serviceaccounts", namespace, name))
    if account is None:
        why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise errors.forbidden(kind, _early_name(metadata), why)
    if "imagePullSecrets" in account and "imagePullSecrets" not in spec:
        spec["imagePullSecrets"] = account["imagePullSecrets"]
    wanted = spec.get("automountServiceAccountToken")
    if wanted is None:
        wanted = account.get("automountServiceAccountToken", True)
    if wanted:
        _mount_token(world, spec)


def _mount_token(world: World, spec: dict[str, Any]) -> None:
    volumes = spec.get("volumes", [])
    given = next(
        (
            entry["name"]
            for entry in volumes
            if entry.get("name", "").startswith("kube-api-access-")
        ),
        None,
    )
    volume = given or f"kube-api-access-{world.seed.suffix()}"
    mounted = False
    for field in ("initContainers", "containers"):
        if field not in spec:
            continue
        containers = []
        for container in spec[field]:
            mounts = container.get("volumeMounts", [])
            if not any(mount.get("mountPath") == _TOKEN_PATH for mount in mounts):
                mount = {"name": volume, "readOnly": True, "mountPath": _TOKEN_PATH}
                container = {**container, "volumeMounts": [*mounts, mount]}
                mounted = True
            containers.append(container)
        spec[field] = containers
    if mounted and given is None:
        source = {"sources": _TOKEN_SOURCES, "defaultMode": 0o644}
        spec["volumes"] = [*volumes, {"name": volume, "projected": source}]


def _tolerations(spec: dict[str, Any]) -> None:
    given = spec.get("tolerations", [])
    missing = [
        key
        for key in _TOLERATED
        if not any(
            entry.get("key") in (key, None, "") and entry.get("effect") in ("NoExecute", None, "")
            for entry in given
        )
    ]
    if missing:
        spec["tolerations"] = [
            *given,
            *(
                {
                    "key": key,
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": _TOLERATION_S,
                }
                for key in missing
            ),
        ]
