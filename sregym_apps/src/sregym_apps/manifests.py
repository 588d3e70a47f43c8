"""Folders of Kubernetes manifests: read them, and put their objects in an order of creation.

Only reads; nothing here talks to a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import yaml
from sregym_core.errors import UsageError
from sregym_core.model import pod_spec

from sregym_apps.table import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.resources.abc import Traversable

KubeObject: TypeAlias = dict[str, Any]

# What others refer to comes first, so that no pod waits for an object of the same folder.
_CREATION_ORDER = (
    "Namespace",
    "CustomResourceDefinition",
    "PriorityClass",
    "StorageClass",
    "ResourceQuota",
    "LimitRange",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "ConfigMap",
    "Secret",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "NetworkPolicy",
    "Service",
    "DaemonSet",
    "StatefulSet",
    "Deployment",
    "Job",
    "CronJob",
    "Pod",
)

# The pure-Python parser is some eight times slower and only a fallback.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_manifests(folder: Traversable) -> list[KubeObject]:
    """All objects of the `*.yaml` files of a folder, in the order in which to create them.

    Within a kind, workloads that keep data come first: others wait for them. Else objects keep the
    order of file names, then of documents. Each object has `apiVersion`, `kind` and
    `metadata.name`; a file without that is a `UsageError` that names it.
    """
    objects: list[KubeObject] = []
    files = [entry for entry in folder.iterdir() if entry.name.endswith((".yaml", ".yml"))]
    for file in sorted(files, key=lambda entry: entry.name):
        objects.extend(_documents(file))
    if not objects:
        raise UsageError(f"no manifests in {str(folder)!r}: put one YAML file per component there")
    return in_order(objects)


def in_order(objects: Iterable[KubeObject]) -> list[KubeObject]:
    """Objects in the order in which to create them, as `load_manifests` gives them."""
    return sorted(objects, key=_creation_rank)


def _documents(file: Traversable) -> Iterator[KubeObject]:
    documents = content_of(file)
    try:
        if documents is None:
            documents = list(yaml.load_all(file.read_text(encoding="utf-8"), _Loader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(
            f"manifest {file.name!r}, line {line}: not YAML: {error.problem}"
        ) from error
    for number, document in enumerate(documents, start=1):
        if document is None:
            continue
        problem = _what_is_missing(document)
        if problem:
            raise UsageError(f"manifest {file.name!r}, document {number}: {problem}")
        yield document


def _what_is_missing(document: Any) -> str:
    if not isinstance(document, dict):
        return "a Kubernetes object is a mapping"
    for field in ("apiVersion", "kind"):
        if not isinstance(document.get(field), str):
            return f"{field!r} is missing"
    metadata = document.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return "'metadata.name' is missing"
    return ""


def _creation_rank(obj: KubeObject) -> tuple[int, bool]:
    kind = obj["kind"]
    rank = _CREATION_ORDER.index(kind) if kind in _CREATION_ORDER else len(_CREATION_ORDER)
    volumes = pod_spec(obj).get("volumes") or ()
    keeps_data = any("persistentVolumeClaim" in volume for volume in volumes)
    return rank, not keeps_data
