"""Containers in the descriptions of pods and of pod templates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import moment
from sregym_cluster_embedded.kubectl.env_sources import resource_value
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.describe.writer import Writer
    from sregym_cluster_embedded.store import Object

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")


def describe_containers(
    writer: Writer,
    title: str,
    containers: Sequence[Object],
    pod: Object | None,
    statuses: Sequence[Object] = (),
    space: str = "",
) -> None:
    """Describe containers; `pod` is None, and there are no statuses, in a template."""
    by_name = {status["name"]: status for status in statuses}
    writer.line(0, f"{space}{title}:" + ("" if containers else " <none>"))
    indent = " " if space else ""
    for container in containers:
        status = by_name.get(container["name"])
        writer.line(1, f"{indent}{container['name']}:")
        _basics(writer, container, status)
        for field, name in (("Command", "command"), ("Args", "args")):
            if container.get(name):
                writer.line(2, f"{field}:")
                for word in container[name]:
                    for part in word.split("\n"):
                        writer.line(3, part)
        if status is not None:
            _state(writer, "State", status.get("state", {}))
            if "terminated" in status.get("lastState", {}):
                _state(writer, "Last State", status["lastState"])
            writer.field(2, "Ready", "True" if status.get("ready") else "False")
            writer.field(2, "Restart Count", status.get("restartCount", 0))
        describe_resources(writer, container.get("resources") or {})
        for field, name in (
            ("Liveness", "livenessProbe"),
            ("Readiness", "readinessProbe"),
            ("Startup", "startupProbe"),
        ):
            if container.get(name):
                writer.field(2, field, _probe(container[name]))
        _environment_sources(writer, container)
        _environment(writer, container, pod)
        _mounts(writer, container)


def _basics(writer: Writer, container: Object, status: Object | None) -> None:
    if status is not None:
        writer.field(2, "Container ID", status.get("containerID", ""))
    writer.field(2, "Image", container.get("image", ""))
    if status is not None:
        writer.field(2, "Image ID", status.get("imageID", ""))
    ports = container.get("ports", ())
    for title, field in (("Port", "containerPort"), ("Host Port", "hostPort")):
        listed = ", ".join(_port(port, field) for port in ports)
        plural = "s" if "," in listed else ""
        writer.field(2, title + plural, listed or "<none>")
    write_seccomp(writer, 2, container)


def write_seccomp(writer: Writer, level: int, holder: Object) -> None:
    """The seccomp profile of a pod or of a container, if one is set."""
    profile = (holder.get("securityContext") or {}).get("seccompProfile")
    if profile:
        writer.field(level, "SeccompProfile", profile["type"])
        if profile["type"] == "Localhost":
            writer.field(level + (level > 0), "LocalhostProfile", profile["localhostProfile"])


def _port(port: Object, field: str) -> str:
    name = f" ({port['name']})" if port.get("name") else ""
    return f"{port.get(field, 0)}/{port.get('protocol', 'TCP')}{name}"


def describe_resources(writer: Writer, resources: Object, level: int = 2) -> None:
    """Limits and requests, sorted by name."""
    for title, field in (("Limits", "limits"), ("Requests", "requests")):
        values = resources.get(field)
        if values:
            writer.line(level, f"{title}:")
            for name in sorted(values):
                writer.field(level + 1, name, values[name])


def _state(writer: Writer, title: str, state: Object) -> None:
    if "running" in state:
        writer.field(2, title, "Running")
        writer.field(3, "Started", moment(state["running"].get("startedAt")))
    elif "terminated" in state:
        ended = state["terminated"]
        writer.field(2, title, "Terminated")
        if ended.get("reason"):
            writer.field(3, "Reason", ended["reason"])
        if ended.get("message"):
            writer.field(3, "Message", ended["message"])
        writer.field(3, "Exit Code", ended.get("exitCode", 0))
        if ended.get("signal"):
            writer.field(3, "Signal", ended["signal"])
        writer.field(3, "Started", moment(ended.get("startedAt")))
        writer.field(3, "Finished", moment(ended.get("finishedAt")))
    else:
        writer.field(2, title, "Waiting")
        if state.get("waiting", {}).get("reason"):
            writer.field(3, "Reason", state["waiting"]["reason"])


def _probe(probe: Object) -> str:
    limits = (
        f"delay={probe.get('initialDelaySeconds', 0)}s timeout={probe.get('timeoutSeconds', 0)}s "
        f"period={probe.get('periodSeconds', 0)}s "
        f"successThreshold={probe.get('successThreshold', 0)} "
        f"failureThreshold={probe.get('failureThreshold', 0)}"
    )
    if "exec" in probe:
        return f"exec [{' '.join(probe['exec'].get('command', ()))}] {limits}"
    if "httpGet" in probe:
        get = probe["httpGet"]
        scheme = get.get("scheme", "").lower()
        head = f"{scheme}://" if scheme else "//"
        path = get.get("path", "")
        if not re.fullmatch(r"[\w\-./~]*", path):
            raise NotCovered("a path to be escaped")
        return f"http-get {head}{get.get('host', '')}:{get['port']}{path} {limits}"
    if "tcpSocket" in probe:
        socket = probe["tcpSocket"]
        return f"tcp-socket {socket.get('host', '')}:{socket['port']} {limits}"
    if "grpc" in probe:
        return f"grpc <pod>:{probe['grpc']['port']} {probe['grpc'].get('service', '')} {limits}"
    return f"unknown {limits}"


def _environment_sources(writer: Writer, container: Object) -> None:
    if not container.get("envFrom"):
        return
    writer.line(2, "Environment Variables from:")
    for source in container["envFrom"]:
        kind = "ConfigMap" if "configMapRef" in source else "Secret"
        reference = source.get("configMapRef") or source.get("secretRef") or {}
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        optional = _truth(reference.get("optional"))
        writer.line(3, f"{reference.get('name', '')}\t{kind}{prefix}\tOptional: {optional}")


def _environment(writer: Writer, container: Object, pod: Object | None) -> None:
    entries = container.get("env", ())
    writer.line(2, "Environment:" + ("" if entries else "\t<none>"))
    for entry in entries:
        name, source = entry["name"], entry.get("valueFrom")
        if source is None:
            first, *others = entry.get("value", "").split("\n")
            writer.line(3, f"{name}:\t{first}")
            for other in others:
                writer.line(3, f"\t{other}")
        elif "fieldRef" in source:
            reference = source["fieldRef"]
            value = _field_value(pod, reference["fieldPath"]) if pod else ""
            version = reference.get("apiVersion", "v1")
            writer.line(3, f"{name}:\t{value} ({version}:{reference['fieldPath']})")
        elif "secretKeyRef" in source:
            reference = source["secretKeyRef"]
            set_to = f"<set to the key '{reference['key']}' in secret '{reference['name']}'>"
            writer.line(3, f"{name}:\t{set_to}\tOptional: {_truth(reference.get('optional'))}")
        elif "configMapKeyRef" in source:
            reference = source["configMapKeyRef"]
            set_to = f"<set to the key '{reference['key']}' of config map '{reference['name']}'>"
            writer.line(3, f"{name}:\t{set_to}\tOptional: {_truth(reference.get('optional'))}")
        elif "resourceFieldRef" in source:
            reference = source["resourceFieldRef"]
            value = _resource_value(container, reference)
            writer.line(3, f"{name}:\t{value} ({reference['resource']})")
        else:
            raise NotCovered("an unusual source of the environment")


def _resource_value(container: Object, reference: Object) -> str:
    """An amount of the container's, rounded up to the unit of the reference."""
    value = resource_value(container, reference)
    if value == "0" and reference["resource"] in ("limits.cpu", "limits.memory"):
        return "node allocatable"
    return value


def _field_value(pod: Object, path: str) -> str:
    """The value of a field, for the few that kubectl looks up itself."""
    metadata = pod["metadata"]
    if path in ("metadata.name", "metadata.namespace", "metadata.uid"):
        return str(metadata.get(path.removeprefix("metadata."), ""))
    subscript = _SUBSCRIPT.fullmatch(path)
    return str(metadata.get(subscript[1], {}).get(subscript[2], "")) if subscript else ""


def _mounts(writer: Writer, container: Object) -> None:
    mounts = container.get("volumeMounts", ())
    writer.line(2, "Mounts:" + ("" if mounts else "\t<none>"))
    for mount in sorted(mounts, key=lambda one: str(one["mountPath"])):
        flags = "ro" if mount.get("readOnly") else "rw"
        if mount.get("subPath"):
            flags += f',path="{mount["subPath"]}"'
        writer.line(3, f"{mount['mountPath']} from {mount['name']} ({flags})")
    devices = container.get("volumeDevices")
    if devices:
        writer.line(2, "Devices:")
        for device in sorted(devices, key=lambda one: str(one["devicePath"])):
            writer.line(3, f"{device['devicePath']} from {device['name']}")


def _truth(value: object) -> str:
    return "true" if value else "false"
