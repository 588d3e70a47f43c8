"""A count of a Job's pods at one look: what runs, what ended and is not counted yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_cluster_embedded.controllers import job_failures, job_status
from sregym_cluster_embedded.controllers.job_pods import (
    finished_at,
    has_failed,
    index_of,
    is_indexed,
    tracked,
)
from sregym_cluster_embedded.controllers.pods import is_active

if TYPE_CHECKING:
    from sregym_cluster_embedded.controllers.job_status import Outcome
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


@dataclass
class Tally:
    """What one look at a Job's pods found.

    Attributes:
        active: Neither finished nor being deleted.
        succeeded: Ended well and not counted before.
        failed: Failed and not counted before.
        ignored: Failed, but a rule of the podFailurePolicy says not to count them.
        completed: The indexes that succeeded, with those of before.
        failed_indexes: The indexes given up, with those of before.
        verdict: The message of a FailJob rule that one of the failed pods met.
    """

    active: list[Object] = field(default_factory=list)
    succeeded: list[Object] = field(default_factory=list)
    failed: list[Object] = field(default_factory=list)
    ignored: list[Object] = field(default_factory=list)
    completed: set[int] = field(default_factory=set)
    failed_indexes: set[int] = field(default_factory=set)
    verdict: str = ""

    @property
    def ended(self) -> list[Object]:
        """All pods that are done with, once their Job's status is written."""
        return [*self.succeeded, *self.failed, *self.ignored]


def count(world: World, job: Object, pods: list[Object]) -> Tally:
    """Look at the pods, and keep in mind which failed for the back-off."""
    status = job.get("status", {})
    tally = Tally(
        active=[pod for pod in pods if is_active(pod)],
        completed=job_status.indexes_of(status.get("completedIndexes", "")),
        failed_indexes=job_status.indexes_of(status.get("failedIndexes", "")),
    )
    ended = [pod for pod in pods if tracked(pod) and not is_active(pod)]
    for pod in sorted(ended, key=finished_at):
        if pod["status"].get("phase") == "Succeeded":
            _succeeded(world, job, pod, tally)
        elif has_failed(pod, job):
            _failed(world, job, pod, tally)
    return tally


def _succeeded(world: World, job: Object, pod: Object, tally: Tally) -> None:
    index = index_of(pod)
    if is_indexed(job) and index is not None and index < job["spec"]["completions"]:
        tally.completed.add(index)
    tally.succeeded.append(pod)
    job_failures.note_end(world, job, pod, failed=False)


def _failed(world: World, job: Object, pod: Object, tally: Tally) -> None:
    verdict = job_failures.judge(job, pod)
    ignored = verdict.action == "Ignore"
    (tally.ignored if ignored else tally.failed).append(pod)
    if verdict.action == "FailJob":
        tally.verdict = tally.verdict or verdict.message
    index, limit = index_of(pod), job["spec"].get("backoffLimitPerIndex")
    if limit is not None and index is not None:
        job_failures.note_index(world, job, pod, ignored)
        over = job_failures.of_index(world, job, index).in_a_row > limit
        if verdict.action == "FailIndex" or (over and not ignored):
            tally.failed_indexes.add(index)
    elif not ignored:
        job_failures.note_end(world, job, pod, failed=True)


def outcome(world: World, job: Object, tally: Tally, start: str | None) -> Outcome | None:
    """How the Job ends by what was counted; None when it goes on."""
    if tally.verdict:
        return job_status.Outcome(job_status.FAILURE, "PodFailurePolicy", tally.verdict)
    spec, status = job["spec"], job.get("status", {})
    failed = status.get("failed", 0) + len(tally.failed)
    if (tally.failed and failed > spec["backoffLimit"]) or _restarted_too_often(job, tally):
        return job_status.BACKOFF
    left_s = job_status.deadline_left_s(world, job, start)
    if left_s is not None and left_s <= 0 and not spec.get("suspend"):
        return job_status.DEADLINE
    completions = spec.get("completions")
    succeeded = status.get("succeeded", 0) + len(tally.succeeded)
    if is_indexed(job):
        given_up = _given_up(job, tally)
        if given_up is not None:
            return given_up
        ruled = job_status.success_rule(job, tally.completed)
        if ruled is not None:
            return ruled
        succeeded = len(tally.completed)
    if completions is None:
        # A queue of work: one that ended well says that all is done.
        return job_status.COMPLETIONS if succeeded and not tally.active else None
    return job_status.COMPLETIONS if succeeded >= completions else None


def _given_up(job: Object, tally: Tally) -> Outcome | None:
    spec = job["spec"]
    if not tally.failed_indexes:
        return None
    most = spec.get("maxFailedIndexes")
    if most is not None and len(tally.failed_indexes) > most:
        return job_status.TOO_MANY_INDEXES
    done = len(tally.failed_indexes | tally.completed)
    return job_status.INDEXES if done >= spec["completions"] else None


def _restarted_too_often(job: Object, tally: Tally) -> bool:
    """Where the kubelet restarts containers in place, their restarts count as failures."""
    spec = job["spec"]
    if spec["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(restarts_of(pod) for pod in tally.active)
    limit: int = spec["backoffLimit"]
    return restarts >= limit if limit else restarts > 0


def restarts_of(pod: Object) -> int:
    """How often the pod's containers were restarted in all."""
    return sum(
        entry.get("restartCount", 0)
        for field_name in ("initContainerStatuses", "containerStatuses")
        for entry in pod["status"].get(field_name, ())
    )
