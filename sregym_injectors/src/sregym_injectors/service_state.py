"""Whether a Service leads its users to the component, whichever way it was repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import BATCH_KINDS, containers_of

from sregym_injectors.manifests import declared_ports
from sregym_injectors.pods import labels_selector, not_terminating, pods_of

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Port

EXPECTED = "the Service leads to exactly the component's pods, each port to the port they use"


def service_defects(context: FaultContext) -> list[str]:
    """What is wrong with the component's Service, one phrase each; empty when it is whole."""
    component = context.component
    assert component.service is not None, "the fault fits components with a Service only"
    service = context.cluster.get(component.service)
    if service is None:
        return [f"{component.service} does not exist"]
    pods = []
    for ref in component.workloads:
        workload = context.cluster.get(ref)
        if workload is None:
            return [f"{ref} does not exist"]
        pods += not_terminating(pods_of(context.cluster, workload))
    # Between two runs there are none that a Service could lead to.
    if not pods and component.workload.kind not in BATCH_KINDS:
        return [f"{component.workload} has no pods"]
    return [*_selection_defects(context, service, pods), *_port_defects(context, service, pods)]


def _selection_defects(
    context: FaultContext, service: KubeObject, pods: list[KubeObject]
) -> list[str]:
    if service["spec"].get("type") == "ExternalName":
        host = service["spec"].get("externalName", "")
        return [f"{context.component.service} is an alias of {host}"]
    selector = service["spec"].get("selector") or {}
    if not selector:
        return [f"{context.component.service} has no selector"]
    text = labels_selector(selector)
    namespace = service["metadata"]["namespace"]
    selected = _names(not_terminating(context.cluster.list("v1", "Pod", namespace, text)))
    own = _names(pods)
    left_out = [name for name in own if name not in selected]
    foreign = [name for name in selected if name not in own]
    defects = []
    if left_out:
        defects.append(f"selector {text} leaves out {', '.join(left_out)}")
    if foreign:
        defects.append(f"selector {text} also matches {', '.join(foreign)}")
    return defects


def _names(pods: list[KubeObject]) -> list[str]:
    return [pod["metadata"]["name"] for pod in pods]


def _port_defects(context: FaultContext, service: KubeObject, pods: list[KubeObject]) -> list[str]:
    declared_before = declared_ports(context)
    defects = []
    for port in context.component.ports:
        entry = _entry(service, port)
        if entry is None:
            defects.append(f"port {port.port}/{port.protocol} is missing")
            continue
        target = entry.get("targetPort", port.port)
        if not all(_leads_home(target, port, pod, declared_before) for pod in pods):
            defects.append(f"port {port.port} leads to {target}, not to {port.container_port}")
    return defects


def _entry(service: KubeObject, port: Port) -> dict[str, Any] | None:
    for entry in service["spec"].get("ports") or []:
        if entry["port"] == port.port and entry.get("protocol", "TCP") == port.protocol:
            found: dict[str, Any] = entry
            return found
    return None


def _leads_home(
    target: int | str, port: Port, pod: KubeObject, declared_before: dict[int, str]
) -> bool:
    """Whether a targetPort is the one on which the pod serves this port.

    Besides the port of the manifest that is one which the pod declares now and did not before:
    the process may have been moved to it.
    """
    declared = [entry for c in containers_of(pod) for entry in c.get("ports") or []]
    if isinstance(target, str):
        numbers = [entry["containerPort"] for entry in declared if entry.get("name") == target]
    else:
        numbers = [target]
    moved_to = [e["containerPort"] for e in declared if e["containerPort"] not in declared_before]
    return bool(numbers) and all(n == port.container_port or n in moved_to for n in numbers)
