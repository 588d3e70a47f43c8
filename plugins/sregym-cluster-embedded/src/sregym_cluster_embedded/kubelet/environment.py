"""The environment of a container: literals, references, service links, `$(VAR)` expansion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.configuration import (
    Missing,
    config_data,
    field_value,
    resource_value,
)
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

_LINKS: TableKey[tuple[str, bool], dict[str, str]] = TableKey("kubelet.links")
_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")


def environment(
    world: World, pod: Object, state: PodState, container: Object, host_ip: str
) -> dict[str, str]:
    """All variables that the kubelet sets, service links first.

    Raises:
        Missing: A ConfigMap, Secret or key that is not optional is not there.
    """
    namespace = pod["metadata"]["namespace"]
    links = service_links(world, namespace, bool(pod["spec"].get("enableServiceLinks", True)))
    own: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        own.update(_from_source(world, namespace, source))
    for variable in container.get("env", ()):
        name = variable["name"]
        if "valueFrom" in variable:
            found = _from_reference(world, pod, state, container, host_ip, variable["valueFrom"])
            if found is not None:
                own[name] = found
            continue
        value = variable.get("value", "")
        own[name] = expand(value, {**links, **own}) if "$" in value else value
    return {**links, **own}


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace `$(NAME)` where NAME is known; `$$` stands for `$`."""
    if "$" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        if match.group(1) == "$":
            return "$"
        return variables.get(match.group(2), match.group(0))

    return _REFERENCE.sub(replaced, text)


def references(text: str) -> set[str]:
    """The NAMEs of all `$(NAME)` in a text."""
    return {match.group(2) for match in _REFERENCE.finditer(text) if match.group(1) != "$"}


def service_links(world: World, namespace: str, all_services: bool) -> dict[str, str]:
    """Variables for the `kubernetes` Service and, with `all_services`, those of the namespace.

    Kept in the table `kubelet.links` until a Service of the namespace changes.
    """
    known = world.table(_LINKS)
    place = (namespace, all_services)
    found: dict[str, str] | None = known.get(place)
    if found is None:
        found = known[place] = _service_links(world, namespace, all_services)
    return found


def forget_links(world: World, namespace: str) -> None:
    """A Service of the namespace has changed: containers that start from now on see it."""
    known = world.table(_LINKS)
    if namespace == "default":
        known.clear()
    known.pop((namespace, True), None)


def _service_links(world: World, namespace: str, all_services: bool) -> dict[str, str]:
    links: dict[str, str] = {}
    api = world.store.get(Key("services", "default", "kubernetes"))
    services = [api] if api is not None else []
    if all_services:
        services += [
            service
            for service in world.store.list("services", namespace)
            if not (namespace == "default" and service["metadata"]["name"] == "kubernetes")
        ]
    for service in services:
        links.update(_links_of(service))
    return links


def _links_of(service: Object) -> dict[str, str]:
    spec = service["spec"]
    address = spec.get("clusterIP")
    ports = spec.get("ports") or ()
    if not address or address == "None" or spec.get("type") == "ExternalName" or not ports:
        return {}
    prefix = service["metadata"]["name"].upper().replace("-", "_")
    first = ports[0]
    links = {
        f"{prefix}_SERVICE_HOST": address,
        f"{prefix}_SERVICE_PORT": str(first["port"]),
    }
    for port in ports:
        if port.get("name"):
            name = port["name"].upper().replace("-", "_")
            links[f"{prefix}_SERVICE_PORT_{name}"] = str(port["port"])
    protocol = first.get("protocol", "TCP").lower()
    links[f"{prefix}_PORT"] = f"{protocol}://{address}:{first['port']}"
    for port in ports:
        protocol = port.get("protocol", "TCP")
        stem = f"{prefix}_PORT_{port['port']}_{protocol}"
        links[stem] = f"{protocol.lower()}://{address}:{port['port']}"
        links[f"{stem}_PROTO"] = protocol.lower()
        links[f"{stem}_PORT"] = str(port["port"])
        links[f"{stem}_ADDR"] = address
    return links


def _from_source(world: World, namespace: str, source: Object) -> dict[str, str]:
    for field, resource, kind in (
        ("configMapRef", "configmaps", "configmap"),
        ("secretRef", "secrets", "secret"),
    ):
        reference = source.get(field)
        if reference is None:
            continue
        data = config_data(world, namespace, resource, reference["name"])
        if data is None:
            if reference.get("optional"):
                return {}
            message = f'{kind} "{reference["name"]}" not found'
            raise Missing(message)
        prefix = source.get("prefix", "")
        return {f"{prefix}{key}": data[key] for key in sorted(data)}
    return {}


def _from_reference(
    world: World,
    pod: Object,
    state: PodState,
    container: Object,
    host_ip: str,
    source: dict[str, Any],
) -> str | None:
    namespace = pod["metadata"]["namespace"]
    if "fieldRef" in source:
        return field_value(pod, state, host_ip, source["fieldRef"]["fieldPath"])
    if "resourceFieldRef" in source:
        return resource_value(world, pod, container, source["resourceFieldRef"])
    for field, resource, kind in (
        ("configMapKeyRef", "configmaps", "ConfigMap"),
        ("secretKeyRef", "secrets", "Secret"),
    ):
        reference = source.get(field)
        if reference is None:
            continue
        data = config_data(world, namespace, resource, reference["name"])
        if data is None:
            if reference.get("optional"):
                return None
            message = f'{kind.lower()} "{reference["name"]}" not found'
            raise Missing(message)
        if reference["key"] not in data:
            if reference.get("optional"):
                return None
            where = f"{namespace}/{reference['name']}"
            message = f"couldn't find key {reference['key']} in {kind} {where}"
            raise Missing(message)
        return data[reference["key"]]
    return ""
