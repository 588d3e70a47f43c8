"""Deployments: one ReplicaSet for each template, and the way from one to the next."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers import rollout
from sregym_cluster_embedded.controllers.deployment_status import (
    complete,
    deadline_of,
    find,
    status_of,
    with_condition,
    with_progress,
)
from sregym_cluster_embedded.controllers.pods import (
    is_active,
    is_terminating,
    owner_reference,
    selects,
)
from sregym_cluster_embedded.controllers.replicaset import RESOURCE as REPLICA_SETS
from sregym_cluster_embedded.controllers.revisions import (
    DESIRED,
    MAXIMUM,
    REVISION,
    annotations_of,
    newest_of,
    next_annotations,
    revision,
)
from sregym_cluster_embedded.controllers.template_hash import LABEL, template_hash
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.deployment"
RESOURCE = "deployments.apps"
COMPONENT = "deployment-controller"
_DELAY_S = 0.015
_REFUSED = "ReplicaSetCreateError"
# It resizes one ReplicaSet after another: after one of its own writes it takes longer to look again.
_TURN_S = 0.035
_DEADLINE_SLACK_S = 1.0
_LOOKED_AT = (
    *("generation", "annotations", "labels", "deletionTimestamp", "finalizers"),
    "ownerReferences",
)
_COUNTED = (
    "replicas",
    "readyReplicas",
    "availableReplicas",
    "terminatingReplicas",
    "conditions",
)


def listen(world: World, change: Change) -> None:
    """Deployments are looked at when they or one of their ReplicaSets change."""
    key, obj, old = change.key, change.obj, change.old
    if key.resource == REPLICA_SETS:
        owner = owner_of(obj)
        if owner is not None and owner["kind"] == "Deployment" and _counts(change):
            resized = old is not None and old["spec"] is not obj["spec"]
            delay_s = _TURN_S if resized else _DELAY_S
            enqueue(world, HANDLER, Key(RESOURCE, key.namespace, owner["name"]), delay_s)
    elif (
        old is None or old["spec"] is not obj["spec"] or _differs(old["metadata"], obj["metadata"])
    ) and change.type is not ChangeType.DELETED:
        enqueue(world, HANDLER, key, _DELAY_S)


def _differs(old: Object, new: Object) -> bool:
    """Whether metadata changed by more than what each write of a status changes."""
    return True in [old.get(field) is not new.get(field) for field in _LOOKED_AT]


def _counts(change: Change) -> bool:
    """Whether a write of a ReplicaSet changes what is read from it here."""
    obj, old = change.obj, change.old
    if old is None or change.type is ChangeType.DELETED or old["spec"] is not obj["spec"]:
        return True
    if _differs(old["metadata"], obj["metadata"]):
        return True
    before, after = old.get("status", {}), obj.get("status", {})
    # A count that is not there is zero.
    return True in [(before.get(field) or 0) != (after.get(field) or 0) for field in _COUNTED]


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one Deployment."""
    mark_processing(world, HANDLER, key)
    deployment = world.store.get(key)
    if deployment is None:
        return
    replica_sets = _replica_sets(world, deployment)
    spec = deployment["spec"]
    newest = newest_of(replica_sets, spec["template"])
    if "deletionTimestamp" in deployment["metadata"]:
        _write(world, key, status_of(world, deployment, replica_sets, newest))
        return
    deployment = _note_pause(world, key, deployment)
    others = [entry for entry in replica_sets if entry is not newest]
    if spec.get("paused") or _was_scaled(deployment, replica_sets):
        newest = _renumber(world, deployment, newest, others)
        rollout.scale(world, deployment, newest, others)
        # As in the real controller, this status is of the sizes before and says nothing of the
        # rollout's progress; the next follows at once.
        _settle(world, key, deployment, replica_sets)
        return
    if spec.get("strategy", {}).get("type") == "Recreate":
        _recreate(world, key, deployment, newest, others)
        return
    newest = _ensure_newest(world, key, deployment, newest, others)
    deployment = world.store.get(key) or deployment
    if newest is not None and not rollout.grow(world, deployment, newest, others):
        rollout.shrink(world, deployment, newest, others)
    _settle(world, key, deployment)


def _recreate(
    world: World,
    key: Key,
    deployment: Object,
    newest: Object | None,
    others: list[Object],
) -> None:
    """All old pods go before the first new one comes."""
    shrunk = False
    for replica_set in others:
        if replica_set["spec"].get("replicas", 1) > 0:
            rollout.resize(world, deployment, replica_set, 0)
            shrunk = True
    old_pods = any(
        is_active(pod) or is_terminating(pod)
        for replica_set in others
        for pod in world.store.owned("pods", replica_set["metadata"]["uid"])
    )
    if not shrunk and not old_pods:
        newest = _ensure_newest(world, key, deployment, newest, others)
        deployment = world.store.get(key) or deployment
        if newest is not None:
            rollout.grow(world, deployment, newest, others)
    _settle(world, key, deployment)


def _ensure_newest(
    world: World,
    key: Key,
    deployment: Object,
    newest: Object | None,
    others: list[Object],
) -> Object | None:
    """The ReplicaSet of the present template, made or brought up to date."""
    if newest is not None:
        return _renumber(world, deployment, newest, others)
    wanted_hash = template_hash(
        deployment["spec"]["template"], deployment.get("status", {}).get("collisionCount", 0)
    )
    name = f"{deployment['metadata']['name']}-{wanted_hash}"
    annotations = next_annotations(deployment, None, others)
    replicas = rollout.first_size(deployment, others)
    annotations[DESIRED] = str(deployment["spec"].get("replicas", 1))
    annotations[MAXIMUM] = str(rollout.maximum(deployment))
    place = Key(REPLICA_SETS, key.namespace, name)
    if world.store.get(place) is not None:
        if _adopted_orphans(world, deployment):
            enqueue(world, HANDLER, key, _DELAY_S)
            return None
        # Another template has this hash: count the collision and take the next name.
        status = deployment.get("status", {})
        status = {**status, "collisionCount": status.get("collisionCount", 0) + 1}
        internal_client.update_status(world, key, status)
        enqueue(world, HANDLER, key, _DELAY_S)
        return None
    made = _new_replica_set(deployment, name, wanted_hash, annotations, replicas)
    try:
        created = internal_client.create(world, REPLICA_SETS, made)
    except ApiError as error:
        _say_refused(world, deployment, name, error)
        raise
    if replicas:
        text = f"Scaled up replica set {name} from 0 to {replicas}"
        events.record(world, deployment, RESOURCE, "Normal", "ScalingReplicaSet", text, COMPONENT)
    _note_new(world, deployment, created)
    return created


def _say_refused(world: World, deployment: Object, name: str, error: ApiError) -> None:
    """The ReplicaSet of a template cannot be created; where its namespace is being deleted that does not matter."""
    causes = (error.status.get("details") or {}).get("causes") or ()
    if any(cause.get("reason") == "NamespaceTerminating" for cause in causes):
        return
    text = f'Failed to create new replica set "{name}": {error.message}'
    if deadline_of(deployment) is not None:
        status = deployment.get("status", {})
        conditions = list(status.get("conditions", ()))
        verdict = ("False", _REFUSED, text)
        noted = with_condition(world, conditions, "Progressing", *verdict)
        with suppress(ApiError):
            internal_client.update_status(
                world, key_of(RESOURCE, deployment), {**status, "conditions": noted}
            )
    events.record(world, deployment, RESOURCE, "Warning", _REFUSED, text, COMPONENT)


def _new_replica_set(
    deployment: Object, name: str, wanted_hash: str, annotations: dict[str, str], replicas: int
) -> Object:
    spec = deployment["spec"]
    template = spec["template"]
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), LABEL: wanted_hash}
    selector = spec["selector"]
    matched = {**(selector.get("matchLabels") or {}), LABEL: wanted_hash}
    new_spec: Object = {
        "replicas": replicas,
        "selector": {**selector, "matchLabels": matched},
        "template": {**template, "metadata": {**metadata, "labels": labels}},
    }
    if spec.get("minReadySeconds"):
        new_spec["minReadySeconds"] = spec["minReadySeconds"]
    return {
        "metadata": {
            "name": name,
            "namespace": deployment["metadata"]["namespace"],
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": new_spec,
    }


def _note_new(world: World, deployment: Object, replica_set: Object) -> None:
    """Revision and condition on the Deployment for a ReplicaSet that was just made."""
    status = deployment.get("status", {})
    conditions = list(status.get("conditions", ()))
    if deadline_of(deployment) is not None:
        text = f'Created new replica set "{replica_set["metadata"]["name"]}"'
        conditions = with_condition(
            world, conditions, "Progressing", "True", "NewReplicaSetCreated", text
        )
    annotations = {**annotations_of(deployment), REVISION: str(revision(replica_set))}
    metadata = {**deployment["metadata"], "annotations": annotations}
    noted = {**deployment, "metadata": metadata, "status": {**status, "conditions": conditions}}
    internal_client.update(world, RESOURCE, noted)


def _renumber(
    world: World, deployment: Object, newest: Object | None, others: list[Object]
) -> Object | None:
    """Give the newest ReplicaSet the highest revision: after a rollback it is an old one."""
    if newest is None:
        return None
    annotations = next_annotations(deployment, newest, others)
    minimum = deployment["spec"].get("minReadySeconds", 0)
    if annotations != annotations_of(newest) or newest["spec"].get("minReadySeconds", 0) != minimum:
        spec = {**newest["spec"], "minReadySeconds": minimum} if minimum else newest["spec"]
        metadata = {**newest["metadata"], "annotations": annotations}
        newest = internal_client.update(
            world, REPLICA_SETS, {**newest, "metadata": metadata, "spec": spec}
        )
    number = annotations_of(newest).get(REVISION, "")
    if number and annotations_of(deployment).get(REVISION) != number:
        metadata = deployment["metadata"]
        place = Key(RESOURCE, metadata["namespace"], metadata["name"])
        internal_client.annotate(world, place, {REVISION: number})
    return newest


def _settle(
    world: World, key: Key, deployment: Object, replica_sets: list[Object] | None = None
) -> None:
    """Write the status, tidy up after a finished rollout, watch over an unfinished one."""
    deployment = world.store.get(key) or deployment
    fresh = replica_sets is None
    if replica_sets is None:
        replica_sets = _replica_sets(world, deployment)
    spec = deployment["spec"]
    newest = newest_of(replica_sets, spec["template"])
    if fresh and newest is not None and len(replica_sets) == 1:
        # What was written just now is all there is to see.
        forget(world, HANDLER, key)
    status = status_of(world, deployment, replica_sets, newest)
    if fresh and not spec.get("paused"):
        status = with_progress(world, deployment, status, newest)
    _write(world, key, status)
    if complete(deployment, status):
        others = [entry for entry in replica_sets if entry is not newest]
        _prune(world, deployment, others)
        return
    progressing = find(status["conditions"], "Progressing")
    deadline_s = deadline_of(deployment)
    if progressing is None or deadline_s is None or spec.get("paused"):
        return
    if progressing.get("reason", "") in ("ProgressDeadlineExceeded", "NewReplicaSetAvailable"):
        return
    left = deadline_s - seconds_since(world, progressing.get("lastUpdateTime"))
    enqueue(world, HANDLER, key, max(left, 0.0) + _DEADLINE_SLACK_S)


def _prune(world: World, deployment: Object, others: list[Object]) -> None:
    """Old ReplicaSets beyond the history limit go, the oldest first."""
    limit = deployment["spec"].get("revisionHistoryLimit", 10)
    idle = [
        entry
        for entry in others
        if not entry["spec"].get("replicas", 1)
        and not entry.get("status", {}).get("replicas", 0)
        and "deletionTimestamp" not in entry["metadata"]
    ]
    for replica_set in sorted(idle, key=revision)[: max(len(idle) - limit, 0)]:
        metadata = replica_set["metadata"]
        internal_client.delete(world, Key(REPLICA_SETS, metadata["namespace"], metadata["name"]))


def _note_pause(world: World, key: Key, deployment: Object) -> Object:
    """Say in the Progressing condition that a Deployment was paused or resumed."""
    if deadline_of(deployment) is None:
        return deployment
    status = deployment.get("status", {})
    conditions = list(status.get("conditions", ()))
    current = find(conditions, "Progressing")
    paused = bool(deployment["spec"].get("paused"))
    if current is not None and current.get("reason", "") == "ProgressDeadlineExceeded":
        return deployment
    said = current is not None and current.get("reason", "") == "DeploymentPaused"
    if paused == said:
        return deployment
    verdict = (
        ("Unknown", "DeploymentPaused", "Deployment is paused")
        if paused
        else ("Unknown", "DeploymentResumed", "Deployment is resumed")
    )
    noted = with_condition(world, conditions, "Progressing", *verdict)
    return internal_client.update_status(world, key, {**status, "conditions": noted}) or deployment


def _was_scaled(deployment: Object, replica_sets: list[Object]) -> bool:
    """Whether spec.replicas changed since the ReplicaSets were last sized."""
    wanted = str(deployment["spec"].get("replicas", 1))
    return any(
        annotations_of(entry).get(DESIRED, wanted) != wanted
        for entry in replica_sets
        if entry["spec"].get("replicas", 1) > 0
    )


def _adopted_orphans(world: World, deployment: Object) -> bool:
    """Whether there were ReplicaSets without owner that the selector fits; they are claimed now.

    Looked for where a name is taken: a Deployment that comes again meets those that an orphaning
    deletion left.
    """
    found = False
    for entry in world.store.list(REPLICA_SETS, deployment["metadata"]["namespace"]):
        metadata = entry["metadata"]
        orphan = "ownerReferences" not in metadata and "deletionTimestamp" not in metadata
        if orphan and selects(deployment["spec"].get("selector"), metadata.get("labels") or {}):
            owners = [owner_reference(deployment)]
            internal_client.patch_metadata(world, key_of(REPLICA_SETS, entry), owners=owners)
            found = True
    return found


def _replica_sets(world: World, deployment: Object) -> list[Object]:
    """The ReplicaSets that the Deployment controls, oldest first."""
    uid = deployment["metadata"]["uid"]
    owned = [
        entry
        for entry in world.store.owned(REPLICA_SETS, uid)
        if (owner_of(entry) or {}).get("uid") == uid
    ]
    if len(owned) > 1:
        owned.sort(key=lambda entry: (entry["metadata"]["creationTimestamp"], revision(entry)))
    return owned


def _write(world: World, key: Key, status: Object) -> None:
    internal_client.update_status(world, key, status)
