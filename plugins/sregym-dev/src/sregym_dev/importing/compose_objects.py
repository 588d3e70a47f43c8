"""One service of a compose file as a workload, its Services, configuration and claims."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_dev.importing.compose_images import image_of, kind_by_service
from sregym_dev.importing.compose_mounts import mounts_of
from sregym_dev.importing.compose_values import (
    Published,
    env_lines,
    label,
    pairs,
    ports_of,
    seconds,
    size,
    split_command,
)
from sregym_dev.importing.known import kind_by_name, kind_by_settings, usual_ports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.remarks import Remarks

# What has no meaning in a cluster, or none for what runs in it.
_FIELDS = (
    "image build ports expose environment env_file command entrypoint volumes depends_on healthcheck "
    "deploy networks secrets configs restart container_name hostname profiles scale labels logging "
    "stdin_open tty init working_dir user mem_limit mem_reservation cpus links tmpfs extra_hosts "
    "stop_grace_period privileged cap_add cap_drop read_only platform pull_policy x-shared "
    "external_links stop_signal attach develop annotations network_mode ulimits security_opt "
    "shm_size"
)
_SILENT = frozenset(_FIELDS.split())
_ONCE = ("no", "on-failure", False)
# What a service needs where its file says nothing.
_REQUESTS = {"cpu": "50m", "memory": "64Mi"}


# Options of clients after which a host stands.
_HOST_OPTIONS = ("-h", "-H", "--host", "--hostname", "--server")


@dataclass(frozen=True)
class Service:
    """A service of a compose file.

    Attributes:
        name: As Kubernetes takes it.
        given: As the file has it.
        entry: What the file says, with variables filled in.
        root: Folder of the file.
        application: Name of the application to be.
        remarks: What was guessed and left out.
        asked: Ports at which other services ask it, or its own health check does.
    """

    name: str
    given: str
    entry: dict[str, Any]
    root: Path
    application: str
    remarks: Remarks
    asked: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """As remarks name it."""
        return f"service {self.given}"

    def tried(self, field: str, read: Callable[[], Any], otherwise: Any) -> Any:
        """What a field holds; where it cannot be read that is said, and `otherwise` taken."""
        try:
            return read()
        except (ValueError, KeyError, TypeError, AttributeError):
            self.remarks.left_out(self.where, f"{field} {self.entry.get(field)!r} cannot be read")
            return otherwise


def objects_of_service(service: Service) -> Iterator[KubeObject]:
    """The workload of a service, its Services, ConfigMaps, Secrets and claims."""
    entry, remarks = service.entry, service.remarks
    for field in sorted(set(entry) - _SILENT):
        if not field.startswith("x-"):
            remarks.left_out(service.where, f"{field}: has no counterpart here")
    image = image_of(service)
    ports = _ports(service, image)
    mounted = mounts_of(service)
    container: dict[str, Any] = {"name": service.name, "image": image}
    for field, target in (("entrypoint", "command"), ("command", "args")):
        if entry.get(field):
            container[target] = service.tried(field, partial(split_command, entry[field]), [])
    if entry.get("working_dir"):
        container["workingDir"] = str(entry["working_dir"])
    if env := _environment(service):
        container["env"] = [{"name": key, "value": value} for key, value in env.items()]
    if ports:
        container["ports"] = [
            {"containerPort": port.container}
            | ({"protocol": port.protocol} if port.protocol != "TCP" else {})
            for port in ports
        ]
    if probe := _probe(service, ports):
        container["readinessProbe"] = probe
    container["resources"] = _resources(service)
    if mounted.mounts:
        container["volumeMounts"] = mounted.mounts
    pod: dict[str, Any] = {"containers": [container]}
    if mounted.volumes:
        pod["volumes"] = mounted.volumes
    pod |= _pod_settings(service, container)
    yield from mounted.objects
    yield from _services(service, ports)
    yield _workload(service, pod, ports, keeps_data=mounted.keeps_data)


def _pod_settings(service: Service, container: dict[str, Any]) -> dict[str, Any]:
    entry = service.entry
    found: dict[str, Any] = {}
    user = str(entry.get("user", "")).partition(":")[0]
    if user.isdecimal():
        container["securityContext"] = {"runAsUser": int(user)}
    if entry.get("privileged"):
        container.setdefault("securityContext", {})["privileged"] = True
    if entry.get("cap_add"):
        container.setdefault("securityContext", {})["capabilities"] = {"add": entry["cap_add"]}
    if entry.get("stop_grace_period"):
        found["terminationGracePeriodSeconds"] = seconds(entry["stop_grace_period"], 10)
    hosts = [str(one).replace("=", ":", 1).split(":", 1) for one in entry.get("extra_hosts") or ()]
    aliases = [{"ip": ip, "hostnames": [host]} for host, ip in hosts if ip[:1].isdigit()]
    if aliases:
        found["hostAliases"] = aliases
    if entry.get("network_mode"):
        service.remarks.left_out(service.where, f"network_mode {entry['network_mode']!r}")
    return found


def _listed(entry: Any) -> list[Published]:
    return [*ports_of(entry)]


def _ports(service: Service, image: str) -> list[Published]:
    """TCP and UDP ports, each once: published, exposed, of its kind, or asked by others."""
    found: dict[tuple[int, str], Published] = {}
    for field in ("ports", "expose"):
        for entry in service.entry.get(field) or ():
            for port in service.tried(field, partial(_listed, entry), []):
                found.setdefault((port.container, port.protocol), port)
    environment = _environment(service, quiet=True)
    kind = (
        kind_by_name(image) or kind_by_settings(environment, ()) or kind_by_service(service, image)
    )
    usual = usual_ports(kind)
    more = usual if not any(one.container in usual for one in found.values()) else ()
    asked = service.asked if not usual else ()
    for number in (*more, *asked):
        if (number, "TCP") not in found:
            found[number, "TCP"] = Published(number)
            why = "usual for this kind of server" if number in usual else "where it may be asked"
            service.remarks.guessed(service.where, f"port {number}, {why}")
    return list(found.values())


def _environment(service: Service, *, quiet: bool = False) -> dict[str, str]:
    found: dict[str, str] = {}
    files = service.entry.get("env_file") or ()
    for one in [files] if isinstance(files, str | dict) else files:
        name = str(one.get("path") if isinstance(one, dict) else one)
        file = service.root / name
        if file.is_file():
            found |= env_lines(file.read_text(encoding="utf-8"))
        elif not quiet:
            service.remarks.left_out(service.where, f"env_file {name!r}: there is no such file")
    given = service.tried("environment", lambda: pairs(service.entry.get("environment")), {})
    for key, value in given.items():
        if value is None and quiet:
            continue
        if value is None:
            what = f"variable {key}: its value is that of the shell that starts it"
            service.remarks.left_out(service.where, what)
        else:
            found[key] = value
    return found


def _probe(service: Service, ports: list[Published]) -> dict[str, Any] | None:
    check = service.entry.get("healthcheck") or {}
    test = check.get("test")
    if check.get("disable") or test in (None, "NONE", ["NONE"]):
        return None
    if isinstance(test, list) and test[0] == "CMD":
        command = [str(one) for one in test[1:]]
    else:
        text = " ".join(map(str, test[1:])) if isinstance(test, list) else str(test)
        command = ["/bin/sh", "-c", text]
    command = _asking_itself(command, service)
    probe = _asked_by_http(command, ports) or {"exec": {"command": command}}
    probe["periodSeconds"] = min(seconds(check.get("interval"), 10), 30)
    probe["timeoutSeconds"] = seconds(check.get("timeout"), 5)
    probe["failureThreshold"] = int(check.get("retries") or 3)
    if check.get("start_period"):
        probe["initialDelaySeconds"] = seconds(check["start_period"], 5)
    return probe


def _asking_itself(command: list[str], service: Service) -> list[str]:
    """A health check with `localhost` where it names its own service.

    A Service leads to no pod that is not ready yet, so that it would never get ready.
    """
    names = "|".join(map(re.escape, _names(service)))
    host = re.compile(
        rf"(?:(?<=//)|(?<=-h )|(?<=--host )|(?<=--host=)|(?<=@))(?:{names})(?![\w.-])"
        rf"|(?<![\w./-])(?:{names})(?=:\d)"
    )
    before, found = "", []
    for word in command:
        named = before in _HOST_OPTIONS and word in _names(service)
        found.append("localhost" if named else host.sub("localhost", word))
        before = word
    if found != command:
        service.remarks.changed(
            service.where,
            "its health check asks localhost and not its own name: a Service leads to no pod that is "
            "not ready",
        )
    return found


def _names(service: Service) -> list[str]:
    """All names by which others find a service."""
    networks = service.entry.get("networks")
    aliases = [
        alias
        for one in (networks.values() if isinstance(networks, dict) else ())
        for alias in (one or {}).get("aliases") or ()
    ]
    names = [service.name, *(label(str(one)) for one in aliases)]
    for field in ("container_name", "hostname"):
        if service.entry.get(field):
            names.append(label(str(service.entry[field])))
    return list(dict.fromkeys(names))


def _asked_by_http(command: list[str], ports: list[Published]) -> dict[str, Any] | None:
    """A probe by HTTP in place of curl or wget to the container itself."""
    parts = " ".join(command).replace("'", " ").replace('"', " ").split()
    if not {"curl", "wget"} & {part.rpartition("/")[2] for part in parts}:
        return None
    for part in parts:
        scheme, _, rest = part.partition("://") if "://" in part else ("http", "", part)
        place, slash, path = rest.partition("/")
        host, _, number = place.partition(":")
        if host not in ("localhost", "127.0.0.1", "0.0.0.0") or scheme not in ("http", "https"):  # noqa: S104 - compared
            continue
        port = int(number) if number.isdecimal() else 80
        if port in [one.container for one in ports]:
            return {"httpGet": {"path": slash + path or "/", "port": port}}
    return None


def _resources(service: Service) -> dict[str, Any]:
    deploy = (service.entry.get("deploy") or {}).get("resources") or {}
    limits, reserved = deploy.get("limits") or {}, deploy.get("reservations") or {}
    memory = limits.get("memory") or service.entry.get("mem_limit")
    cpus = limits.get("cpus") or service.entry.get("cpus")
    wanted = reserved.get("memory") or service.entry.get("mem_reservation")
    found: dict[str, Any] = {"requests": dict(_REQUESTS)}
    if wanted:
        found["requests"]["memory"] = service.tried("deploy", lambda: size(wanted), "64Mi")
    if reserved.get("cpus"):
        found["requests"]["cpu"] = str(reserved["cpus"])
    if memory:
        limit = service.tried("deploy", lambda: size(memory), "")
        if limit:
            found["limits"] = {"memory": limit}
            found["requests"]["memory"] = found["requests"]["memory"] if wanted else limit
    if cpus:
        found.setdefault("limits", {})["cpu"] = str(cpus)
        if not reserved.get("cpus"):
            found["requests"]["cpu"] = str(min(float(cpus), 0.05))
    return found


def _services(service: Service, ports: list[Published]) -> Iterator[KubeObject]:
    """The Service of its name, and one for each further name that it has."""
    if not ports:
        return
    for name in _names(service):
        published = name == service.name and any(port.published for port in ports)
        outside = published and kind_by_name(str(service.entry.get("image", "x"))) in ("", "nginx")
        spec: dict[str, Any] = {"type": "NodePort"} if outside else {}
        spec |= {
            "selector": {"app": service.name},
            "ports": [
                {"name": f"{port.protocol.lower()}-{port.container}", "port": port.container}
                | ({"protocol": port.protocol} if port.protocol != "TCP" else {})
                for port in ports
            ],
        }
        yield {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "labels": {"app": service.name}},
            "spec": spec,
        }


def _workload(
    service: Service, pod: dict[str, Any], ports: list[Published], *, keeps_data: bool
) -> KubeObject:
    labels = {"app": service.name}
    template = {"metadata": {"labels": labels}, "spec": pod}
    metadata: dict[str, Any] = {"name": service.name, "labels": labels}
    needs = service.entry.get("depends_on") or ()
    if links := service.entry.get("links"):
        needs = [*needs, *(str(one).partition(":")[0] for one in links)]
    if needs:
        metadata["annotations"] = {DEPENDS_ON: ",".join(label(str(one)) for one in needs)}
    if service.entry.get("restart") in _ONCE and not ports and "restart" in service.entry:
        service.remarks.guessed(service.where, "is not started again, so it is a Job")
        pod["restartPolicy"] = "OnFailure"
        spec: dict[str, Any] = {"template": template, "backoffLimit": 6}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
    deploy = service.entry.get("deploy") or {}
    replicas = deploy.get("replicas", service.entry.get("scale", 1))
    spec = {"replicas": service.tried("deploy", lambda: int(replicas), 1)}
    if deploy.get("mode") == "global":
        spec = {}
    elif keeps_data:
        spec["strategy"] = {"type": "Recreate"}
    spec |= {"selector": {"matchLabels": labels}, "template": template}
    kind = "Deployment" if spec.get("replicas") is not None else "DaemonSet"
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


# Compose's own order of starting; taken out again once calls have been guessed from it.
DEPENDS_ON = "com.docker.compose.depends_on"
