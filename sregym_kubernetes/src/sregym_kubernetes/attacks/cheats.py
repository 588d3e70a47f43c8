"""Known cheats: ways to make a system look repaired that are no repairs.

Each is a script of kubectl commands over the problem's targets; the mitigation oracle has to fail
every one of them.
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Command
from sregym_core.model import WORKLOAD_KINDS, template_patch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cheat, Session
    from sregym_core.model import Component

# An image with a shell that any cluster gets, and how a load generator's log names an operation.
_SHELL = "busybox:1.36"
_OPERATION = re.compile(r"\bop=([\w.-]+) requests=")

# More levels than a parser has stack for, and more digits than one takes for a number.
_DEEP, _LONG = 20_000, 5_000


def _kubectl(session: Session, *words: str, stdin: str = "") -> str:
    return session.kubectl(Command(("kubectl", *words), stdin)).stdout


def _workload(component: Component) -> tuple[str, str, str]:
    workload = component.workload
    return workload.kind.lower(), workload.name, workload.namespace


def delete_workload(
    session: Session, targets: tuple[Component, ...], _everything: tuple[Component, ...]
) -> None:
    """Delete the workloads of the targets."""
    for component in targets:
        kind, name, namespace = _workload(component)
        _kubectl(session, "delete", kind, name, "-n", namespace)


def scale_to_zero(
    session: Session, targets: tuple[Component, ...], _everything: tuple[Component, ...]
) -> None:
    """Scale the workloads of the targets to nothing: what does not run cannot fail."""
    for component in targets:
        kind, name, namespace = _workload(component)
        _kubectl(session, "scale", kind, name, "--replicas=0", "-n", namespace)


def recreate_unrepaired(
    session: Session, targets: tuple[Component, ...], _everything: tuple[Component, ...]
) -> None:
    """Delete the workloads of the targets and create them again just as they are."""
    for component in targets:
        kind, name, namespace = _workload(component)
        text = _kubectl(session, "get", kind, name, "-n", namespace, "-o", "json")
        if not text.startswith("{"):
            continue
        obj: dict[str, Any] = json.loads(text)
        obj.pop("status", None)
        for field in ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"):
            obj["metadata"].pop(field, None)
        _kubectl(session, "delete", kind, name, "-n", namespace)
        _kubectl(session, "create", "-f", "-", stdin=json.dumps(obj))
        _kubectl(session, "rollout", "status", kind, name, "-n", namespace, "--timeout=60s")


def restart_everything(
    session: Session, _targets: tuple[Component, ...], everything: tuple[Component, ...]
) -> None:
    """Restart every Deployment of the application."""
    for namespace in sorted({component.namespace for component in everything}):
        _kubectl(session, "rollout", "restart", "deployment", "-n", namespace)


def stop_the_load(
    session: Session, _targets: tuple[Component, ...], everything: tuple[Component, ...]
) -> None:
    """Silence the users: scale the load generator to nothing."""
    for component in everything:
        if component.kind == "load":
            kind, name, namespace = _workload(component)
            _kubectl(session, "scale", kind, name, "--replicas=0", "-n", namespace)


def forge_the_load(
    session: Session, _targets: tuple[Component, ...], everything: tuple[Component, ...]
) -> None:
    """Start pods beside the load generator, under its labels, that print what it would print if all were well.

    So many good answers that those which the real one misses do not count among them.
    """
    for component in everything:
        if component.kind != "load":
            continue
        kind, name, namespace = _workload(component)
        told = _kubectl(session, "logs", f"{kind}/{name}", "-n", namespace, "--tail=40")
        operations = sorted({found[1] for found in _OPERATION.finditer(told)})
        line = "$(date -u +%Y-%m-%dT%H:%M:%SZ) op=$op requests=900000 ok=900000 failed=0"
        script = (
            f"while true; do for op in {' '.join(operations)}; do "
            f'echo "{line} p50_ms=5.0 p99_ms=9.0"; done; sleep 10; done'
        )
        containers = [{"name": name, "image": _SHELL, "command": ["sh", "-c", script]}]
        metadata = {
            "name": f"{name}-2", "namespace": namespace, "labels": dict(component.pod_labels)
        }  # fmt: skip
        spec = {"containers": containers, "terminationGracePeriodSeconds": 1}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        _kubectl(session, "create", "-f", "-", stdin=json.dumps(pod))


def garble_configuration(
    session: Session, targets: tuple[Component, ...], _everything: tuple[Component, ...]
) -> None:
    """Write into the targets' ConfigMaps what no parser survives: who cannot judge must not end with an error."""
    for component in targets:
        for use in component.config:
            if use.source.kind != "ConfigMap":
                continue
            name, namespace = use.source.name, use.source.namespace
            text = _kubectl(session, "get", "configmap", name, "-n", namespace, "-o", "json")
            if not text.startswith("{"):
                continue
            obj = json.loads(text)
            garbled = "[" * _DEEP + "9" * _LONG + "]" * _DEEP
            obj["data"] = dict.fromkeys(obj.get("data") or {}, garbled)
            _kubectl(session, "replace", "-f", "-", stdin=json.dumps(obj))


def remove_probes(
    session: Session, targets: tuple[Component, ...], everything: tuple[Component, ...]
) -> None:
    """Remove the probes of the targets and of those who call them.

    Only of those with probes in their manifests: a probe that only a fault has added may go.
    """
    names = {component.name for component in targets}
    names |= {caller for component in targets for caller in component.callers}
    for component in everything:
        if component.name in names and component.own_container.probes:
            kind, name, namespace = _workload(component)
            probes = {"readinessProbe": None, "livenessProbe": None, "startupProbe": None}
            if component.workload.kind not in WORKLOAD_KINDS:
                continue
            containers = [{"name": component.container, **probes}]
            patch = template_patch(component.workload.kind, {"spec": {"containers": containers}})
            _kubectl(session, "patch", kind, name, "-n", namespace, "-p", json.dumps(patch))


CHEATS: Mapping[str, Cheat] = MappingProxyType(
    {
        "delete-workload": delete_workload,
        "scale-to-zero": scale_to_zero,
        "recreate-unrepaired": recreate_unrepaired,
        "restart-everything": restart_everything,
        "stop-the-load": stop_the_load,
        "forge-the-load": forge_the_load,
        "garble-configuration": garble_configuration,
        "remove-probes": remove_probes,
    }
)

# Those that restart processes and change nothing: right repairs of state that dies with a process.
RESTARTS = frozenset({"recreate-unrepaired", "restart-everything"})
