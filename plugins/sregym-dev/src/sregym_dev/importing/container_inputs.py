"""The containers of an application with all that they read: environment, files, command line."""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.model import WORKLOAD_KINDS, pod_spec, pod_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_apps.manifests import KubeObject

_QUANTITY = re.compile(r"^(\d+(?:\.\d+)?)([A-Za-z]*)$")
_MIB = {
    **{"": 1 / 2**20, "Ki": 1 / 2**10, "Mi": 1.0, "Gi": 2.0**10},
    **{"k": 1e3 / 2**20, "M": 1e6 / 2**20, "G": 1e9 / 2**20},
}
_CORES = {"": 1.0, "m": 1e-3}
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


@dataclass(frozen=True, eq=False)
class Part:
    """A container of a workload.

    Attributes:
        component: Name of the workload's component.
        owner: The workload.
        init: Whether it runs before the others and ends.
        container: Its entry.
        labels: Of its pods.
        env: Variable -> value, as far as the files say it.
        files: Absolute path -> text of what is mounted.
        first: Whether it is the first of its pods that lasts.
    """

    component: str
    owner: KubeObject
    init: bool
    container: dict[str, Any]
    labels: Mapping[str, str]
    env: Mapping[str, str]
    files: Mapping[str, str]
    first: bool

    @property
    def where(self) -> str:
        """As remarks name it."""
        owner = f"{self.owner['kind']}/{self.owner['metadata']['name']}"
        return owner if self.first else f"{owner}, container {self.container['name']}"

    @property
    def needs_user(self) -> bool:
        """Whether it runs only where its image names a user: it must not be root, and names none."""
        pod = pod_spec(self.owner).get("securityContext") or {}
        merged = {**pod, **(self.container.get("securityContext") or {})}
        return bool(merged.get("runAsNonRoot")) and merged.get("runAsUser") is None

    @property
    def namespace(self) -> str:
        """Of its pods."""
        return str(self.owner["metadata"]["namespace"])

    @property
    def image(self) -> str:
        """Its image."""
        return str(self.container["image"])

    @property
    def name(self) -> str:
        """What its program is called: as the component, or as component and container."""
        return self.component if self.first else f"{self.component}-{self.container['name']}"

    @property
    def words(self) -> list[str]:
        """Its command line, as far as its pod gives one."""
        return [str(w) for w in (*self.command, *(self.container.get("args") or ()))]

    @property
    def command(self) -> list[str]:
        """Its command; empty for that of the image."""
        return [str(word) for word in self.container.get("command") or ()]

    @property
    def ends(self) -> bool:
        """Whether it works and exits: of an init container, a Job or a CronJob."""
        return self.init or self.owner["kind"] in ("Job", "CronJob")

    @property
    def told(self) -> dict[str, str]:
        """Its variables, and those whose value stands in a file that `NAME_FILE` names."""
        found = {
            name.removesuffix("_FILE"): self.files[value].strip()
            for name, value in self.env.items()
            if name.endswith("_FILE") and value in self.files
        }
        return {**found, **self.env}

    def ports(self) -> dict[int, str]:
        """TCP ports that it declares -> name, empty without one."""
        return {
            int(one["containerPort"]): str(one.get("name", ""))
            for one in self.container.get("ports") or ()
            if one.get("protocol", "TCP") == "TCP"
        }

    def port_number(self, target: Any) -> int:
        """The number of a port that is given by name or number; 0 for a name it has not."""
        if isinstance(target, int):
            return target
        if str(target).isdecimal():
            return int(target)
        return next((n for n, name in self.ports().items() if name == target), 0)

    def memory_limit_mib(self) -> float | None:
        """The limit of its memory; None without one."""
        limit = ((self.container.get("resources") or {}).get("limits") or {}).get("memory")
        found = _QUANTITY.match(str(limit)) if limit is not None else None
        return float(found[1]) * _MIB.get(found[2], 1.0) if found else None

    def cpu_limit_cores(self) -> float | None:
        """The limit of its processors; None without one."""
        limit = ((self.container.get("resources") or {}).get("limits") or {}).get("cpu")
        found = _QUANTITY.match(str(limit)) if limit is not None else None
        return float(found[1]) * _CORES.get(found[2], 1.0) if found else None

    def probes(self) -> list[Mapping[str, Any]]:
        """Its probes."""
        return [self.container[name] for name in _PROBES if self.container.get(name)]


def parts_of(objects: Iterable[KubeObject]) -> list[Part]:
    """All containers of all workloads, in the order of the objects."""
    every = list(objects)
    maps = {
        (obj["kind"], obj["metadata"]["namespace"], obj["metadata"]["name"]): _texts_of(obj)
        for obj in every
        if obj["kind"] in ("ConfigMap", "Secret")
    }
    names = component_names(every)
    return [
        part
        for obj in every
        if obj["kind"] in WORKLOAD_KINDS
        for part in _parts(obj, names[id(obj)], maps)
    ]


def component_names(objects: Sequence[KubeObject]) -> dict[int, str]:
    """Identity of a workload -> name of its component, which no other has."""
    workloads = [obj for obj in objects if obj["kind"] in WORKLOAD_KINDS]
    plain = [obj["metadata"]["name"] for obj in workloads]
    return {
        id(obj): name if plain.count(name) == 1 else f"{name}-{obj['kind'].lower()}"
        for obj, name in zip(workloads, plain, strict=True)
    }


def _parts(
    owner: KubeObject, component: str, maps: Mapping[tuple[str, str, str], Mapping[str, str]]
) -> Iterator[Part]:
    pod = pod_spec(owner)
    labels = (pod_template(owner).get("metadata") or {}).get("labels") or {}
    space = owner["metadata"]["namespace"]
    for group in ("initContainers", "containers"):
        for index, container in enumerate(pod.get(group) or ()):
            lasting_init = group == "initContainers" and container.get("restartPolicy") == "Always"
            yield Part(
                component=component,
                owner=owner,
                init=group == "initContainers" and not lasting_init,
                container=container,
                labels=labels,
                env=_environment(container, space, maps),
                files=_files(pod, container, space, maps),
                first=group == "containers" and index == 0,
            )


def _texts_of(obj: KubeObject) -> dict[str, str]:
    """Keys and texts of a ConfigMap or Secret."""
    found = {str(key): str(text) for key, text in (obj.get("stringData") or {}).items()}
    for key, text in (obj.get("data") or {}).items():
        if obj["kind"] == "ConfigMap":
            found[key] = str(text)
            continue
        try:
            found.setdefault(key, base64.b64decode(str(text)).decode("utf-8"))
        except (binascii.Error, UnicodeDecodeError):
            continue  # no text, so nothing that names anybody
    return found


def _environment(
    container: Mapping[str, Any],
    space: str,
    maps: Mapping[tuple[str, str, str], Mapping[str, str]],
) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in entry:
                texts = maps.get((kind, space, entry[field]["name"]), {})
                found |= {f"{entry.get('prefix', '')}{key}": text for key, text in texts.items()}
    for entry in container.get("env") or ():
        if "value" in entry:
            found[entry["name"]] = str(entry["value"])
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            ref = (entry.get("valueFrom") or {}).get(field)
            text = maps.get((kind, space, ref["name"]), {}).get(ref["key"]) if ref else None
            if text is not None:
                found[entry["name"]] = text
    for name, text in found.items():
        for other, value in found.items():
            if f"$({other})" in text and other != name:
                found[name] = text = text.replace(f"$({other})", value)
    return found


def _files(
    pod: Mapping[str, Any],
    container: Mapping[str, Any],
    space: str,
    maps: Mapping[tuple[str, str, str], Mapping[str, str]],
) -> dict[str, str]:
    volumes: dict[str, dict[str, str]] = {}
    for volume in pod.get("volumes") or ():
        for field, name, kind in (("configMap", "name", "ConfigMap"), ("secret", "secretName", "Secret")):  # fmt: skip
            source = volume.get(field)
            if source and name in source:
                texts = maps.get((kind, space, source[name]), {})
                items = source.get("items")
                volumes[volume["name"]] = (
                    {one["path"]: texts.get(one["key"], "") for one in items}
                    if items
                    else {**texts}
                )
    found: dict[str, str] = {}
    for mount in container.get("volumeMounts") or ():
        texts = volumes.get(mount["name"], {})
        if mount.get("subPath"):
            if mount["subPath"] in texts:
                found[mount["mountPath"]] = texts[mount["subPath"]]
            continue
        found |= {posixpath.join(mount["mountPath"], key): text for key, text in texts.items()}
    return found
