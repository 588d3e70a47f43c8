"""What a container of the manifests finds when it starts: variables, and files of its volumes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from sregym_apps.model import Image

_VARIABLE = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
# A value that only a running cluster knows.
UNKNOWN = "\0"
# Gives the data of a ConfigMap or Secret by kind, namespace and name; empty where there is none.
Content: TypeAlias = Callable[[str, str, str], Mapping[str, str]]


def filled(word: str, environment: Mapping[str, str]) -> str:
    """A word of a command line or a value, with `$(VARIABLE)` filled in where it is known."""
    return _VARIABLE.sub(lambda found: environment.get(found[1], found[0]), word)


def command_in(words: Sequence[str], programs: Container[str]) -> tuple[str, ...]:
    """A command line; of a shell with a script the first command in it that is one of the programs."""
    shell = len(words) > 2 and posixpath.basename(words[0]) in ("sh", "bash")
    if not shell or words[1] != "-c":
        return tuple(words)
    for line in re.split(r"[\n;&|{}]", words[2]):
        found = line.split()
        if found and posixpath.basename(found[0]) in programs:
            return tuple(found)
    return tuple(words)


def variables(content: Content, namespace: str, container: Mapping[str, Any]) -> dict[str, str]:
    """Variables of a container; one whose value is not known has a mark of its own."""
    found: dict[str, str] = {}
    for source in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in source:
                found.update(content(kind, namespace, str(source[field].get("name"))))
    for entry in container.get("env") or ():
        value = entry.get("value", UNKNOWN if "valueFrom" in entry else "")
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            key = (entry.get("valueFrom") or {}).get(field)
            if key is not None:
                data = content(kind, namespace, str(key.get("name")))
                value = data.get(str(key.get("key")), UNKNOWN)
        found[str(entry.get("name"))] = filled(str(value), found)
    return found


def mounted(
    content: Content, namespace: str, pod: Mapping[str, Any], container: Mapping[str, Any]
) -> dict[str, dict[str | None, str]]:
    """Where volumes are mounted -> files there by path below; None among them: there are others."""
    volumes = {volume.get("name"): volume for volume in pod.get("volumes") or ()}
    found: dict[str, dict[str | None, str]] = {}
    for mount in container.get("volumeMounts") or ():
        volume = volumes.get(mount.get("name"), {})
        source = volume.get("configMap")
        path, below = str(mount.get("mountPath", "")).rstrip("/"), mount.get("subPath")
        if source is None:
            found[path] = {None: ""}
            continue
        data = content("ConfigMap", namespace, str(source.get("name")))
        items = {item["key"]: item["path"] for item in source.get("items") or ()}
        named = {
            items.get(key, key): text for key, text in data.items() if not items or key in items
        }
        found[path] = (
            {"": named[below]} if below in named else dict(named) if not below else {None: ""}
        )
    return found


def file_text(
    mounts: Mapping[str, Mapping[str | None, str]], image: Image, path: str
) -> str | None:
    """What a file holds that a container opens; None where there is none.

    Args:
        mounts: As `mounted` gives them.
        image: Of the container.
        path: Absolute.
    """
    for mount, there in mounts.items():
        if path == mount or path.startswith(f"{mount}/"):
            return there.get(path[len(mount) :].lstrip("/"), UNKNOWN if None in there else None)
    return image.files.get(path)
