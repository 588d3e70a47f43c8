"""Texts with Kubernetes objects: which documents are objects, and why others are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError
from sregym_lint import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.remarks import Remarks

# Files of tools that hold no objects for a cluster.
_OF_TOOLS = {
    "kustomization.yaml": "is for kustomize; give what `kubectl kustomize` makes of the folder",
    "kustomization.yml": "is for kustomize; give what `kubectl kustomize` makes of the folder",
    "skaffold.yaml": "is for skaffold",
}


def objects_of(texts: Iterable[tuple[str, str]], remarks: Remarks) -> list[KubeObject]:
    """The objects of texts, each with the name of its file.

    Raises:
        UsageError: Some are no YAML: file, line and reason of each.
    """
    found: list[KubeObject] = []
    wrong: list[str] = []
    for name, text in texts:
        if name.rpartition("/")[2] in _OF_TOOLS:
            remarks.left_out(name, _OF_TOOLS[name.rpartition("/")[2]])
            continue
        read, unreadable = documents(text, name)
        if unreadable and "{{" in text:
            wrong.append(
                f"{unreadable[0]} (it is a template: give what `helm template` makes of the chart)"
            )
        wrong += [] if "{{" in text else [str(one) for one in unreadable]
        for number, document in enumerate(read, start=1):
            where = name if len(read) == 1 else f"{name}, document {number}"
            found += _kept(document.data, where, remarks)
    if wrong:
        raise UsageError("--from: these files cannot be read:\n  " + "\n  ".join(wrong))
    return found


def _kept(data: Any, where: str, remarks: Remarks) -> Iterator[KubeObject]:
    """The objects of a document; those of a list one by one."""
    if data is None:
        return
    if isinstance(data, dict) and isinstance(data.get("items"), list):
        for index, item in enumerate(data["items"], start=1):
            yield from _kept(item, f"{where}, item {index}", remarks)
        return
    reason = _why_no_object(data)
    if reason:
        remarks.left_out(where, reason)
    else:
        yield data


def _why_no_object(data: Any) -> str:
    if not isinstance(data, dict):
        return f"a Kubernetes object is a mapping, this is {type(data).__name__}"
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str):
            return f"is no Kubernetes object: {field!r} is missing"
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return f"this {data['kind']} has no 'metadata.name'"
    return ""
