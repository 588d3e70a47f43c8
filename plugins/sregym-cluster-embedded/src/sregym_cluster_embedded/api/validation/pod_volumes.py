"""The volumes of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import causes, formats, volumes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

# In the order in which the server looks.
_ORDER = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)
_MORE = "may not specify more than 1 volume type"
_SHORTEST_TOKEN_S, _LONGEST_TOKEN_S = 600, 2**32
_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_CONVERTIBLE = frozenset(
    {*_FIELDS, *ENV_FIELDS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
)
_RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_DIVISORS = ("1", *(f"1{unit}" for unit in ("k", "M", "G", "T", "P", "E")))
_BINARY_DIVISORS = tuple(f"1{unit}i" for unit in "KMGTPE")
_DIVISOR_NAMES = {
    "cpu": "cpu",
    "memory": "memory",
    "ephemeral-storage": "local ephemeral storage",
}


def pod_volumes(given: Object, path: str, pod_name: str = "") -> tuple[set[str], list[Cause]]:
    """The names of a pod's volumes, and what is wrong with them."""
    found: list[Cause] = []
    names: set[str] = set()
    for index, volume in enumerate(given.get("volumes") or ()):
        place = f"{path}[{index}]"
        problems = _sources(volume, place, pod_name)
        name = volume.get("name", "")
        if not name:
            problems.append(causes.required(f"{place}.name"))
        else:
            problems += formats.label(f"{place}.name", name)
        if name and name in names:
            problems.append(causes.duplicate(f"{place}.name", name))
        if problems:
            found += problems
        else:
            names.add(name)
    return names, found


def field_reference(reference: Object, path: str, fields: tuple[str, ...]) -> list[Cause]:
    """A field of the pod."""
    name = reference.get("fieldPath", "")
    if not name:
        return [causes.required(f"{path}.fieldPath")]
    if "['" in name and name.endswith("']"):
        head, _, key = name[:-2].partition("['")
        if head == "metadata.annotations":
            return formats.qualified(path, key.lower())
        if head == "metadata.labels":
            return formats.qualified(path, key)
        return [causes.invalid(path, head, "does not support subscript")]
    if name not in _CONVERTIBLE:
        text = f"error converting fieldPath: field label not supported: {name}"
        return [causes.invalid(f"{path}.fieldPath", name, text)]
    return causes.one_of(f"{path}.fieldPath", name, fields)


def resource_reference(reference: Object, path: str, volume: bool) -> list[Cause]:
    """A resource of a container."""
    name = reference.get("resource", "")
    found: list[Cause] = []
    if volume and not reference.get("containerName"):
        found.append(causes.required(f"{path}.containerName"))
    elif not name:
        found.append(causes.required(f"{path}.resource"))
    elif not name.startswith(("limits.hugepages-", "requests.hugepages-")):
        found += causes.one_of(f"{path}.resource", name, _RESOURCES)
    divisor = quantity.canonical(reference.get("divisor") or "0")
    kind = name.partition(".")[2]
    if divisor == "0" or kind not in _DIVISOR_NAMES:
        return found
    allowed = ("1m", "1") if kind == "cpu" else (*_DIVISORS, *_BINARY_DIVISORS)
    if divisor not in allowed:
        listed = "1m and 1" if kind == "cpu" else ", ".join(allowed)
        text = (
            f"only divisor's values {listed} are supported with the {_DIVISOR_NAMES[kind]} resource"
        )
        found.append(causes.invalid(f"{path}.divisor", name, text))
    return found


def _sources(volume: Object, place: str, pod_name: str) -> list[Cause]:
    present = [source for source in _ORDER if volume.get(source) is not None]
    found: list[Cause] = []
    if present:
        first = present[0]
        check = _CHECKS.get(first)
        if check is not None:
            found += check(volume[first], f"{place}.{first}")
        if first == "ephemeral" and pod_name and volume.get("name"):
            claim = f"{pod_name}-{volume['name']}"
            for cause in formats.subdomain("", claim):
                text = f'PVC name "{claim}": {cause.message.split(": ", 2)[2]}'
                found.append(causes.invalid(f"{place}.name", volume["name"], text))
    found += [causes.forbidden(f"{place}.{extra}", _MORE) for extra in present[1:]]
    if not present:
        found.append(causes.required(place, "must specify a volume type"))
    return found


def _empty_dir(source: Object, path: str) -> list[Cause]:
    size = source.get("sizeLimit")
    found: list[Cause] = []
    if size is not None and quantity.parse(size) < 0:
        text = "SizeLimit field must be a valid resource quantity"
        found.append(causes.forbidden(f"{path}.sizeLimit", text))
    return found


def _needing(*fields: str) -> Callable[[Object, str], list[Cause]]:
    def check(source: Object, path: str) -> list[Cause]:
        return [causes.required(f"{path}.{field}") for field in fields if not source.get(field)]

    return check


def _secret(source: Object, path: str) -> list[Cause]:
    found = [] if source.get("secretName") else [causes.required(f"{path}.secretName")]
    found += formats.mode(f"{path}.defaultMode", source.get("defaultMode"))
    return found + _items(source, path)


def _config_map(source: Object, path: str) -> list[Cause]:
    found = [] if source.get("name") else [causes.required(f"{path}.name")]
    found += formats.mode(f"{path}.defaultMode", source.get("defaultMode"))
    return found + _items(source, path)


def _items(source: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for index, item in enumerate(source.get("items") or ()):
        place = f"{path}.items[{index}]"
        found += [
            causes.required(f"{place}.{name}") for name in ("key", "path") if not item.get(name)
        ]
        found += formats.local_path(f"{place}.path", item.get("path", ""))
        found += formats.mode(f"{place}.mode", item.get("mode"))
    return found


def _downward(source: Object, path: str) -> list[Cause]:
    found = formats.mode(f"{path}.defaultMode", source.get("defaultMode"))
    for item in source.get("items") or ():
        found += _downward_file(item, path)
    return found


def _downward_file(item: Object, path: str) -> list[Cause]:
    found = [] if item.get("path") else [causes.required(f"{path}.path")]
    found += formats.local_path(f"{path}.path", item.get("path", ""))
    field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
    if field is not None:
        found += field_reference(field, f"{path}.fieldRef", _FIELDS)
        if resource is not None:
            text = "fieldRef and resourceFieldRef can not be specified simultaneously"
            found.append(causes.invalid(path, "resource", text))
    elif resource is not None:
        found += resource_reference(resource, f"{path}.resourceFieldRef", volume=True)
    else:
        found.append(causes.required(path, "one of fieldRef and resourceFieldRef is required"))
    return found + formats.mode(f"{path}.mode", item.get("mode"))


def _projected(source: Object, path: str) -> list[Cause]:
    found = formats.mode(f"{path}.defaultMode", source.get("defaultMode"))
    taken: set[str] = set()
    for index, part in enumerate(source.get("sources") or ()):
        place = f"{path}.sources[{index}]"
        for name in ("secret", "configMap"):
            entry = part.get(name)
            if entry is not None:
                if not entry.get("name"):
                    found.append(causes.required(f"{place}.{name}.name"))
                found += _items(entry, f"{place}.{name}")
                paths = [item.get("path", "") for item in entry.get("items") or ()]
                found += _conflicts(taken, paths, path, entry.get("name", ""))
        downward = part.get("downwardAPI")
        if downward is not None:
            for item in downward.get("items") or ():
                found += _downward_file(item, f"{place}.downwardAPI")
                file = item.get("path", "")
                found += _conflicts(taken, [file], path, file)
        token = part.get("serviceAccountToken")
        if token is not None:
            found += _token(token, f"{place}.serviceAccountToken", path)
        kinds = [name for name, value in part.items() if value is not None]
        if len(kinds) > 1:
            found.append(causes.forbidden(place, f"{_MORE} per source"))
    return found


def _conflicts(taken: set[str], paths: list[str], field: str, shown: str) -> list[Cause]:
    found: list[Cause] = []
    for path in paths:
        if path and path in taken:
            found.append(causes.invalid(field, shown, "conflicting duplicate paths"))
        taken.add(path)
    return found


def _token(token: Object, place: str, volume: str) -> list[Cause]:
    found: list[Cause] = []
    seconds = token.get("expirationSeconds", 3600)
    if seconds < _SHORTEST_TOKEN_S:
        text = "may not specify a duration less than 10 minutes"
        found.append(causes.invalid(f"{place}.expirationSeconds", seconds, text))
    elif seconds > _LONGEST_TOKEN_S:
        text = "may not specify a duration larger than 2^32 seconds"
        found.append(causes.invalid(f"{place}.expirationSeconds", seconds, text))
    if not token.get("path"):
        return [*found, causes.required(f"{volume}.path")]
    return found + formats.local_path(f"{volume}.path", token["path"])


def _csi(source: Object, path: str) -> list[Cause]:
    found = formats.driver(f"{path}.driver", source.get("driver", ""))
    reference = source.get("nodePublishSecretRef")
    if reference is not None and not reference.get("name"):
        found.append(causes.required(f"{path}.nodePublishSecretRef.name"))
    return found


def _ephemeral(source: Object, path: str) -> list[Cause]:
    template: Any = source.get("volumeClaimTemplate")
    if template is None:
        return [causes.required(f"{path}.volumeClaimTemplate")]
    return volumes.claim_spec(template.get("spec") or {}, f"{path}.volumeClaimTemplate.spec")


_CHECKS: Mapping[str, Callable[[Object, str], list[Cause]]] = {
    "emptyDir": _empty_dir,
    "hostPath": volumes.host_path,
    "gitRepo": _needing("repository"),
    "gcePersistentDisk": _needing("pdName"),
    "awsElasticBlockStore": _needing("volumeID"),
    "secret": _secret,
    "nfs": volumes.nfs,
    "iscsi": _needing("targetPortal", "iqn"),
    "persistentVolumeClaim": _needing("claimName"),
    "rbd": _needing("monitors", "image"),
    "cinder": _needing("volumeID"),
    "cephfs": _needing("monitors"),
    "downwardAPI": _downward,
    "flexVolume": _needing("driver"),
    "configMap": _config_map,
    "azureFile": _needing("secretName", "shareName"),
    "vsphereVolume": _needing("volumePath"),
    "azureDisk": _needing("diskName", "diskURI"),
    "projected": _projected,
    "csi": _csi,
    "ephemeral": _ephemeral,
}
