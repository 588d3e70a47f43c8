"""Failed pods of a Job: which rule of its podFailurePolicy they meet, how long to wait after them.

Counts of failures stand in tables, as the controller of a real cluster has them in memory: by the
Job's uid for its common back-off, by uid and index where each index has its own limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.controllers.job_pods import finished_at, index_of
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_FIRST_S = 10.0
_LONGEST_S = 600.0
_COMMON: TableKey[str, Failures] = TableKey("controllers.job.failures")
_BY_INDEX: TableKey[tuple[str, int | None], Failures] = TableKey("controllers.job.index_failures")


class Verdict(NamedTuple):
    """What a podFailurePolicy says of a failed pod: an action, and for FailJob the message."""

    action: str
    message: str = ""


class Failures(NamedTuple):
    """Failures in a row, those the policy ignored, and when the last one was."""

    in_a_row: int = 0
    ignored: int = 0
    last: str = ""


def judge(job: Object, pod: Object) -> Verdict:
    """The action of the first rule that fits the pod; `Count` when none does."""
    rules = (job["spec"].get("podFailurePolicy") or {}).get("rules") or ()
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    for position, rule in enumerate(rules):
        action = rule.get("action", "Count")
        end = f"matching {action} rule at index {position}"
        if "onExitCodes" in rule:
            found = _exit(rule["onExitCodes"], pod)
            if found is not None:
                container, code = found
                said = f"Container {container} for pod {name} failed with exit code {code} {end}"
                return Verdict(action, said)
        for pattern in rule.get("onPodConditions") or ():
            if "type" in pattern and _has_condition(pod, pattern):
                return Verdict(action, f"Pod {name} has condition {pattern['type']} {end}")
    return Verdict("Count")


def _exit(requirement: Object, pod: Object) -> tuple[str, int] | None:
    status = pod["status"]
    wanted = requirement.get("containerName")
    for field in ("containerStatuses", "initContainerStatuses"):
        for entry in status.get(field, ()):
            code = entry.get("state", {}).get("terminated", {}).get("exitCode", 0)
            if code == 0 or (wanted and entry["name"] != wanted):
                continue
            within = code in (requirement.get("values") or ())
            if within == (requirement.get("operator") == "In"):
                return entry["name"], code
    return None


def _has_condition(pod: Object, pattern: Object) -> bool:
    status = pattern.get("status") or "True"
    return any(
        entry["type"] == pattern["type"] and entry["status"] == status
        for entry in pod["status"].get("conditions", ())
    )


def note_end(world: World, job: Object, pod: Object, failed: bool) -> None:
    """A pod was counted: its failure makes the next wait longer, a success makes an end of it."""
    table, uid = world.table(_COMMON), job["metadata"]["uid"]
    known: Failures = table.get(uid, Failures())
    if failed:
        table[uid] = known._replace(
            in_a_row=known.in_a_row + 1, last=max(known.last, finished_at(pod))
        )
    elif uid in table:
        table[uid] = Failures()


def note_index(world: World, job: Object, pod: Object, ignored: bool) -> None:
    """A pod of an index with its own limit failed."""
    table = world.table(_BY_INDEX)
    place = (job["metadata"]["uid"], index_of(pod))
    known: Failures = table.get(place, Failures())
    counted = known._replace(
        in_a_row=known.in_a_row + (not ignored),
        ignored=known.ignored + ignored,
        last=finished_at(pod),
    )
    table[place] = counted


def of_index(world: World, job: Object, index: int) -> Failures:
    """What is known of the failures of one index."""
    found: Failures = world.table(_BY_INDEX).get((job["metadata"]["uid"], index), Failures())
    return found


def common_wait_s(world: World, job: Object) -> float:
    """How long until the Job may create pods again, seconds; zero or less for now."""
    known: Failures = world.table(_COMMON).get(job["metadata"]["uid"], Failures())
    return _wait_s(world, known.in_a_row, known.last)


def index_wait_s(world: World, job: Object, index: int) -> float:
    """How long until one index may have a new pod, seconds; zero or less for now."""
    known = of_index(world, job, index)
    return _wait_s(world, known.in_a_row + known.ignored, known.last)


def _wait_s(world: World, count: int, last: str) -> float:
    if not count:
        return 0.0
    # The exponent is bounded: after seven failures the longest wait is reached anyway.
    delay_s = min(_FIRST_S * float(2 ** min(count - 1, 10)), _LONGEST_S)
    return delay_s - seconds_since(world, last)


def forget(world: World, uid: str) -> None:
    """The Job is finished or gone: drop what was counted."""
    world.table(_COMMON).pop(uid, None)
    by_index = world.table(_BY_INDEX)
    for place in [place for place in by_index if place[0] == uid]:
        del by_index[place]
