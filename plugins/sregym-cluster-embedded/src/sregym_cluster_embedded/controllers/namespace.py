"""Namespaces: what each new one contains, and how one that is deleted is emptied."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import discovery, internal_client, resources
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.namespace"
FURNISH = "controllers.namespace.furnish"
_TERMINATING: TableKey[str, int] = TableKey("controllers.namespace.terminating")
_FURNISH_DELAY_S = 0.004
# Passes come this long after each change of the namespace itself: other API servers are to have
# seen its deletion before.
_PASS_DELAY_S = 5.0
# The controller believes that a finalizer takes so long; it looks again after half the estimate.
_FINALIZER_ESTIMATE_S = 15
# What is there for longer than it should be is an error: the next pass comes soon, then ever later.
_FIRST_RETRY_S = 0.005
_LAST_RETRY_S = 60.0
_PODS = "pods"
_ROOT_CA = "kube-root-ca.crt"
_FURNITURE = frozenset({("configmaps", _ROOT_CA), ("serviceaccounts", "default")})
_ROOT_CA_TEXT = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters."
)
# Type, reason and message of each condition of a namespace that is being emptied.
_GOOD = (
    (
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    (
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    (
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    ("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    (
        "NamespaceFinalizersRemaining",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
)


def listen(world: World, change: Change) -> None:
    """New namespaces are furnished, deleted ones emptied."""
    key, obj = change.key, change.obj
    if key.resource == "namespaces":
        if change.type is ChangeType.DELETED:
            world.table(_TERMINATING).pop(key.name, None)
        elif change.type is ChangeType.ADDED:
            enqueue(world, FURNISH, key.name, _FURNISH_DELAY_S)
        elif "deletionTimestamp" in obj["metadata"] and key.name not in world.table(_TERMINATING):
            world.table(_TERMINATING)[key.name] = 0  # passes that failed
            enqueue(world, HANDLER, key.name, _PASS_DELAY_S)
    elif (
        change.type is ChangeType.DELETED
        and (key.resource, key.name) in _FURNITURE
        and key.namespace not in world.table(_TERMINATING)
    ):
        enqueue(world, FURNISH, key.namespace, _FURNISH_DELAY_S)


def extra_setup(world: World, name: str) -> None:
    """Handler: give a namespace its service account and the cluster's certificate authority."""
    mark_processing(world, FURNISH, name)
    place = world.store.get(Key("namespaces", "", name))
    if place is None or "deletionTimestamp" in place["metadata"]:
        return
    if world.store.get(Key("serviceaccounts", name, "default")) is None:
        account = {"metadata": {"name": "default", "namespace": name}}
        internal_client.create(world, "serviceaccounts", account)
    if world.store.get(Key("configmaps", name, _ROOT_CA)) is None:
        metadata = {
            "name": _ROOT_CA,
            "namespace": name,
            "annotations": {"kubernetes.io/description": _ROOT_CA_TEXT},
        }
        data = {"ca.crt": certificate_authority(world)}
        internal_client.create(world, "configmaps", {"metadata": metadata, "data": data})


def empty(world: World, name: str) -> None:
    """Handler: one pass over a terminating namespace, and its end when nothing is left in it.

    Pods go first: as long as one is there, nothing else is deleted and nothing is reported. It does
    not end as long as there are APIs whose servers do not answer: something of theirs may be left.
    """
    mark_processing(world, HANDLER, name)
    key = Key("namespaces", "", name)
    place = world.store.get(key)
    if place is None or "deletionTimestamp" not in place["metadata"]:
        return
    refused: list[str] = []
    pods = _emptied(world, _PODS, name, refused)
    remaining: dict[str, list[Object]] = {}
    unknown = discovery.stale(world)
    if not pods:
        for resource in list(world.store.resources()):
            left = _emptied(world, resource, name, refused)
            if left:
                remaining[resource] = left
        if not remaining and not unknown:
            internal_client.update(world, "namespaces", {**place, "spec": {"finalizers": []}})
            return
    estimate_s = _estimate_s(world, place, pods) if pods else _FINALIZER_ESTIMATE_S
    overdue = f"unexpected items still remain in namespace: {name} for gvr: /v1, Resource=pods"
    bad = _complaints(remaining)
    if unknown:
        bad["NamespaceDeletionDiscoveryFailure"] = ("DiscoveryFailed", _undiscovered(unknown))
    if not estimate_s:
        refused.append(overdue)
    if refused:
        listed = ", ".join(sorted(refused))
        text = f"Failed to delete all resource types, {len(refused)} remaining: {listed}"
        bad["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", text)
    changed = _report(world, key, place, bad)
    failed = unknown or refused
    again_s = _retry_s(world, name) if failed else estimate_s // 2 + 1.0
    enqueue(world, HANDLER, name, min(again_s, _PASS_DELAY_S) if changed else again_s)


def _retry_s(world: World, name: str) -> float:
    """Count a pass that failed; how long to wait for the next."""
    failures = world.table(_TERMINATING).get(name, 0)
    world.table(_TERMINATING)[name] = failures + 1
    return float(min(_FIRST_RETRY_S * 2**failures, _LAST_RETRY_S))


def _emptied(world: World, resource: str, namespace: str, refused: list[str]) -> list[Object]:
    """Delete all objects of a type in a namespace; returns those that are still there.

    The first refusal of the API is added to `refused`.
    """
    left, before = [], len(refused)
    for obj in world.store.list(resource, namespace):
        if obj["metadata"].get("namespace"):
            _delete(world, resource, obj, refused)
            del refused[before + 1 :]
            kept = world.store.get(Key(resource, namespace, obj["metadata"]["name"]))
            if kept is not None:
                left.append(kept)
    return left


def _estimate_s(world: World, place: Object, pods: list[Object]) -> int:
    """How long the pods may take: the longest grace of them, or that of finalizers.

    It is 0 when they should be gone by now.
    """
    grace_s = max(
        (
            pod["spec"].get("terminationGracePeriodSeconds") or 0
            for pod in pods
            if pod["status"].get("phase") not in ("Succeeded", "Failed")
        ),
        default=0,
    )
    if grace_s > seconds_since(world, place["metadata"]["deletionTimestamp"]):
        return int(grace_s)
    held = any(pod["metadata"].get("finalizers") for pod in pods)
    return _FINALIZER_ESTIMATE_S if held else 0


def _delete(world: World, resource: str, obj: Object, refused: list[str]) -> None:
    metadata = obj["metadata"]
    if "deletionTimestamp" in metadata:
        return
    try:
        internal_client.delete(world, Key(resource, metadata["namespace"], metadata["name"]))
    except ApiError as error:
        # Something refuses the deletion: the next pass tries again.
        refused.append(error.message)


def _undiscovered(unknown: set[tuple[str, str]]) -> str:
    """The message about APIs whose servers do not answer."""
    names = sorted(f"{group}/{version}" for group, version in unknown)
    listed = ", ".join(f"{name}: stale GroupVersion discovery: {name}" for name in names)
    return (
        f"Discovery failed for some groups, {len(names)} failing: unable to retrieve the complete "
        f"list of server APIs: {listed}"
    )


def _report(world: World, key: Key, place: Object, bad: dict[str, tuple[str, str]]) -> bool:
    """Write what is not as it should be into the conditions; whether that is news."""
    old = {entry["type"]: entry for entry in place.get("status", {}).get("conditions", ())}
    conditions = []
    for name, reason, message in _GOOD:
        status = "False"
        if name in bad:
            status, (reason, message) = "True", bad[name]
        before = old.get(name)
        since = world.timestamp()
        if before is not None and before["status"] == status:
            since = before.get("lastTransitionTime", since)
        conditions.append(
            {
                "type": name,
                "status": status,
                "lastTransitionTime": since,
                "reason": reason,
                "message": message,
            }
        )
    if conditions == [*old.values()]:
        return False
    internal_client.update_status(world, key, {**place["status"], "conditions": conditions})
    return True


def _complaints(remaining: dict[str, list[Object]]) -> dict[str, tuple[str, str]]:
    """Reason and message of each condition that is not as it should be."""
    bad: dict[str, tuple[str, str]] = {}
    if remaining:
        listed = ", ".join(
            f"{_path(name)} has {len(left)} resource instances"
            for name, left in sorted(remaining.items())
        )
        text = f"Some resources are remaining: {listed}"
        bad["NamespaceContentRemaining"] = ("SomeResourcesRemain", text)
    finalizers = Counter(
        finalizer
        for left in remaining.values()
        for obj in left
        for finalizer in obj["metadata"].get("finalizers", ())
    )
    if finalizers:
        held = ", ".join(
            f"{name} in {count} resource instances" for name, count in sorted(finalizers.items())
        )
        text = f"Some content in the namespace has finalizers remaining: {held}"
        bad["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", text)
    return bad


def _path(resource: str) -> str:
    found = resources.named(resource)
    if found is None or not found.group:
        return f"{resource}."
    return found.group_resource
