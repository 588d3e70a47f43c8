"""A Job's conditions, its list of indexes, and whether it has come to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.controllers.times import seconds_since

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

SUCCESS = "SuccessCriteriaMet"
FAILURE = "FailureTarget"
# An Indexed Job has a hundred thousand indexes at most.
_LAST_INDEX = 99_999
FINAL = {SUCCESS: "Complete", FAILURE: "Failed"}


class Outcome(NamedTuple):
    """How a Job is about to end: the condition that says so first, its reason and message."""

    type: str
    reason: str
    message: str


COMPLETIONS = Outcome(SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods")
BACKOFF = Outcome(FAILURE, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
DEADLINE = Outcome(FAILURE, "DeadlineExceeded", "Job was active longer than specified deadline")
INDEXES = Outcome(FAILURE, "FailedIndexes", "Job has failed indexes")
TOO_MANY_INDEXES = Outcome(
    FAILURE,
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)


def is_true(job: Object, type_: str) -> bool:
    """Whether a condition of the Job is True."""
    return any(
        entry["type"] == type_ and entry["status"] == "True"
        for entry in job.get("status", {}).get("conditions", ())
    )


def is_finished(job: Object) -> bool:
    """Whether the Job is complete or has failed."""
    return is_true(job, "Complete") or is_true(job, "Failed")


def decided(job: Object) -> Outcome | None:
    """The outcome that the Job's conditions name already."""
    for entry in job.get("status", {}).get("conditions", ()):
        if entry["type"] in FINAL and entry["status"] == "True":
            return Outcome(entry["type"], entry.get("reason", ""), entry.get("message", ""))
    return None


def with_condition(
    world: World, conditions: list[Object], type_: str, status: str, reason: str, message: str
) -> list[Object]:
    """The list with this condition set; unchanged when it says the same already."""
    now = world.timestamp()
    fresh = {
        "type": type_,
        "status": status,
        "lastProbeTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }
    for place, entry in enumerate(conditions):
        if entry["type"] == type_:
            if (entry["status"], entry.get("reason", "")) == (status, reason):
                return conditions
            return [*conditions[:place], fresh, *conditions[place + 1 :]]
    return [*conditions, fresh]


def indexes_of(text: str) -> set[int]:
    """The indexes of a list as status writes it: `1,3-5`.

    Anybody may write a status: what is no index is left out.
    """
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if first.isdecimal() and last.isdecimal():
            found.update(range(int(first), min(int(last), _LAST_INDEX) + 1))
    return found


def indexes_text(indexes: Iterable[int]) -> str:
    """Indexes as status writes them: three and more in a row as a range, two with a comma."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


def deadline_left_s(world: World, job: Object, start: str | None) -> float | None:
    """Seconds until the Job's activeDeadlineSeconds; None when it has none or has not started."""
    deadline = job["spec"].get("activeDeadlineSeconds")
    if deadline is None or start is None:
        return None
    return float(deadline) - seconds_since(world, start)


def ttl_left_s(world: World, job: Object) -> float | None:
    """Seconds until a finished Job is to be deleted; None when it stays."""
    ttl = job["spec"].get("ttlSecondsAfterFinished")
    if ttl is None or not is_finished(job):
        return None
    ended = next(
        entry.get("lastTransitionTime")
        for entry in job["status"]["conditions"]
        if entry["type"] in ("Complete", "Failed") and entry["status"] == "True"
    )
    # When it ended is not known: it stays.
    return None if ended is None else float(ttl) - seconds_since(world, ended)


def success_rule(job: Object, succeeded: set[int]) -> Outcome | None:
    """The first rule of the successPolicy that the succeeded indexes meet."""
    rules = (job["spec"].get("successPolicy") or {}).get("rules") or ()
    for position, rule in enumerate(rules):
        named = rule.get("succeededIndexes")
        among = succeeded & indexes_of(named) if named is not None else succeeded
        needed = rule.get("succeededCount")
        if needed is None:
            needed = len(indexes_of(named or ""))
        if len(among) >= needed:
            return Outcome(SUCCESS, "SuccessPolicy", f"Matched rules at index {position}")
    return None
