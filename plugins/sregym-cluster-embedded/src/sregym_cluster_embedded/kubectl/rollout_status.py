"""`kubectl rollout status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.editing import Found, refuse_foreign, selected
from sregym_cluster_embedded.kubectl.errors import CommandError
from sregym_cluster_embedded.kubectl.flags import FILES, SELECTION, Flag, switch
from sregym_cluster_embedded.kubectl.rollout import REVISION
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.waiting import states, timed_out

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (*FILES, *SELECTION, switch("watch", "w"), Flag("timeout"), Flag("revision"))


def status(session: Session) -> None:
    """Run `kubectl rollout status`."""
    if not session.arguments.words and not session.arguments.of_files:
        raise CommandError("error: required resource not specified")
    pinned = session.arguments.number("revision", 0)
    if pinned < 0:
        raise CommandError(f"error: revision must be a positive integer: {pinned}")
    errors: list[CommandError] = []
    found = selected(session, session.arguments.words, errors, unnamed_is_all=True)
    if not found and not errors:
        session.complain(f"No resources found in {session.namespace} namespace.")
    for one in found:
        with collected(errors):
            refuse_foreign(one)
            _follow(session, one)
    raise_all(errors)


def _follow(session: Session, found: Found) -> None:
    if not session.arguments.on("watch", default=True):
        text, _ = _progress(session, found.obj)
        session.say(text)
        return
    timeout_s = session.arguments.duration("timeout", 0.0) or None
    for event, obj in states(session, found.kind, found.namespace, found.name, timeout_s):
        if event == "DELETED":
            raise CommandError("error: object has been deleted")
        text, done = _progress(session, obj)
        session.say(text)
        if done:
            return
    raise timed_out()


def _progress(session: Session, obj: Object) -> tuple[str, bool]:
    """As `progress`, of the revision that `--revision` names."""
    pinned = session.arguments.number("revision", 0)
    if pinned and obj["kind"] == "Deployment":
        running = int(obj["metadata"].get("annotations", {}).get(REVISION, "0"))
        if running != pinned:
            why = f"is different from the running revision ({running})"
            raise CommandError(f"error: desired revision ({pinned}) {why}")
    return progress(obj)


def progress(obj: Object) -> tuple[str, bool]:
    """What to print of a workload's roll-out, and whether it is complete.

    Raises:
        CommandError: The roll-out has failed, or has no status to speak of.
    """
    match obj["kind"]:
        case "Deployment":
            return _deployment(obj)
        case "DaemonSet":
            return _daemon_set(obj)
        case "StatefulSet":
            return _stateful_set(obj)
    group = obj["apiVersion"].rpartition("/")[0]
    kind = f"{obj['kind']}.{group}" if group else obj["kind"]
    raise CommandError(f"error: no status viewer has been implemented for {kind}")


def _observed(obj: Object) -> bool:
    observed: int = obj.get("status", {}).get("observedGeneration", 0)
    return bool(obj["metadata"].get("generation", 0) <= observed)


def _deployment(obj: Object) -> tuple[str, bool]:
    name, state = obj["metadata"]["name"], obj.get("status", {})
    if not _observed(obj):
        return "Waiting for deployment spec update to be observed...", False
    for condition in state.get("conditions", ()):
        late = condition.get("reason") == "ProgressDeadlineExceeded"
        if condition["type"] == "Progressing" and late:
            raise CommandError(f'error: deployment "{name}" exceeded its progress deadline')
    wanted = obj["spec"].get("replicas")
    updated = state.get("updatedReplicas", 0)
    old = state.get("replicas", 0) - updated
    available = state.get("availableReplicas", 0)
    head = f'Waiting for deployment "{name}" rollout to finish: '
    if wanted is not None and updated < wanted:
        return f"{head}{updated} out of {wanted} new replicas have been updated...", False
    if old > 0:
        return f"{head}{old} old replicas are pending termination...", False
    if available < updated:
        return f"{head}{available} of {updated} updated replicas are available...", False
    return f'deployment "{name}" successfully rolled out', True


def _require_rolling(obj: Object) -> None:
    if obj["spec"].get("updateStrategy", {}).get("type") != "RollingUpdate":
        text = "error: rollout status is only available for RollingUpdate strategy type"
        raise CommandError(text)


def _daemon_set(obj: Object) -> tuple[str, bool]:
    _require_rolling(obj)
    name, state = obj["metadata"]["name"], obj.get("status", {})
    if not _observed(obj):
        return "Waiting for daemon set spec update to be observed...", False
    wanted = state.get("desiredNumberScheduled", 0)
    updated = state.get("updatedNumberScheduled", 0)
    available = state.get("numberAvailable", 0)
    head = f'Waiting for daemon set "{name}" rollout to finish: '
    if updated < wanted:
        return f"{head}{updated} out of {wanted} new pods have been updated...", False
    if available < wanted:
        return f"{head}{available} of {wanted} updated pods are available...", False
    return f'daemon set "{name}" successfully rolled out', True


def _stateful_set(obj: Object) -> tuple[str, bool]:
    _require_rolling(obj)
    spec, state = obj["spec"], obj.get("status", {})
    if not state.get("observedGeneration") or not _observed(obj):
        return "Waiting for statefulset spec update to be observed...", False
    wanted = spec.get("replicas")
    ready = state.get("readyReplicas", 0)
    if wanted is not None and ready < wanted:
        return f"Waiting for {wanted - ready} pods to be ready...", False
    updated = state.get("updatedReplicas", 0)
    rolling = spec["updateStrategy"].get("rollingUpdate")
    if rolling is not None and wanted is not None and rolling.get("partition") is not None:
        due = wanted - rolling["partition"]
        if updated < due:
            head = "Waiting for partitioned roll out to finish: "
            return f"{head}{updated} out of {due} new pods have been updated...", False
        return f"partitioned roll out complete: {updated} new pods have been updated...", True
    revision = state.get("updateRevision", "")
    if revision != state.get("currentRevision", ""):
        head = "waiting for statefulset rolling update to complete "
        return f"{head}{updated} pods at revision {revision}...", False
    current = state.get("currentReplicas", 0)
    return f"statefulset rolling update complete {current} pods at revision {revision}...", True
