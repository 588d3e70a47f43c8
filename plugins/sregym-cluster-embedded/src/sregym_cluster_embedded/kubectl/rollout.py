"""`kubectl rollout restart`, `pause`, `resume`, `history`, `undo`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.client import JSON_PATCH
from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import FILES, OUTPUT, SELECTION, Flag
from sregym_cluster_embedded.kubectl.printing import report, shown_name
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.tables import aligned

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

FLAGS = (*OUTPUT, *FILES, *SELECTION)
UNDO_FLAGS = (*FLAGS, Flag("to-revision"))

REVISION = "deployment.kubernetes.io/revision"
CHANGE_CAUSE = "kubernetes.io/change-cause"
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_APPLIED = (
    "resource {} was previously managed with 'kubectl apply'. Rolling back will not update the "
    "kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected "
    "behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your "
    "previous configuration file instead."
)

# Annotations of a ReplicaSet that an undo does not bring back to its Deployment.
_KEPT_BY_UNDO = {
    LAST_APPLIED,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
}


def restart(session: Session) -> None:
    """Run `kubectl rollout restart`."""
    moment = datetime.fromtimestamp(session.access.unix_now(), UTC)
    stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    patch = {"spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: stamp}}}}}

    def act(found: Found) -> None:
        if found.kind.kind not in ("Deployment", "StatefulSet", "DaemonSet"):
            raise NotCovered(f"restart a {found.kind.kind}")
        if found.obj["spec"].get("paused"):
            text = "can't restart paused deployment (run rollout resume first)"
            raise CommandError(f'error: {found.kind.resource} "{found.name}" {text}')
        annotations = found.obj["spec"]["template"]["metadata"].get("annotations", {})
        if annotations.get(RESTARTED_AT) == stamp:
            text = (
                "error: if restart has already been triggered within the past second, please wait "
                "before attempting to trigger another"
            )
            raise CommandError(text)
        _patch(session, found, patch, "restarted")

    _on_each(session, act)


def pause(session: Session) -> None:
    """Run `kubectl rollout pause`."""
    _set_paused(session, True, "paused", "pause")


def resume(session: Session) -> None:
    """Run `kubectl rollout resume`."""
    _set_paused(session, None, "resumed", "resume")


def history(session: Session) -> None:
    """Run `kubectl rollout history` without `--revision`."""

    def act(found: Found) -> None:
        lines = [["REVISION", "CHANGE-CAUSE"]]
        for revision, replica_set in sorted(_revisions(session, found).items()):
            cause = replica_set["metadata"].get("annotations", {}).get(CHANGE_CAUSE)
            lines.append([str(revision), cause or "<none>"])
        session.say(f"{shown_name(found.kind, found.name)} ")
        session.say(aligned(lines, padding=2, least=0))

    _on_each(session, act)


def undo(session: Session) -> None:
    """Run `kubectl rollout undo`."""
    wanted = session.arguments.number("to-revision", 0)

    def act(found: Found) -> None:
        if found.obj["spec"].get("paused"):
            raise NotCovered("a paused deployment")
        if LAST_APPLIED in found.obj["metadata"].get("annotations", {}):
            session.warn(_APPLIED.format(f"{found.kind.plural}/{found.name}"))
        target = _rollback_target(session, found, wanted)
        template = _without_hash(target["spec"]["template"])
        if template == _without_hash(found.obj["spec"]["template"]):
            revision = target["metadata"]["annotations"][REVISION]
            name = shown_name(found.kind, found.name)
            session.say(
                f"{name} skipped rollback (current template already matches revision {revision})"
            )
            return
        annotations = _annotations_after_undo(found.obj, target)
        patch: list[dict[str, Any]] = [
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": "replace", "path": "/metadata/annotations", "value": annotations},
        ]
        try:
            session.client.patch(found.kind, found.namespace, found.name, patch, JSON_PATCH)
        except ServerError as error:
            text = f"error: failed restoring revision {wanted}: {error.message}"
            raise CommandError(text) from error
        report(session, found.kind, found.obj, "rolled back")

    _on_each(session, act)


def _set_paused(session: Session, value: bool | None, done: str, verb: str) -> None:
    def act(found: Found) -> None:
        if found.kind.kind != "Deployment":
            raise NotCovered(f"{verb} a {found.kind.kind}")
        if bool(found.obj["spec"].get("paused")) == bool(value):
            state = "already paused" if value else "not paused"
            raise CommandError(f'error: {found.kind.resource} "{found.name}" is {state}')
        _patch(session, found, {"spec": {"paused": value}}, done)

    _on_each(session, act)


def _patch(session: Session, found: Found, patch: Object, done: str) -> None:
    try:
        after = session.client.patch(found.kind, found.namespace, found.name, patch)
    except ServerError as error:
        raise CommandError(f"error: failed to patch: {error.message}") from error
    report(session, found.kind, after, done)


def _on_each(session: Session, act: Any) -> None:
    if not session.arguments.words and not session.arguments.has("filename"):
        raise NotCovered("nothing named")
    errors: list[CommandError] = []
    words = session.arguments.words
    found = selected(session, words, errors, unnamed_is_all=True)
    if not found and not errors:
        raise NotCovered("nothing found")
    for one in found:
        with collected(errors):
            act(one)
    raise_all(errors)


def _revisions(session: Session, found: Found) -> dict[int, Object]:
    """The ReplicaSets of a Deployment by revision."""
    if found.kind.kind != "Deployment":
        raise NotCovered(f"revisions of a {found.kind.kind}")
    selector = found.obj["spec"]["selector"]
    if selector.get("matchExpressions"):
        raise NotCovered("a selector with expressions")
    labels = ",".join(f"{key}={value}" for key, value in sorted(selector["matchLabels"].items()))
    kind = session.client.resource_type("replicasets.apps")
    uid = found.obj["metadata"]["uid"]
    revisions: dict[int, Object] = {}
    for replica_set in session.client.list(kind, found.namespace, [("labelSelector", labels)]):
        owners = replica_set["metadata"].get("ownerReferences", ())
        if not any(owner["uid"] == uid and owner.get("controller") for owner in owners):
            continue
        number = replica_set["metadata"].get("annotations", {}).get(REVISION)
        if number is not None:
            revisions[int(number)] = replica_set
    return revisions


def _rollback_target(session: Session, found: Found, wanted: int) -> Object:
    revisions = _revisions(session, found)
    if wanted == 0:
        if len(revisions) < 2:
            name = f'deployment "{found.name}"'
            raise CommandError(f"error: no rollout history found for {name}")
        return revisions[sorted(revisions)[-2]]
    if wanted not in revisions:
        raise CommandError(f"error: unable to find specified revision {wanted} in history")
    return revisions[wanted]


def _without_hash(template: Object) -> Object:
    metadata = dict(template.get("metadata", {}))
    labels = {k: v for k, v in metadata.get("labels", {}).items() if k != "pod-template-hash"}
    metadata = {**metadata, "labels": labels} if labels else metadata
    return {**template, "metadata": metadata}


def _annotations_after_undo(deployment: Object, target: Object) -> dict[str, str]:
    present = deployment["metadata"].get("annotations", {})
    kept = {name: value for name, value in present.items() if name in _KEPT_BY_UNDO}
    restored = target["metadata"].get("annotations", {})
    return kept | {name: value for name, value in restored.items() if name not in _KEPT_BY_UNDO}
