"""Volumes, secrets and configs of a compose service as volumes of a pod."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from sregym_dev.importing.compose_values import label

if TYPE_CHECKING:
    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.compose_objects import Service

# A ConfigMap takes a MiB; what people mount as configuration is far smaller.
_MOST_BYTES = 256 * 1024
_MOST_FILES = 20
_SOCKETS = ("/var/run/docker.sock", "/run/docker.sock")


@dataclass
class Mounted:
    """Volumes of a pod, and the objects behind them.

    Attributes:
        mounts: Of the container.
        volumes: Of the pod.
        objects: Claims, ConfigMaps and Secrets.
        keeps_data: Whether one is a claim.
    """

    mounts: list[dict[str, Any]] = field(default_factory=list)
    volumes: list[dict[str, Any]] = field(default_factory=list)
    objects: list[KubeObject] = field(default_factory=list)
    keeps_data: bool = False

    def add(self, name: str, source: dict[str, Any], mount: dict[str, Any]) -> None:
        """A volume, once, and where it is mounted."""
        if all(one["name"] != name for one in self.volumes):
            self.volumes.append({"name": name, **source})
        self.mounts.append({"name": name, **mount})


def mounts_of(service: Service) -> Mounted:
    """What a service mounts; what cannot be mounted in a cluster is said."""
    found = Mounted()
    for number, entry in enumerate(service.entry.get("volumes") or ()):
        kind, source, target, read_only = _parts(entry)
        if not target.startswith("/"):
            service.remarks.left_out(service.where, f"volume {entry!r} cannot be read")
        elif kind == "volume" and source:
            _claim(service, found, source, target)
        elif kind == "bind":
            _bind(service, found, source, target, number)
        else:
            found.add(f"scratch-{number}", {"emptyDir": {}}, {"mountPath": target})
        if read_only and found.mounts and found.mounts[-1]["mountPath"] == target:
            found.mounts[-1]["readOnly"] = True
    scratch = service.entry.get("tmpfs") or ()
    for number, target in enumerate([scratch] if isinstance(scratch, str) else scratch):
        path = str(target).partition(":")[0]
        found.add(f"tmp-{number}", {"emptyDir": {"medium": "Memory"}}, {"mountPath": path})
    for what, folder in (("secrets", "/run/secrets/"), ("configs", "/")):
        for entry in service.entry.get(what) or ():
            _shared(service, found, what, folder, entry)
    return found


def _parts(entry: Any) -> tuple[str, str, str, bool]:
    """Kind, source, target, and whether it is read only."""
    if isinstance(entry, dict):
        kind = str(entry.get("type", "volume"))
        source, target = str(entry.get("source") or ""), str(entry.get("target") or "")
        return kind, source, target, bool(entry.get("read_only"))
    parts = str(entry).split(":")
    if len(parts) == 1:
        return "volume", "", parts[0], False
    kind = "bind" if parts[0][:1] in (".", "/", "~") else "volume"
    return kind, parts[0], parts[1], "ro" in ",".join(parts[2:]).split(",")


def _claim(service: Service, found: Mounted, source: str, target: str) -> None:
    name = label(source)
    found.add(name, {"persistentVolumeClaim": {"claimName": name}}, {"mountPath": target})
    found.keeps_data = True
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": name}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": spec,
    }
    found.objects.append(claim)
    service.remarks.guessed(service.where, f"volume {source!r} is a claim of 1Gi")


def _bind(service: Service, found: Mounted, source: str, target: str, number: int) -> None:
    """A file or a small folder of texts as a ConfigMap; anything else is left out."""
    path = Path(source) if source.startswith("/") else service.root / source
    content: dict[str, str] = {}
    reason = ""
    if source in _SOCKETS:
        reason = "the socket of the container engine"
    elif path.is_file():
        content, reason = _content([path])
    elif path.is_dir():
        files = sorted(one for one in path.iterdir() if not one.name.startswith("."))
        content, reason = _content(files)
    else:
        reason = "there is no such file beside the compose file"
    if reason:
        service.remarks.left_out(service.where, f"volume {source!r} at {target}: {reason}")
        return
    name = f"{service.name}-files-{number}"
    found.objects.append(_map("ConfigMap", name, content))
    mount: dict[str, Any] = {"mountPath": target}
    if path.is_file():
        mount["subPath"] = path.name
    found.add(name, {"configMap": {"name": name}}, mount)
    service.remarks.changed(service.where, f"{source!r} is the ConfigMap {name} at {target}")


def _content(files: list[Path]) -> tuple[dict[str, str], str]:
    """Texts by name; why they cannot be a ConfigMap."""
    if not files or len(files) > _MOST_FILES or any(one.is_dir() for one in files):
        return {}, "a folder of sources or data, and no ConfigMap"
    if sum(one.stat().st_size for one in files) > _MOST_BYTES:
        return {}, "larger than a ConfigMap should be (256 KiB)"
    try:
        return {one.name: one.read_text(encoding="utf-8") for one in files}, ""
    except UnicodeDecodeError:
        return {}, "holds what is no text"


def _shared(service: Service, found: Mounted, what: str, folder: str, entry: Any) -> None:
    """A secret or config of the file."""
    name = str(entry.get("source") if isinstance(entry, dict) else entry)
    target = str((entry.get("target") if isinstance(entry, dict) else None) or name)
    path = target if target.startswith("/") else folder + target
    given = service.entry["x-shared"][what].get(name) or {}
    file = service.root / str(given.get("file", ""))
    text = given.get("content")
    if text is None and given.get("file") and file.is_file():
        content, _ = _content([file])
        text = content.get(file.name)
    kind = "Secret" if what == "secrets" else "ConfigMap"
    key, made = PurePosixPath(path).name, f"{label(name)}"
    if text is None:
        text = "changeme"
        reason = f"{what} {name!r}: its content is not beside the compose file; it is {text!r}"
        service.remarks.guessed(service.where, reason)
    found.objects.append(_map(kind, f"{service.name}-{made}", {key: str(text)}))
    volume = f"{what.removesuffix('s')}-{made}"
    held = {"secretName": f"{service.name}-{made}"} if kind == "Secret" else {"name": f"{service.name}-{made}"}  # fmt: skip
    source = {"secret": held} if kind == "Secret" else {"configMap": held}
    found.add(volume, source, {"mountPath": path, "subPath": key})


def _map(kind: str, name: str, content: dict[str, str]) -> KubeObject:
    data = content
    if kind == "Secret":
        data = {key: base64.b64encode(text.encode()).decode() for key, text in content.items()}
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": data}
