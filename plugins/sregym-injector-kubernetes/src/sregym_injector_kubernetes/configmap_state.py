"""Whether a component's pods get the configuration they need, under whatever name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.model import containers_of, pod_spec
from sregym_injectors.manifests import manifest_of
from sregym_injectors.workloads import workload_defects

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, ConfigUse


def mounted_configmaps(component: Component) -> list[ConfigUse]:
    """ConfigMaps that a component mounts as files and cannot start without."""
    return [
        use
        for use in component.config
        if use.source.kind == "ConfigMap" and use.path and use.required
    ]


def config_defects(context: FaultContext, use: ConfigUse) -> list[str]:
    """What is missing of a mounted ConfigMap, one phrase each; empty when all is there.

    The workload may mount another ConfigMap at the same path by now; then that one has to hold
    what the manifest's does.
    """
    workload = context.cluster.get(context.component.workload)
    defects = workload_defects(context.cluster, context.component.workload)
    if workload is None or defects:
        return defects
    manifest = manifest_of(context.application, context.component.workload)
    for container, path in _mounts(manifest, use.source.name):
        names = _mounted_at(workload, container, path)
        name = use.source.name if use.source.name in names else next(iter(names), None)
        if name is None:
            defects.append(f"container {container} has no ConfigMap mounted at {path}")
            continue
        source = use.source.model_copy(update={"name": name})
        obj = context.cluster.get(source)
        if obj is None:
            defects.append(f"{source} does not exist")
            continue
        wanted = manifest_of(context.application, use.source).get("data") or {}
        defects += _content_defects(str(source), wanted, obj.get("data") or {}, source.namespace)
    return list(dict.fromkeys(defects))


def _mounts(workload: KubeObject, configmap: str) -> list[tuple[str, str]]:
    """Container and path of each place at which a ConfigMap is mounted."""
    volumes = [
        volume["name"]
        for volume in pod_spec(workload).get("volumes") or []
        if configmap in _configmaps_in(volume)
    ]
    return [
        (container["name"], mount["mountPath"])
        for container in containers_of(workload)
        for mount in container.get("volumeMounts") or []
        if mount["name"] in volumes
    ]


def _mounted_at(workload: KubeObject, container: str, path: str) -> tuple[str, ...]:
    """Names of the ConfigMaps that a container mounts at a path."""
    sources = {
        volume["name"]: _configmaps_in(volume) for volume in pod_spec(workload).get("volumes") or []
    }
    for entry in containers_of(workload):
        for mount in entry.get("volumeMounts") or []:
            if entry["name"] == container and mount["mountPath"] == path:
                return sources.get(mount["name"], ())
    return ()


def _configmaps_in(volume: dict[str, Any]) -> tuple[str, ...]:
    """Names of the ConfigMaps of a volume; a projected one may have several."""
    sources = [volume, *((volume.get("projected") or {}).get("sources") or ())]
    return tuple(
        one["configMap"]["name"] for one in sources if (one.get("configMap") or {}).get("name")
    )


def _content_defects(
    source: str, wanted: dict[str, str], found: dict[str, str], namespace: str
) -> list[str]:
    defects = []
    for key, text in wanted.items():
        if key not in found:
            defects.append(f"{source} has no key {key}")
            continue
        fields = json_object(text)
        if fields is None:
            if found[key].strip() != text.strip():
                defects.append(f"{source} key {key} has another content")
        else:
            defects += _field_defects(f"{source} key {key}", fields, found[key], namespace)
    return defects


def _field_defects(place: str, wanted: dict[str, Any], text: str, namespace: str) -> list[str]:
    found = json_object(text)
    if found is None:
        return [f"{place} is no JSON object"]
    defects = []
    for field, value in wanted.items():
        if field not in found:
            defects.append(f"{place} has no field {field}")
        elif _address(found[field], namespace) != _address(value, namespace):
            defects.append(f"{place} field {field} is {found[field]!r}, not {value!r}")
    return defects


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text holds, or None."""
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _address(value: Any, namespace: str) -> Any:
    """An address with the short name of its Service: all spellings of one name are right."""
    if not isinstance(value, str) or ":" not in value:
        return value
    host, _, port = value.rpartition(":")
    for suffix in (".cluster.local", ".svc", f".{namespace}"):
        host = host.removesuffix(suffix)
    return f"{host}:{port}"
