"""Volumes in the descriptions of pods and of pod templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubectl.describe.writer import Writer
    from sregym_cluster_embedded.store import Object

_TYPES = {
    "hostPath": "HostPath (bare host directory volume)",
    "emptyDir": "EmptyDir (a temporary directory that shares a pod's lifetime)",
    "secret": "Secret (a volume populated by a Secret)",
    "configMap": "ConfigMap (a volume populated by a ConfigMap)",
    "persistentVolumeClaim": (
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)"
    ),
    "downwardAPI": "DownwardAPI (a volume populated by information about the pod)",
    "projected": ("Projected (a volume that contains injected data from multiple sources)"),
}


def describe_volumes(writer: Writer, volumes: Sequence[Object], space: str = "") -> None:
    """Describe the volumes of a pod."""
    if not volumes:
        writer.line(0, f"{space}Volumes:\t<none>")
        return
    writer.line(0, f"{space}Volumes:")
    indent = " " if space else ""
    for volume in volumes:
        writer.line(1, f"{indent}{volume['name']}:")
        kind = next((name for name in _TYPES if name in volume), None)
        if kind is None:
            raise NotCovered("an unusual volume")
        writer.field(2, "Type", _TYPES[kind])
        for name, value in _details(kind, volume[kind] or {}):
            writer.line(2, name if value is None else f"{name}:\t{value}")


def _details(kind: str, source: Object) -> Iterator[tuple[str, object]]:
    optional = "true" if source.get("optional") else "false"
    match kind:
        case "hostPath":
            yield "Path", source["path"]
            yield "HostPathType", source.get("type", "<none>")
        case "emptyDir":
            yield "Medium", source.get("medium", "")
            yield "SizeLimit", source.get("sizeLimit", "<unset>")
        case "secret":
            yield "SecretName", source.get("secretName", "")
            yield "Optional", optional
        case "configMap":
            yield "Name", source.get("name", "")
            yield "Optional", optional
        case "persistentVolumeClaim":
            yield "ClaimName", source["claimName"]
            yield "ReadOnly", "true" if source.get("readOnly") else "false"
        case "downwardAPI":
            yield "Items:", None
            for item in source.get("items", ()):
                if "fieldRef" not in item:
                    raise NotCovered("a resource in a volume")
                yield f"  {item['fieldRef']['fieldPath']} -> {item['path']}", None
        case _:
            yield from _projected(source)


def _projected(source: Object) -> Iterator[tuple[str, object]]:
    for part in source.get("sources") or ():
        if "secret" in part:
            yield "SecretName", part["secret"].get("name", "")
            yield "Optional", "true" if part["secret"].get("optional") else "false"
        elif "downwardAPI" in part:
            yield "DownwardAPI", "true"
        elif "configMap" in part:
            yield "ConfigMapName", part["configMap"].get("name", "")
            yield "Optional", "true" if part["configMap"].get("optional") else "false"
        elif "serviceAccountToken" in part:
            yield "TokenExpirationSeconds", part["serviceAccountToken"]["expirationSeconds"]
