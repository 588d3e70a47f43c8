"""The containers of a pod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import (
    amounts,
    causes,
    formats,
    pod_volumes,
    probes,
    security,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

PROTOCOLS = ("SCTP", "TCP", "UDP")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_MORE = "may not have more than one field specified at a time"
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_NO_SOURCE = (
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
    "`fileKeyRef`"
)


@dataclass(frozen=True)
class Around:
    """What containers refer to in their pod.

    Attributes:
        volumes: Names of the volumes.
        claims: Names of the resource claims.
        grace_s: How long the pod may take to end.
        restart_policy: That of the pod.
    """

    volumes: frozenset[str]
    claims: frozenset[str]
    grace_s: int
    restart_policy: str


def containers(given: Any, path: str, around: Around) -> list[Cause]:
    """The ordinary containers of a pod."""
    if not given:
        return [causes.required(path)]
    found: list[Cause] = []
    names: set[str] = set()
    for index, container in enumerate(given):
        place = f"{path}[{index}]"
        found += _common(container, place, around)
        name = container.get("name", "")
        if name in names:
            found.append(causes.duplicate(f"{place}.name", name))
        names.add(name)
        found += probes.of_container(container, place, around.grace_s)
    return found + _host_ports(given, path)


def init_containers(given: Any, others: Any, path: str, around: Around) -> list[Cause]:
    """The containers that run first, and sidecars."""
    found: list[Cause] = []
    names = {container.get("name", "") for container in others}
    for index, container in enumerate(given):
        place = f"{path}[{index}]"
        found += _common(container, place, around)
        policy = container.get("restartPolicy")
        found += causes.one_of(f"{place}.restartPolicy", policy, _RESTART_POLICIES)
        name = container.get("name", "")
        if name and name in names:
            found.append(causes.duplicate(f"{place}.name", name))
        names.add(name)
        found += _host_ports([container], path)
        if policy == "Always":
            found += probes.of_container(container, place, around.grace_s)
        else:
            text = "may not be set for init containers without restartPolicy=Always"
            found.extend(
                causes.forbidden(f"{place}.{field}", text)
                for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
                if container.get(field) is not None
            )
    return found


def ephemeral_containers(given: Any, others: Any, path: str, around: Around) -> list[Cause]:
    """The containers that were added for looking around."""
    found: list[Cause] = []
    known = {container.get("name", "") for container in others}
    names = set(known)
    for index, container in enumerate(given):
        place = f"{path}[{index}]"
        found += _common(container, place, around)
        found += image_spaces(container, place)
        name, target = container.get("name", ""), container.get("targetContainerName", "")
        if name in names:
            found.append(causes.duplicate(f"{place}.name", name))
        names.add(name)
        if target and target not in known:
            found.append(causes.missing(f"{place}.targetContainerName", target))
        text = "cannot be set for an Ephemeral Container"
        found.extend(
            causes.forbidden(f"{place}.{field}", text)
            for field in (
                "ports",
                "resources",
                "livenessProbe",
                "readinessProbe",
                "startupProbe",
                "lifecycle",
            )
            if container.get(field)
        )
    return found


def image_spaces(container: Object, path: str) -> list[Cause]:
    """A pod's image has no space around it; a template's may."""
    image = container.get("image", "")
    if image == image.strip():
        return []
    text = "must not have leading or trailing whitespace"
    return [causes.invalid(f"{path}.image", image, text)]


def _common(container: Object, path: str, around: Around) -> list[Cause]:
    name = container.get("name", "")
    field = f"{path}.name"
    found = formats.label(field, name) if name else [causes.required(field)]
    if not container.get("image"):
        found.append(causes.required(f"{path}.image"))
    policy = container.get("terminationMessagePolicy")
    found += causes.one_of(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    found += _ports(container.get("ports") or (), f"{path}.ports")
    for index, variable in enumerate(container.get("env") or ()):
        found += _variable(variable, f"{path}.env[{index}]")
    for index, source in enumerate(container.get("envFrom") or ()):
        found += _variables(source, f"{path}.envFrom[{index}]", f"{path}.envFrom")
    found += _mounts(container, f"{path}.volumeMounts", around.volumes)
    found += _devices(container, f"{path}.volumeDevices", around.volumes)
    pulled = container.get("imagePullPolicy")
    found += causes.one_of(f"{path}.imagePullPolicy", pulled, _PULL_POLICIES)
    resources = container.get("resources")
    if resources:
        found += amounts.requirements(resources, f"{path}.resources", around.claims)
    resize = container.get("resizePolicy")
    if resize:
        found += _resize(resize, f"{path}.resizePolicy", around.restart_policy)
    context = container.get("securityContext")
    return found + (security.of_container(context, f"{path}.securityContext") if context else [])


def _ports(ports: Any, path: str) -> list[Cause]:
    found: list[Cause] = []
    names: set[str] = set()
    for index, entry in enumerate(ports):
        place = f"{path}[{index}]"
        name = entry.get("name")
        if name:
            problems = formats.port_name(f"{place}.name", name)
            if not problems and name in names:
                problems.append(causes.duplicate(f"{place}.name", name))
            if not problems:
                names.add(name)
            found += problems
        number = entry.get("containerPort", 0)
        if number == 0:
            found.append(causes.required(f"{place}.containerPort"))
        else:
            found += causes.port(f"{place}.containerPort", number)
        outside = entry.get("hostPort", 0)
        if outside:
            found += causes.port(f"{place}.hostPort", outside)
        found += causes.one_of(f"{place}.protocol", entry.get("protocol"), PROTOCOLS)
    return found


def _host_ports(given: Any, path: str) -> list[Cause]:
    found: list[Cause] = []
    taken: set[str] = set()
    for index, container in enumerate(given):
        for number, entry in enumerate(container.get("ports") or ()):
            if not entry.get("hostPort"):
                continue
            protocol, address = entry.get("protocol", "TCP"), entry.get("hostIP", "")
            shown = f"{protocol}/{address}/{entry['hostPort']}"
            if shown in taken:
                field = f"{path}[{index}].ports[{number}].hostPort"
                found.append(causes.duplicate(field, shown))
            taken.add(shown)
    return found


def _variable(variable: Object, path: str) -> list[Cause]:
    name = variable.get("name", "")
    found = formats.env_name(f"{path}.name", name) if name else [causes.required(f"{path}.name")]
    origin = variable.get("valueFrom")
    if origin is None:
        return found
    place = f"{path}.valueFrom"
    present = [source for source in _SOURCES if origin.get(source) is not None]
    for source in present:
        field, reference = f"{place}.{source}", origin[source]
        if source == "fieldRef":
            found += pod_volumes.field_reference(reference, field, pod_volumes.ENV_FIELDS)
        elif source == "resourceFieldRef":
            found += pod_volumes.resource_reference(reference, field, volume=False)
        elif source != "fileKeyRef":
            found += _key(reference, field)
    if not present:
        found.append(causes.invalid(place, "", _NO_SOURCE))
    elif variable.get("value"):
        text = "may not be specified when `value` is not empty"
        found.append(causes.invalid(place, "", text))
    elif len(present) > 1:
        found.append(causes.invalid(place, "", _MORE))
    return found


def _key(reference: Object, path: str) -> list[Cause]:
    found = formats.subdomain(f"{path}.name", reference.get("name", ""))
    key = reference.get("key", "")
    return found + (
        formats.config_key(f"{path}.key", key) if key else [causes.required(f"{path}.key")]
    )


def _variables(source: Object, place: str, path: str) -> list[Cause]:
    found: list[Cause] = []
    if source.get("prefix"):
        found += formats.env_name(f"{place}.prefix", source["prefix"])
    kinds = [kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]
    for kind in kinds:
        name = source[kind].get("name", "")
        field = f"{place}.{kind}.name"
        found += formats.subdomain(field, name) if name else [causes.required(field)]
    if not kinds:
        text = "must specify one of: `configMapRef` or `secretRef`"
        found.append(causes.invalid(path, "", text))
    elif len(kinds) > 1:
        found.append(causes.invalid(path, "", _MORE))
    return found


def _mounts(container: Object, path: str, volumes: frozenset[str]) -> list[Cause]:
    found: list[Cause] = []
    seen: set[str] = set()
    devices = container.get("volumeDevices") or ()
    privileged = (container.get("securityContext") or {}).get("privileged")
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        place = f"{path}[{index}]"
        name, where = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            found.append(causes.required(f"{place}.name"))
        if name not in volumes:
            found.append(causes.missing(f"{place}.name", name))
        if not where:
            found.append(causes.required(f"{place}.mountPath"))
        if where in seen:
            found.append(causes.invalid(f"{place}.mountPath", where, "must be unique"))
        seen.add(where)
        if any(device.get("name") == name for device in devices):
            text = "must not already exist in volumeDevices"
            found.append(causes.invalid(f"{place}.name", name, text))
        part, expression = mount.get("subPath", ""), mount.get("subPathExpr", "")
        if part:
            found += formats.descending(f"{path}.subPath", part)
        if expression:
            if part:
                text = "subPathExpr and subPath are mutually exclusive"
                found.append(causes.invalid(f"{place}.subPathExpr", expression, text))
            found += formats.descending(f"{path}.subPathExpr", expression)
        spread = mount.get("mountPropagation")
        found += causes.one_of(f"{path}.mountPropagation", spread, _PROPAGATIONS)
        if spread == "Bidirectional" and not privileged:
            text = "Bidirectional mount propagation is available only to privileged containers"
            found.append(causes.forbidden(f"{path}.mountPropagation", text))
    return found


def _devices(container: Object, path: str, volumes: frozenset[str]) -> list[Cause]:
    found: list[Cause] = []
    for index, device in enumerate(container.get("volumeDevices") or ()):
        place = f"{path}[{index}]"
        name = device.get("name", "")
        if not name:
            found.append(causes.required(f"{place}.name"))
        if name not in volumes:
            found.append(causes.missing(f"{place}.name", name))
        if not device.get("devicePath"):
            found.append(causes.required(f"{place}.devicePath"))
    return found


def _resize(policies: Any, path: str, restart_policy: str) -> list[Cause]:
    found: list[Cause] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        name, action = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in seen:
            found.append(causes.duplicate(f"{path}[{index}]", name))
        seen.add(name)
        for value, supported in ((name, _RESIZED), (action, _RESIZE_POLICIES)):
            found += causes.one_of(path, value, supported) if value else [causes.required(path)]
        if restart_policy == "Never" and action != "NotRequired":
            text = "must be 'NotRequired' when `restartPolicy` is 'Never'"
            found.append(causes.invalid(path, action, text))
    return found
