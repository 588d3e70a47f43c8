"""CronJobs: a Job at each scheduled minute, by the rules for overlap, lateness and history.

Between two scheduled moments nothing is planned; a CronJob costs only its minutes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfoNotFoundError

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers import cron_schedule, job_status
from sregym_cluster_embedded.controllers.pods import owner_reference
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, owner_of
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.cronjob"
RESOURCE = "cronjobs.batch"
_JOBS = "jobs.batch"
_COMPONENT = "cronjob-controller"
_SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_DELAY_S = 0.01
# The controller looks a moment after the scheduled second, so that it has surely come.
_AFTER_S = 0.1
_TOO_MANY = 100


def listen(world: World, change: Change) -> None:
    """CronJobs are looked at when their spec changes."""
    if change.type is ChangeType.DELETED:
        forget(world, HANDLER, change.key)
    elif change.old is None or change.old["spec"] is not change.obj["spec"]:
        enqueue(world, HANDLER, change.key, _DELAY_S)


def job_changed(world: World, change: Change) -> None:
    """A Job of a CronJob has ended or gone, or was created by hand: reconcile its CronJob."""
    owner = owner_of(change.obj)
    if owner is None or owner["kind"] != "CronJob":
        return
    key = Key(RESOURCE, change.key.namespace, owner["name"])
    gone = change.type is ChangeType.DELETED
    if gone or job_status.is_finished(change.obj) or not _expected(world, key, change.obj):
        enqueue(world, HANDLER, key, _DELAY_S)


def _expected(world: World, key: Key, job: Object) -> bool:
    """Whether a CronJob names a Job as one that it has started."""
    cron = world.store.get(key)
    active = cron.get("status", {}).get("active", ()) if cron is not None else ()
    return any(entry.get("uid") == job["metadata"]["uid"] for entry in active)


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one CronJob."""
    mark_processing(world, HANDLER, key)
    cron = world.store.get(key)
    if cron is None or "deletionTimestamp" in cron["metadata"]:
        return
    uid = cron["metadata"]["uid"]
    jobs = [job for job in world.store.owned(_JOBS, uid) if _controlled_by(job, uid)]
    jobs.sort(key=lambda job: (job["metadata"]["creationTimestamp"], job["metadata"]["name"]))
    status = _account(world, cron, jobs)
    _drop_history(world, cron, jobs)
    if not cron["spec"].get("suspend"):
        status = _start_due(world, cron, status)
    internal_client.update_status(world, key, status)


def _controlled_by(job: Object, uid: str) -> bool:
    owner = owner_of(job)
    return owner is not None and bool(owner["uid"] == uid)


def _say(world: World, cron: Object, type_: str, reason: str, message: str) -> None:
    events.record(world, cron, RESOURCE, type_, reason, message, _COMPONENT)


def _account(world: World, cron: Object, jobs: list[Object]) -> Object:
    """The status without the Jobs that have ended or gone since the last look."""
    status = dict(cron.get("status", {}))
    by_uid = {job["metadata"]["uid"]: job for job in jobs}
    known = {entry.get("uid") for entry in status.get("active", ())}
    for uid, job in by_uid.items():
        if uid not in known and not job_status.is_finished(job):
            name = job["metadata"]["name"]
            text = f"Saw a job that the controller did not create or forgot: {name}"
            _say(world, cron, "Warning", "UnexpectedJob", text)
    active = []
    for entry in status.pop("active", ()):
        # Anybody may write a status: an entry may lack any of its fields.
        uid, name = entry.get("uid", ""), entry.get("name", "")
        if uid not in by_uid:
            text = f"Active job went missing: {name}"
            _say(world, cron, "Normal", "MissingJob", text)
        elif job_status.is_finished(by_uid[uid]):
            ended = "Complete" if job_status.is_true(by_uid[uid], "Complete") else "Failed"
            text = f"Saw completed job: {name}, condition: {ended}"
            _say(world, cron, "Normal", "SawCompletedJob", text)
        else:
            active.append(entry)
    if active:
        status["active"] = active
    successes = [
        job["status"].get("completionTime", "")
        for job in jobs
        if job_status.is_true(job, "Complete")
    ]
    latest = max([*successes, status.get("lastSuccessfulTime", "")])
    if latest:
        status["lastSuccessfulTime"] = latest
    return status


def _drop_history(world: World, cron: Object, jobs: list[Object]) -> None:
    """Delete the oldest finished Jobs beyond the limits."""
    for type_, limit in (
        ("Complete", cron["spec"].get("successfulJobsHistoryLimit")),
        ("Failed", cron["spec"].get("failedJobsHistoryLimit")),
    ):
        if limit is None:
            continue
        ended = [job for job in jobs if job_status.is_true(job, type_)]
        ended.sort(key=lambda job: job["status"].get("startTime", ""))
        for job in ended[: max(len(ended) - limit, 0)]:
            _delete(world, cron, job["metadata"]["name"])


def _delete(world: World, cron: Object, name: str) -> None:
    internal_client.delete(world, Key(_JOBS, cron["metadata"]["namespace"], name))
    _say(world, cron, "Normal", "SuccessfulDelete", f"Deleted job {name}")


def _start_due(world: World, cron: Object, status: Object) -> Object:
    """Create the Job whose moment has come, and plan the next; returns the status after it."""
    spec, metadata = cron["spec"], cron["metadata"]
    schedule = _schedule(world, cron)
    if schedule is None:
        return status
    now = world.epoch + world.now
    since = status.get("lastScheduleTime", metadata["creationTimestamp"])
    after = now - seconds_since(world, since)
    deadline = spec.get("startingDeadlineSeconds")
    if deadline is not None:
        after = max(after, now - deadline)
    due = cron_schedule.last_between(schedule, after, now)
    # An interval counts from its last moment, fields from any.
    origin = now if not schedule.every_s else after if due is None else due
    coming = cron_schedule.next_after(schedule, origin)
    if coming is None and due is None:
        # Minutes, hours and days that never meet, the 31st of February for instance.
        text = (
            f"invalid schedule: {spec['schedule']} : time difference between two schedules is less "
            "than 1 second"
        )
        _say(world, cron, "Warning", "InvalidSchedule", text)
        return status
    if coming is not None:
        key = Key(RESOURCE, metadata["namespace"], metadata["name"])
        enqueue(world, HANDLER, key, coming - now + _AFTER_S)
    if due is None:
        return status
    if _missed_too_many(schedule, after, now):
        text = (
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
            "clock skew"
        )
        _say(world, cron, "Warning", "TooManyMissedTimes", text)
    if deadline is not None and due + deadline < now:
        text = f"Missed scheduled time to start a job: {_rfc1123(due)}"
        _say(world, cron, "Warning", "MissSchedule", text)
        return status
    return _start(world, cron, status, due, schedule)


def _schedule(world: World, cron: Object) -> cron_schedule.Schedule | None:
    """The parsed schedule; None, with an event that says why, when it cannot be read."""
    text, zone = cron["spec"]["schedule"], cron["spec"].get("timeZone")
    try:
        return cron_schedule.parse(text, zone)
    except ZoneInfoNotFoundError:
        problem = f'invalid timeZone: "{zone}": unknown time zone {zone}'
        _say(world, cron, "Warning", "UnknownTimeZone", problem)
    except ValueError as error:
        problem = f'unparseable schedule: "{text}" : {error}'
        _say(world, cron, "Warning", "UnparseableSchedule", problem)
    return None


def _missed_too_many(schedule: cron_schedule.Schedule, after: float, now: float) -> bool:
    moment: float | None = after
    for _ in range(_TOO_MANY + 1):
        moment = cron_schedule.next_after(schedule, moment) if moment is not None else None
        if moment is None or moment > now:
            return False
    return True


def _start(
    world: World, cron: Object, status: Object, due: int, schedule: cron_schedule.Schedule
) -> Object:
    policy, active = cron["spec"]["concurrencyPolicy"], status.get("active", [])
    if policy == "Forbid" and active:
        text = (
            "Not starting job because prior execution is running and concurrency policy is Forbid"
        )
        _say(world, cron, "Normal", "JobAlreadyActive", text)
        return status
    if policy == "Replace":
        for entry in active:
            _delete(world, cron, entry["name"])
        active = []
    try:
        job = internal_client.create(world, _JOBS, _job(cron, due, schedule))
    except ApiError as error:
        if error.reason == "AlreadyExists":
            return status
        _say(world, cron, "Warning", "FailedCreate", f"Error creating job: {error.message}")
        raise
    _say(world, cron, "Normal", "SuccessfulCreate", f"Created job {job['metadata']['name']}")
    reference = {
        "kind": job["kind"],
        "namespace": job["metadata"]["namespace"],
        "name": job["metadata"]["name"],
        "uid": job["metadata"]["uid"],
        "apiVersion": job["apiVersion"],
        "resourceVersion": job["metadata"]["resourceVersion"],
    }
    moment = world.timestamp(due - world.epoch)
    return {**status, "active": [*active, reference], "lastScheduleTime": moment}


def _job(cron: Object, due: int, schedule: cron_schedule.Schedule) -> Object:
    """The Job of a scheduled moment, named by the minutes since 1970."""
    template = cron["spec"]["jobTemplate"]
    given = template.get("metadata") or {}
    local = datetime.fromtimestamp(due, schedule.zone).isoformat()
    metadata = {
        "name": f"{cron['metadata']['name']}-{due // 60}",
        "namespace": cron["metadata"]["namespace"],
        "annotations": {**given.get("annotations", {}), _SCHEDULED: local.replace("+00:00", "Z")},
        "ownerReferences": [owner_reference(cron)],
    }
    if given.get("labels"):
        metadata["labels"] = given["labels"]
    return {"metadata": metadata, "spec": template["spec"]}


def _rfc1123(unix: int) -> str:
    return datetime.fromtimestamp(unix, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
