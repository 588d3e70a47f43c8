"""Compose files: which services they have, and the Kubernetes objects of these."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError
from sregym_lint import documents

from sregym_dev.importing.compose_host import reached_through_host
from sregym_dev.importing.compose_objects import Service, objects_of_service
from sregym_dev.importing.compose_values import env_lines, interpolated, label
from sregym_dev.importing.object_checks import MISREAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.remarks import Remarks

COMPOSE_FILES = (*("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"),)
_SERVICES = re.compile(r"^services\s*:", re.MULTILINE)
_API_VERSION = re.compile(r"^apiVersion\s*:", re.MULTILINE)
# Host and port as environment variables, commands and files of other services name them.
_PORT_OF = r"(?<![\w.-]){}:(\d{{1,5}})(?!\d)"
_OWN_PORT = re.compile(_PORT_OF.format(r"(?:localhost|127\.0\.0\.1)"))

# Where a service is met that others wait for and that says nothing of ports.
_USUAL = 8080


def is_compose(text: str) -> bool:
    """Whether a YAML text is a compose file."""
    return bool(_SERVICES.search(text)) and not _API_VERSION.search(text)


def from_compose(path: Path, text: str, name: str, remarks: Remarks) -> list[KubeObject]:
    """The Kubernetes objects of a compose file.

    Raises:
        UsageError: It is no YAML, or its services are no mapping.
    """
    services = reached_through_host(_services(path, text, remarks), remarks)
    found: list[KubeObject] = []
    names = {one: label(one) for one in services}
    for one, given in names.items():
        if one != given:
            remarks.changed(f"service {one}", f"is {given!r}: Kubernetes takes no other letters")
    root = path.parent
    asked = _asked(services)
    for one, entry in services.items():
        entry = _with_names(entry, names)
        service = Service(names[one], one, entry, root, name, remarks, asked.get(one, ()))
        try:
            found += [*objects_of_service(service)]
        except MISREAD as error:
            text = f"a field of it has another form than compose files have: {error}"
            remarks.left_out(service.where, text)
    for obj in found:
        if obj["kind"] == "ConfigMap":
            obj["data"] = _with_names(obj["data"], names)
    return _volumes(found)


def _services(path: Path, text: str, remarks: Remarks) -> dict[str, dict[str, Any]]:
    """The services that are started, with variables filled in."""
    read, unreadable = documents(text, path.name)
    if unreadable:
        raise UsageError(f"--from: {unreadable[0]}")
    (document, *_) = read
    data = document.data
    if not isinstance(data.get("services"), dict):
        raise UsageError(f"--from: {document.defect(('services',), 'needs to be a mapping')}")
    for include in data.get("include") or ():
        remarks.left_out(str(include), "a file that is included; give each file by itself")
    dot_env = path.parent / ".env"
    known = env_lines(dot_env.read_text(encoding="utf-8")) if dot_env.is_file() else {}

    def unset(name: str) -> None:
        remarks.guessed(f"variable {name}", "has no value in the file and none in .env: empty")

    found = {}
    for name, given in data["services"].items():
        where = f"service {name}"
        if not isinstance(given, dict):
            shown = document.defect(("services", str(name)), "a service is a mapping")
            remarks.left_out(where, str(shown))
            continue
        entry = _extended(str(name), given, data["services"], remarks)
        if entry.get("profiles"):
            profiles = ", ".join(map(str, entry["profiles"]))
            remarks.left_out(where, f"is started with the profile {profiles} alone")
            continue
        found[str(name)] = _top_level(interpolated(entry, known, unset), data)
    return found


def _extended(
    name: str, entry: dict[str, Any], services: Mapping[str, Any], remarks: Remarks
) -> dict[str, Any]:
    """A service with what it takes from another of the same file."""
    seen = {name}
    while "extends" in entry:
        base = entry["extends"]
        wanted = base if isinstance(base, str) else (base or {}).get("service")
        entry = {key: value for key, value in entry.items() if key != "extends"}
        if (
            not isinstance(wanted, str)
            or wanted not in services
            or wanted in seen
            or _elsewhere(base)
        ):
            remarks.left_out(f"service {name}", f"what it takes by `extends` from {base!r}")
            break
        seen.add(wanted)
        entry = {**services[wanted], **entry}
    return entry


def _elsewhere(base: Any) -> bool:
    """Whether `extends` names another file."""
    return isinstance(base, dict) and bool(base.get("file"))


def _top_level(entry: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """A service with the definitions of the secrets, configs and volumes that it names."""
    shared = {key: data.get(key) or {} for key in ("secrets", "configs", "volumes")}
    return {**entry, "x-shared": shared}


def _with_names(value: Any, names: Mapping[str, str]) -> Any:
    """Texts with the names of services as Kubernetes has them, where they are hosts."""
    changed = {old: new for old, new in names.items() if old != new}
    if not changed:
        return value
    if isinstance(value, str):
        for old, new in changed.items():
            pattern = rf"(?<![\w.-]){re.escape(old)}(?=:\d|/|$)"
            value = re.sub(pattern, new, value)
        return value
    if isinstance(value, list):
        return [_with_names(one, names) for one in value]
    if isinstance(value, dict):
        found = {key: _with_names(one, names) for key, one in value.items()}
        if isinstance(found.get("depends_on"), dict):
            found["depends_on"] = {names.get(k, k): v for k, v in found["depends_on"].items()}
        return found
    return value


def _asked(services: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[int, ...]]:
    """Ports at which services ask each other, and at which their own health checks do."""
    found: dict[str, tuple[int, ...]] = {}
    for name in services:
        pattern = re.compile(_PORT_OF.format(re.escape(name)))
        numbers = {
            int(number)
            for other, entry in services.items()
            if other != name
            for text in _texts([entry.get("environment"), entry.get("command")])
            for number in pattern.findall(text)
        }
        check = services[name].get("healthcheck")
        numbers |= {int(number) for text in _texts(check) for number in _OWN_PORT.findall(text)}
        found[name] = tuple(sorted(number for number in numbers if 0 < number < 65536))
    needed = {str(one) for entry in services.values() for one in _names(entry.get("depends_on"))}
    for name in sorted(needed & set(services)):
        if not found[name] and not services[name].get("ports") and not services[name].get("expose"):
            found[name] = (_USUAL,)
    return found


def _names(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | dict) else []


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _volumes(objects: list[KubeObject]) -> list[KubeObject]:
    """The same, each claim once."""
    seen: set[tuple[str, str]] = set()
    found = []
    for obj in objects:
        key = (obj["kind"], obj["metadata"]["name"])
        if obj["kind"] == "PersistentVolumeClaim" and key in seen:
            continue
        seen.add(key)
        found.append(obj)
    return found
