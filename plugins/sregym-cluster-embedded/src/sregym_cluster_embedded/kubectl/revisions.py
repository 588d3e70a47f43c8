"""`kubectl rollout history` and `kubectl rollout undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubectl.client import JSON_PATCH, STRATEGIC
from sregym_cluster_embedded.kubectl.describe.pods import describe_template
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.kubectl.editing import Found, refuse_foreign
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, OUTPUT, SELECTION, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, qualified_name, report
from sregym_cluster_embedded.kubectl.rollout import LAST_APPLIED, REVISION, each_named
from sregym_cluster_embedded.kubectl.tables import aligned
from sregym_cluster_embedded.kubectl.yaml_text import compact_json
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

# Kinds that the binary has words for, with revisions or without.
_VISITED = frozenset({"Job", "CronJob", "Pod", "ReplicaSet", "ReplicationController"})
HISTORY_FLAGS = (*OUTPUT, *FILES, *SELECTION, Flag("revision"))
UNDO_FLAGS = (*OUTPUT, *FILES, *SELECTION, *DRY_RUN, Flag("to-revision"))

CHANGE_CAUSE = "kubernetes.io/change-cause"

_APPLIED = (
    "resource {} was previously managed with 'kubectl apply'. Rolling back will not update the "
    "kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected "
    "behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your "
    "previous configuration file instead."
)
# Annotations of a ReplicaSet that an undo does not bring back to its Deployment.
_KEPT_BY_UNDO = frozenset({
    LAST_APPLIED, REVISION, "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
})  # fmt: skip


class _Revision(NamedTuple):
    """A revision: the ReplicaSet or ControllerRevision that keeps it, and its pod template."""

    keeper: Object
    template: Object

    @property
    def cause(self) -> str:
        annotations = self.keeper["metadata"].get("annotations", {})
        return str(annotations.get(CHANGE_CAUSE, ""))


def history(session: Session) -> None:
    """Run `kubectl rollout history`."""
    wanted = session.arguments.number("revision", 0)
    if session.arguments.text("output"):
        raise NotCovered("rollout history -o")
    if wanted < 0:
        raise CommandError(f"error: revision must be a positive integer: {wanted}")

    def act(found: Found) -> None:
        revisions = _revisions(session, found, "history viewer")
        name = qualified_name(found.kind, found.name)
        if not revisions:
            session.say(f"{name} \nNo rollout history found.")
        elif wanted:
            if wanted not in revisions:
                raise CommandError("error: unable to find the specified revision")
            session.say(f"{name} with revision #{wanted}\n{_told(revisions[wanted])}")
        else:
            lines = [["REVISION", "CHANGE-CAUSE"]]
            lines += ([str(at), revisions[at].cause or "<none>"] for at in sorted(revisions))
            session.say(f"{name} ")
            session.say(aligned(lines, padding=2, least=0))

    each_named(session, act, told_when_none=False)


def _told(revision: _Revision, undoing: bool = False) -> str:
    """The template of a revision, its cells not aligned."""
    template = revision.template
    if revision.cause and revision.keeper["kind"] == "ReplicaSet" and not undoing:
        metadata = template.get("metadata", {})
        annotations = {**metadata.get("annotations", {}), CHANGE_CAUSE: revision.cause}
        template = {**template, "metadata": {**metadata, "annotations": annotations}}
    writer = Writer()
    describe_template(writer, template)
    return writer.raw()


def undo(session: Session) -> None:
    """Run `kubectl rollout undo`."""
    wanted = session.arguments.number("to-revision", 0)

    def act(found: Found) -> None:
        if LAST_APPLIED in found.obj["metadata"].get("annotations", {}):
            session.warn(_APPLIED.format(f"{found.kind.plural}/{found.name}"))
        target = _target(session, found, wanted)
        if dry_run(session.arguments) == "client":
            lead = "" if found.kind.kind == "Deployment" else "will roll back to "
            report(session, found.kind, found.obj, lead + _told(target, undoing=True))
            return
        if found.obj["spec"].get("paused"):
            text = "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
            raise CommandError(f"error: {text}")
        if _matches(found.obj["spec"]["template"], target):
            why = f"(current template already matches revision {wanted})"
            report(session, found.kind, found.obj, f"skipped rollback {why}")
            return
        patch, content_type = _patch(found, target)
        query = dry_run_query(session.arguments)
        try:
            session.client.patch(
                found.kind, found.namespace, found.name, patch, content_type, query
            )
        except ServerError as error:
            text = f"error: failed restoring revision {wanted}: {error.message}"
            raise CommandError(text) from error
        report(session, found.kind, found.obj, "rolled back")

    each_named(session, act, told_when_none=False)


def _matches(template: Object, target: _Revision) -> bool:
    """Whether a workload has the template of a revision; ControllerRevisions by their bytes."""
    if target.keeper["kind"] == "ControllerRevision":
        present = {"spec": {"template": {**template, "$patch": "replace"}}}
        return compact_json(present) == compact_json(target.keeper["data"], in_order=False)
    return _without_hash(target.template) == _without_hash(template)


def _patch(found: Found, target: _Revision) -> tuple[Any, str]:
    if target.keeper["kind"] == "ControllerRevision":
        return target.keeper["data"], STRATEGIC
    present = found.obj["metadata"].get("annotations", {})
    kept = {name: value for name, value in present.items() if name in _KEPT_BY_UNDO}
    restored = target.keeper["metadata"].get("annotations", {})
    kept |= {name: value for name, value in restored.items() if name not in _KEPT_BY_UNDO}
    return [
        {"op": "replace", "path": "/spec/template", "value": _without_hash(target.template)},
        {"op": "replace", "path": "/metadata/annotations", "value": kept},
    ], JSON_PATCH


def _target(session: Session, found: Found, wanted: int) -> _Revision:
    revisions = _revisions(session, found, "rollbacker")
    if wanted == 0:
        if len(revisions) < 2 and found.kind.kind == "Deployment":
            name = f'deployment "{found.name}"'
            raise CommandError(f"error: no rollout history found for {name}")
        if len(revisions) < 2:
            raise CommandError("error: no last revision to roll back to")
        return revisions[sorted(revisions)[-2]]
    if wanted not in revisions:
        raise CommandError(f"error: unable to find specified revision {wanted} in history")
    return revisions[wanted]


def _revisions(session: Session, found: Found, viewer: str) -> dict[int, _Revision]:
    """The revisions of a workload by their numbers; `viewer` is what other kinds do not have."""
    kind = found.kind.kind
    if kind not in ("Deployment", "StatefulSet", "DaemonSet"):
        refuse_foreign(found)
        if kind not in _VISITED:
            raise NotCovered(f"revisions of a {kind}")
        raise CommandError(f'error: no {viewer} has been implemented for "{kind}"')
    keeper = "replicasets.apps" if kind == "Deployment" else "controllerrevisions.apps"
    query = [("labelSelector", selector_text(found.obj["spec"]["selector"]))]
    uid = found.obj["metadata"]["uid"]
    revisions: dict[int, _Revision] = {}
    for one in session.client.list(session.client.resource_type(keeper), found.namespace, query):
        owner = owner_of(one)
        if owner is None or owner["uid"] != uid:
            continue
        if kind != "Deployment":
            template = one["data"]["spec"]["template"]
            plain = {name: value for name, value in template.items() if name != "$patch"}
            revisions[one["revision"]] = _Revision(one, plain)
            continue
        number = one["metadata"].get("annotations", {}).get(REVISION)
        if number is not None:
            revisions[int(number)] = _Revision(one, one["spec"]["template"])
    return revisions


def _without_hash(template: Object) -> Object:
    metadata = dict(template.get("metadata", {}))
    labels = {k: v for k, v in metadata.get("labels", {}).items() if k != "pod-template-hash"}
    metadata = {**metadata, "labels": labels} if labels else metadata
    return {**template, "metadata": metadata}
