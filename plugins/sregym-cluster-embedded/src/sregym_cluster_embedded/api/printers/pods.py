"""The row of a pod: its status word is the most telling state of its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.printers.cell_texts import NONE, Cells, condition, is_true
from sregym_cluster_embedded.api.printers.duration import since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_ENDED = {
    "Succeeded": ("Succeeded", "The pod has completed successfully."),
    "Failed": ("Failed", "The pod failed."),
}


class _Restarts:
    """Restarts of several containers, and when the last one was."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""

    def add(self, status: Object) -> None:
        self.count += status.get("restartCount", 0)
        ended = status.get("lastState", {}).get("terminated")
        if ended and ended.get("finishedAt", "") > self.last:
            self.last = ended["finishedAt"]


def pod(obj: Object, now_s: float) -> Cells:
    """READY, STATUS, RESTARTS, AGE and the wide columns."""
    spec, status, metadata = obj["spec"], obj.get("status", {}), obj["metadata"]
    word, ready, restarts = summary(obj)
    count = str(restarts.count)
    if restarts.count and restarts.last:
        count = f"{count} ({since(restarts.last, now_s)} ago)"
    total = len(spec.get("containers", ())) + sum(
        1 for entry in spec.get("initContainers", ()) if entry.get("restartPolicy") == "Always"
    )
    return [
        metadata["name"],
        f"{ready}/{total}",
        word,
        count,
        since(metadata.get("creationTimestamp"), now_s),
        status.get("podIP") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _gates(obj),
    ]


def summary(obj: Object) -> tuple[str, int, _Restarts]:
    """The status word, the number of ready containers, and the restarts that count."""
    status, metadata = obj.get("status", {}), obj["metadata"]
    phase = status.get("phase", "")
    word = status.get("reason") or phase
    scheduled = condition(obj, "PodScheduled")
    if scheduled is not None and scheduled.get("reason") == "SchedulingGated":
        word = "SchedulingGated"
    initializing, word, ready, restarts, sidecars = _init_containers(obj, word)
    if not initializing or is_true(obj, "Initialized"):
        word, ready, restarts = _containers(obj, word, ready, sidecars)
    if metadata.get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            word = "Unknown"
        elif phase not in ("Succeeded", "Failed"):
            word = "Terminating"
    return word, ready, restarts


def row_conditions(obj: Object) -> list[dict[str, str]]:
    """What the table says of a pod that has ended."""
    ended = _ENDED.get(obj.get("status", {}).get("phase", ""))
    if ended is None:
        return []
    reason, message = ended
    return [{"type": "Completed", "status": "True", "reason": reason, "message": message}]


def _init_containers(obj: Object, word: str) -> tuple[bool, str, int, _Restarts, _Restarts]:
    specs = obj["spec"].get("initContainers", ())
    if not specs:
        return False, word, 0, _Restarts(), _Restarts()
    sidecar = {entry["name"] for entry in specs if entry.get("restartPolicy") == "Always"}
    restarts, sidecars, ready = _Restarts(), _Restarts(), 0
    for index, entry in enumerate(obj.get("status", {}).get("initContainerStatuses") or ()):
        restarts.add(entry)
        if entry["name"] in sidecar:
            sidecars.add(entry)
        state = entry.get("state", {})
        ended, waiting = state.get("terminated"), state.get("waiting")
        if ended and ended.get("exitCode", 0) == 0:
            continue
        if entry["name"] in sidecar and entry.get("started"):
            ready += bool(entry.get("ready"))
            continue
        if ended:
            word = f"Init:{_end(ended)}"
        elif waiting and waiting.get("reason", "PodInitializing") != "PodInitializing":
            word = f"Init:{waiting['reason']}"
        else:
            word = f"Init:{index}/{len(specs)}"
        return True, word, ready, restarts, sidecars
    return False, word, ready, restarts, sidecars


def _containers(
    obj: Object, word: str, ready: int, restarts: _Restarts
) -> tuple[str, int, _Restarts]:
    running = False
    for entry in reversed(obj.get("status", {}).get("containerStatuses") or ()):
        restarts.add(entry)
        state = entry.get("state", {})
        ended, waiting = state.get("terminated"), state.get("waiting")
        if waiting and waiting.get("reason"):
            word = waiting["reason"]
        elif ended:
            word = _end(ended)
        elif entry.get("ready") and state.get("running") is not None:
            running = True
            ready += 1
    if word == "Completed" and running:
        word = "Running" if is_true(obj, "Ready") else "NotReady"
    return word, ready, restarts


def _end(ended: dict[str, Any]) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode', 0)}"


def _gates(obj: Object) -> str:
    gates = obj["spec"].get("readinessGates")
    if not gates:
        return NONE
    true = sum(1 for gate in gates if is_true(obj, gate["conditionType"]))
    return f"{true}/{len(gates)}"


def node(obj: Object, now_s: float) -> Cells:
    """STATUS, ROLES, AGE, VERSION and the wide columns of a node."""
    status, metadata = obj.get("status", {}), obj["metadata"]
    info = status.get("nodeInfo", {})
    ready = condition(obj, "Ready")
    word = "Unknown" if ready is None else "Ready" if ready["status"] == "True" else "NotReady"
    if obj.get("spec", {}).get("unschedulable"):
        word += ",SchedulingDisabled"
    kernel = info.get("kernelVersion") or "<unknown>"
    if info.get("architecture"):
        kernel = f"{kernel} ({info['architecture']})"
    return [
        metadata["name"],
        word,
        _roles(metadata.get("labels", {})),
        since(metadata.get("creationTimestamp"), now_s),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or "<unknown>",
        kernel,
        info.get("containerRuntimeVersion") or "<unknown>",
    ]


def _roles(labels: dict[str, str]) -> str:
    prefix = "node-role.kubernetes.io/"
    found = {key.removeprefix(prefix) for key in labels if key.startswith(prefix)} - {""}
    if labels.get("kubernetes.io/role"):
        found.add(labels["kubernetes.io/role"])
    return ",".join(sorted(found)) or NONE


def _address(status: Object, type_: str) -> str:
    for entry in status.get("addresses", ()):
        if entry["type"] == type_:
            return str(entry["address"])
    return NONE


def event(obj: Object, now_s: float) -> Cells:
    """LAST SEEN, TYPE, REASON, OBJECT, MESSAGE and the wide columns of an event."""
    involved = obj.get("involvedObject", {})
    first = obj.get("firstTimestamp") or obj.get("eventTime")
    last = obj.get("lastTimestamp") or first
    count = obj.get("count") or 1
    if obj.get("series"):
        last, count = obj["series"].get("lastObservedTime"), obj["series"].get("count", 1)
    kind = involved.get("kind", "").lower()
    source = obj.get("source", {})
    parts = [source.get("component") or obj.get("reportingComponent", "")]
    host = source.get("host") if source.get("component") else obj.get("reportingInstance")
    parts += [host] if host else []
    return [
        since(last, now_s),
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{kind}/{involved['name']}" if involved.get("name") else kind,
        involved.get("fieldPath", ""),
        ", ".join(parts),
        obj.get("message", "").strip(),
        since(first, now_s),
        count,
        obj["metadata"]["name"],
    ]
