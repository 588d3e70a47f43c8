"""The status of a Deployment: counts, and the three conditions with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.controllers.times import seconds_since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# The API's way to say that there is no progress deadline.
NO_DEADLINE_S = 2147483647


def status_of(
    world: World, deployment: Object, replica_sets: list[Object], newest: Object | None
) -> Object:
    """Counts and the conditions Available and ReplicaFailure."""
    old: Object = deployment.get("status", {})
    specified = replicas = ready = available = terminating = 0
    for entry in replica_sets:
        counted = entry.get("status", {})
        specified += entry["spec"].get("replicas", 1)
        replicas += counted.get("replicas", 0)
        ready += counted.get("readyReplicas", 0)
        available += counted.get("availableReplicas", 0)
        terminating += counted.get("terminatingReplicas", 0)
    counts = {
        "observedGeneration": deployment["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": newest.get("status", {}).get("replicas", 0) if newest else 0,
        "readyReplicas": ready,
        "availableReplicas": available,
        "unavailableReplicas": max(specified - available, 0),
    }
    status: Object = {name: count for name, count in counts.items() if count}
    status["terminatingReplicas"] = terminating
    if "collisionCount" in old:
        status["collisionCount"] = old["collisionCount"]
    conditions = list(old.get("conditions", ()))
    wanted = deployment["spec"].get("replicas", 1)
    if available >= wanted - max_unavailable(deployment):
        text = "Deployment has minimum availability."
        availability = ("True", "MinimumReplicasAvailable", text)
    else:
        text = "Deployment does not have minimum availability."
        availability = ("False", "MinimumReplicasUnavailable", text)
    conditions = with_condition(world, conditions, "Available", *availability)
    failure = _failure(replica_sets)
    if failure is not None:
        verdict = (failure["status"], failure.get("reason", ""), failure.get("message", ""))
        conditions = with_condition(world, conditions, "ReplicaFailure", *verdict)
    else:
        conditions = [entry for entry in conditions if entry["type"] != "ReplicaFailure"]
    status["conditions"] = conditions
    return status


def with_progress(
    world: World, deployment: Object, status: Object, newest: Object | None
) -> Object:
    """The status with its Progressing condition brought up to date."""
    if deadline_of(deployment) is None:
        return status
    conditions: list[Object] = status["conditions"]
    current = find(conditions, "Progressing")
    settled = (
        current is not None
        and current.get("reason", "") == "NewReplicaSetAvailable"
        and status.get("replicas", 0) == status.get("updatedReplicas", 0)
    )
    if settled:
        return status
    name = newest["metadata"]["name"] if newest is not None else ""
    named = f'ReplicaSet "{name}"' if name else f'Deployment "{deployment["metadata"]["name"]}"'
    if complete(deployment, status):
        text = f"{named} has successfully progressed."
        verdict = ("True", "NewReplicaSetAvailable", text)
    elif _progressing(deployment, status):
        verdict = ("True", "ReplicaSetUpdated", f"{named} is progressing.")
        rest = [entry for entry in conditions if entry["type"] != "Progressing"]
        fresh = _condition(world, "Progressing", *verdict)
        if current is not None and current["status"] == "True":
            _keep_transition(fresh, current)
        return {**status, "conditions": [*rest, fresh]}
    elif timed_out(world, deployment, current):
        text = f"{named} has timed out progressing."
        verdict = ("False", "ProgressDeadlineExceeded", text)
    else:
        return status
    return {**status, "conditions": with_condition(world, conditions, "Progressing", *verdict)}


def complete(deployment: Object, status: Object) -> bool:
    """Whether all replicas are of the newest template and available."""
    wanted = deployment["spec"].get("replicas", 1)
    return bool(
        status.get("updatedReplicas", 0) == wanted
        and status.get("replicas", 0) == wanted
        and status.get("availableReplicas", 0) == wanted
        and status.get("observedGeneration", 0) >= deployment["metadata"]["generation"]
    )


def timed_out(world: World, deployment: Object, progressing: Object | None) -> bool:
    """Whether the rollout has made no progress for longer than its deadline."""
    deadline_s = deadline_of(deployment)
    if progressing is None or deadline_s is None:
        return False
    if progressing.get("reason", "") == "NewReplicaSetAvailable":
        return False
    if progressing.get("reason", "") == "ProgressDeadlineExceeded":
        return True
    return seconds_since(world, progressing.get("lastUpdateTime")) > deadline_s


def deadline_of(deployment: Object) -> float | None:
    """The progress deadline in seconds, or None."""
    value = deployment["spec"].get("progressDeadlineSeconds", NO_DEADLINE_S)
    return None if value == NO_DEADLINE_S else float(value)


def max_unavailable(deployment: Object) -> int:
    """How many replicas may be missing during a rolling update."""
    return _bounds(deployment)[1]


def max_surge(deployment: Object) -> int:
    """How many replicas there may be besides the wanted ones during a rolling update."""
    return _bounds(deployment)[0]


def find(conditions: list[Object], name: str) -> Object | None:
    """The condition of a type, or None."""
    for entry in conditions:
        if entry["type"] == name:
            return entry
    return None


def with_condition(
    world: World, conditions: list[Object], name: str, value: str, reason: str, message: str
) -> list[Object]:
    """The list with one condition set; an equal status and reason change nothing."""
    current = find(conditions, name)
    if current is not None and (current["status"], current.get("reason", "")) == (value, reason):
        return conditions
    fresh = _condition(world, name, value, reason, message)
    if current is not None and current["status"] == value:
        _keep_transition(fresh, current)
    return [*(entry for entry in conditions if entry["type"] != name), fresh]


def _keep_transition(fresh: Object, current: Object) -> None:
    """Let a condition whose status stays have begun when it did."""
    if "lastTransitionTime" in current:
        fresh["lastTransitionTime"] = current["lastTransitionTime"]


def _condition(world: World, name: str, value: str, reason: str, message: str) -> Object:
    now = world.timestamp()
    return {
        "type": name,
        "status": value,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def _progressing(deployment: Object, status: Object) -> bool:
    old = deployment.get("status", {})

    def outdated(entry: Object) -> int:
        count: int = entry.get("replicas", 0) - entry.get("updatedReplicas", 0)
        return count

    return (
        status.get("updatedReplicas", 0) > old.get("updatedReplicas", 0)
        or outdated(status) < outdated(old)
        or status.get("readyReplicas", 0) > old.get("readyReplicas", 0)
        or status.get("availableReplicas", 0) > old.get("availableReplicas", 0)
    )


def _failure(replica_sets: list[Object]) -> Object | None:
    for replica_set in replica_sets:
        found = find(replica_set.get("status", {}).get("conditions", []), "ReplicaFailure")
        if found is not None and found["status"] == "True":
            return found
    return None


def _bounds(deployment: Object) -> tuple[int, int]:
    strategy = deployment["spec"].get("strategy", {})
    if strategy.get("type") == "Recreate":
        return 0, 0
    rolling = strategy.get("rollingUpdate") or {}
    wanted = deployment["spec"].get("replicas", 1)
    surge = share(rolling.get("maxSurge", "25%"), wanted, up=True)
    missing = share(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    if surge == 0 and missing == 0:
        missing = 1
    return surge, min(missing, wanted)


def share(value: int | str, of: int, *, up: bool) -> int:
    """A number, or a percentage (`25%`) of `of` rounded up or down."""
    if isinstance(value, int):
        return value
    hundredths = int(value.rstrip("%")) * of
    return -(-hundredths // 100) if up else hundredths // 100
