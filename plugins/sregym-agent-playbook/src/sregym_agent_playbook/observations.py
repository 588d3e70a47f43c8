"""What was seen, in lines that rules can read: who, where, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sregym_agents.survey import SHORTCUTS

if TYPE_CHECKING:
    from sregym_agents.survey import Listing


class Observation(NamedTuple):
    """One thing that was seen.

    Attributes:
        source: `event`, `container`, `log`, `alert`, or what was compared: `service`, `workload` ...
        component: The component that is meant.
        kind: Kind of the object that it is about.
        text: What it says.
        name: Name of the object that it is about, empty for the component's own.
    """

    source: str
    component: str
    kind: str
    text: str
    name: str = ""


Source: TypeAlias = Callable[["Listing"], Iterator[Observation]]


def events(seen: Listing) -> Iterator[Observation]:
    """Warnings, the latest first, and what ended pods."""
    for name, event in reversed(seen.events):
        if event["type"] == "Warning" or event["reason"] == "Preempted":
            text = f"{event['reason']}: {event.get('message', '')}"
            yield Observation("event", name, event["involvedObject"].get("kind", "Pod"), text)


def containers(seen: Listing) -> Iterator[Observation]:
    """Why containers wait, and how they ended last."""
    for name, pod in seen.owned("Pod"):
        status = pod.get("status") or {}
        every = [
            *(("container", one) for one in status.get("containerStatuses") or ()),
            *(("init container", one) for one in status.get("initContainerStatuses") or ()),
        ]
        for what, one in every:
            for text in _states(one, what, pod):
                yield Observation("container", name, "Deployment", text)


def _states(status: dict[str, Any], what: str, pod: Any) -> Iterator[str]:
    state, last = status.get("state") or {}, status.get("lastState") or {}
    if waiting := state.get("waiting"):
        reason, message = waiting.get("reason", ""), waiting.get("message", "")
        yield f"{what} {status['name']} waits: {reason} {message}"
    for ended in (state.get("terminated"), last.get("terminated")):
        if ended and (ended.get("exitCode") or ended.get("reason") == "OOMKilled"):
            code, said = ended.get("exitCode"), ended.get("message", "")
            yield f"{what} {status['name']} ended: {ended.get('reason')} exit code {code} {said}"
    if what == "init container" and "running" in state:
        restarts = any(
            one["name"] == status["name"] and one.get("restartPolicy") == "Always"
            for one in pod["spec"].get("initContainers") or ()
        )
        if not restarts:
            yield f"init container {status['name']} has not come to its end"


def logs(seen: Listing) -> Iterator[Observation]:
    """Error lines, the latest first, each text once for a component."""
    told = set()
    for line in reversed(seen.lines):
        name = seen.of_pod(line.pod)
        if name and (name, line.text[-80:]) not in told:
            told.add((name, line.text[-80:]))
            yield Observation("log", name, "Deployment", line.text)


def alerts(seen: Listing) -> Iterator[Observation]:
    """Whom the first alert names, and who alone is not ready: where to begin without anything else."""
    for shortcut in ("only one not ready", "first alert"):
        for name in sorted(SHORTCUTS[shortcut](seen)):
            yield Observation("alert", name, "Deployment", shortcut)
