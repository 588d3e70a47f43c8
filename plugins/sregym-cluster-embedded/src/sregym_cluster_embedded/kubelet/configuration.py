"""Reading ConfigMaps, Secrets and the pod's own fields for environment and volumes."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING
from zlib import crc32

from sregym_cluster_embedded.api.pod_requests import milli, whole
from sregym_cluster_embedded.kubelet.state import PodState, container_spec
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World


class Missing(Exception):
    """Something that a pod needs is not there; the text is the kubelet's own."""


def config_data(world: World, namespace: str, resource: str, name: str) -> dict[str, str] | None:
    """The content of a ConfigMap or Secret, decoded; None when it does not exist."""
    obj = world.store.get(Key(resource, namespace, name))
    if obj is None:
        return None
    plain = dict(obj.get("data") or {}) if resource == "configmaps" else {}
    encoded = obj.get("binaryData" if resource == "configmaps" else "data") or {}
    for key, text in encoded.items():
        plain[key] = _decoded(text)
    return plain


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text or "").decode(errors="surrogateescape")
    except (binascii.Error, ValueError):
        return ""


def field_value(pod: Object, state: PodState, host_ip: str, path: str) -> str:
    """What a `fieldRef` stands for.

    Raises:
        Missing: There is no such field to refer to.
    """
    metadata = pod["metadata"]
    spec = pod["spec"]
    for field in ("labels", "annotations"):
        if path == f"metadata.{field}":
            entries = sorted({**metadata.get(field, {}), **_own(metadata, field)}.items())
            return "\n".join(f"{key}={_quoted(value)}" for key, value in entries)
        if path.startswith(f"metadata.{field}['"):
            key = path[len(f"metadata.{field}['") : -2]
            value: str = metadata.get(field, {}).get(key, "")
            return value
    simple = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata.get("namespace", ""),
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "status.hostIP": host_ip,
        "status.hostIPs": host_ip,
        "status.podIP": state.ip,
        "status.podIPs": state.ip,
    }
    if path not in simple:
        message = f"unsupported fieldPath: {path}"
        raise Missing(message)
    text: str = simple[path]
    return text


def _own(metadata: Object, field: str) -> dict[str, str]:
    """What the kubelet notes at a pod in its own memory, and shows with the annotations."""
    if field != "annotations":
        return {}
    nanos = crc32(metadata["uid"].encode()) % 10**9
    seen = f"{metadata['creationTimestamp'].rstrip('Z')}.{nanos:09d}Z"
    return {"kubernetes.io/config.seen": seen, "kubernetes.io/config.source": "api"}


def resource_value(world: World, pod: Object, container: Object, reference: Object) -> str:
    """What a `resourceFieldRef` stands for; without a limit, what the node could give."""
    if reference.get("containerName"):
        container = container_spec(pod["spec"], reference["containerName"])
    which, _, resource = reference["resource"].partition(".")
    resources = container.get("resources") or {}
    text = resources.get(which, {}).get(resource)
    if text is None and which == "limits":
        node = world.store.get(Key("nodes", "", pod["spec"].get("nodeName", "")))
        if node is not None:
            text = node.get("status", {}).get("allocatable", {}).get(resource)
    if text is None:
        text = resources.get("limits", {}).get(resource, "0")
    divisor = reference.get("divisor") or "0"
    if resource == "cpu":
        unit = milli(divisor) or 1000
        return str(-(-milli(text) // unit))
    return str(-(-whole(text) // (whole(divisor) or 1)))


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
