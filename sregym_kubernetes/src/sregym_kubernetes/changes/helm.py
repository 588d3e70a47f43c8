"""Releases as Helm keeps them: a Secret for each revision, with the manifests of that time.

`helm list` and `helm history` read nothing else. The payload is what Helm 3 writes: JSON, gzip, base64.
"""

from __future__ import annotations

import base64
import gzip
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_core.model import ObjectRef

from sregym_kubernetes.changes.delivery import DELIVERERS, HELM_NAMESPACE, HELM_RELEASE, Delivery
from sregym_kubernetes.changes.patches import apply_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

TYPE = "helm.sh/release.v1"
_PREFIX = "sh.helm.release.v1."
# Helm's `--history-max`.
KEPT = 10
# What an API server takes in one Secret; Helm cannot install what is larger.
_MOST_BYTES = 1_000_000
_HELM = DELIVERERS[Delivery.HELM]
_DEPLOYED, _SUPERSEDED = "deployed", "superseded"


def install(cluster: Cluster, release: str, namespace: str, objects: Iterable[KubeObject]) -> None:
    """Write the first revision of a release whose objects have been created.

    Args:
        cluster: Where.
        release: Its name.
        namespace: Its namespace.
        objects: As they were handed to the server.
    """
    now = _now(cluster)
    content = {
        "name": release,
        "info": {
            "first_deployed": now,
            "last_deployed": now,
            "deleted": "",
            "description": "Install complete",
            "status": _DEPLOYED,
        },
        "chart": {"metadata": _chart(release), "lock": None, "templates": [], "values": {}},
        "config": {},
        "manifest": "".join(_document(release, obj) for obj in objects),
        "version": 1,
        "namespace": namespace,
    }
    _write(cluster, content)


def record_upgrade(cluster: Cluster, current: KubeObject, patch: Any, kind: str) -> None:
    """Write the revision in which one object of a release is another; nothing for what has none.

    Args:
        cluster: Where.
        current: The object as it is before.
        patch: What is changed of it.
        kind: Of the patch, as for `Cluster.patch`.
    """
    marks = current["metadata"].get("annotations") or {}
    release, namespace = marks.get(HELM_RELEASE), marks.get(HELM_NAMESPACE)
    if not release or not namespace:
        return
    latest = _latest(cluster, release, namespace)
    if latest is None:
        return
    content = payload(latest)
    superseded = {**content, "info": {**content["info"], "status": _SUPERSEDED}}
    cluster.replace(_secret(superseded, latest["metadata"]), _HELM)
    content["manifest"] = _with(content["manifest"], release, current, patch, kind)
    number = content["version"] + 1
    content["version"] = number
    content["info"] = {
        **content["info"],
        "last_deployed": _now(cluster),
        "description": "Upgrade complete",
    }
    content["chart"] = {**content["chart"], "metadata": _chart(release, number)}
    _write(cluster, content)
    if number > KEPT:
        cluster.delete(_ref(release, namespace, number - KEPT), actor=_HELM)


def payload(secret: Mapping[str, Any]) -> dict[str, Any]:
    """What a Secret of a release holds."""
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    content: dict[str, Any] = json.loads(gzip.decompress(packed))
    return content


def _write(cluster: Cluster, content: dict[str, Any]) -> None:
    secret = _secret(content)
    if len(secret["data"]["release"]) < _MOST_BYTES:
        cluster.create(secret, _HELM)


def _secret(content: dict[str, Any], metadata: Mapping[str, Any] | None = None) -> KubeObject:
    # Large applications have megabytes of manifests: fast rather than small.
    packed = gzip.compress(json.dumps(content).encode(), 1, mtime=0)
    data = base64.b64encode(base64.b64encode(packed)).decode()
    info = content["info"]
    at = int(datetime.fromisoformat(info["last_deployed"]).timestamp())
    labels = {
        "modifiedAt": str(at),
        "name": content["name"],
        "owner": "helm",
        "status": info["status"],
        "version": str(content["version"]),
    }
    ref = _ref(content["name"], content["namespace"], content["version"])
    place = {"name": ref.name, "namespace": ref.namespace}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {**(metadata or place), "labels": labels},
        "type": TYPE,
        "data": {"release": data},
    }


def _latest(cluster: Cluster, release: str, namespace: str) -> KubeObject | None:
    selector = f"name={release},owner=helm,status={_DEPLOYED}"
    found = cluster.list("v1", "Secret", namespace, selector)
    return max(found, key=lambda obj: int(obj["metadata"]["labels"]["version"]), default=None)


def _ref(release: str, namespace: str, number: int) -> ObjectRef:
    name = f"{_PREFIX}{release}.v{number}"
    return ObjectRef(api_version="v1", kind="Secret", namespace=namespace, name=name)


def _chart(release: str, number: int = 1) -> dict[str, Any]:
    return {
        "name": release,
        "version": f"1.{number - 1}.0",
        "appVersion": f"1.{number - 1}.0",
        "apiVersion": "v2",
        "type": "application",
    }


def _source(release: str, obj: KubeObject) -> str:
    metadata = obj["metadata"]
    place = f"{metadata['namespace']}-" if metadata.get("namespace") else ""
    file = f"{place}{metadata['name']}-{obj['kind'].lower()}.yaml"
    return f"---\n# Source: {release}/templates/{file}\n"


def _document(release: str, obj: KubeObject) -> str:
    # JSON is YAML, and what a template with `toJson` comes to.
    return f"{_source(release, obj)}{json.dumps(obj, sort_keys=True)}\n"


def _with(manifest: str, release: str, obj: KubeObject, patch: Any, kind: str) -> str:
    """A manifest in which one document is patched; the same where it has none or it does not fit."""
    head = _source(release, obj)
    start = manifest.find(head)
    if start < 0:
        return manifest
    body = start + len(head)
    end = manifest.find("\n---\n", body)
    end = len(manifest) if end < 0 else end + 1
    try:
        changed = apply_patch(json.loads(manifest[body:end]), patch, kind)
    except ValueError:
        return manifest
    return f"{manifest[:start]}{_document(release, changed)}{manifest[end:]}"


def _now(cluster: Cluster) -> str:
    return datetime.fromtimestamp(cluster.clock.now(), UTC).isoformat()
