"""`kubectl describe job` and `cronjob`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.printers.duration import human
from sregym_cluster_embedded.kubectl.ages import unix_seconds
from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.pods import describe_template
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.writer import Writer
from sregym_cluster_embedded.store import Object, owner_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session

_UNSET = "<unset>"


def describe_job(session: Session, obj: Object) -> str:
    """The description of one Job."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    if spec.get("selector"):
        writer.field(0, "Selector", selector_text(spec["selector"]))
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    owner = owner_of(obj)
    if owner is not None:
        writer.field(0, "Controlled By", f"{owner['kind']}/{owner['name']}")
    writer.field(0, "Parallelism", spec.get("parallelism", 0))
    writer.field(0, "Completions", spec.get("completions", _UNSET))
    if spec.get("completionMode"):
        writer.field(0, "Completion Mode", spec["completionMode"])
    if "suspend" in spec:
        writer.field(0, "Suspend", "true" if spec["suspend"] else "false")
    writer.field(0, "Backoff Limit", spec.get("backoffLimit", 0))
    if spec.get("ttlSecondsAfterFinished") is not None:
        writer.field(0, "TTL Seconds After Finished", spec["ttlSecondsAfterFinished"])
    _times(writer, spec, status)
    counts = (status.get("active", 0), status.get("succeeded", 0), status.get("failed", 0))
    ready = f" ({status['ready']} Ready)" if "ready" in status else ""
    writer.field(
        0,
        "Pods Statuses",
        f"{counts[0]} Active{ready} / {counts[1]} Succeeded / {counts[2]} Failed",
    )
    if spec.get("completionMode") == "Indexed":
        writer.field(0, "Completed Indexes", _shortened(status.get("completedIndexes", "")))
    describe_template(writer, spec["template"])
    write_events(writer, session, obj)
    return writer.text()


def _times(writer: Writer, spec: Object, status: Object) -> None:
    start, end = status.get("startTime"), status.get("completionTime")
    if start:
        writer.field(0, "Start Time", moment(start))
    if end:
        writer.field(0, "Completed At", moment(end))
    if start and end:
        writer.field(0, "Duration", human(int(unix_seconds(end) - unix_seconds(start))))
    if spec.get("activeDeadlineSeconds") is not None:
        writer.field(0, "Active Deadline Seconds", f"{spec['activeDeadlineSeconds']}s")


def _shortened(indexes: str) -> str:
    """Completed indexes, cut behind the first one that ends beyond fifty characters."""
    longest = 50
    if not indexes:
        return "<none>"
    end = indexes.find(",", longest)
    return indexes if end < 0 else indexes[: end + 1] + "..."


def describe_cron_job(session: Session, obj: Object) -> str:
    """The description of one CronJob."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    job = spec["jobTemplate"].get("spec", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.field(0, "Schedule", spec["schedule"])
    writer.field(0, "Concurrency Policy", spec.get("concurrencyPolicy", ""))
    writer.field(0, "Suspend", "True" if spec.get("suspend") else "False")
    writer.field(0, "Time Zone", spec.get("timeZone", _UNSET))
    writer.field(0, "Successful Job History Limit", spec.get("successfulJobsHistoryLimit", _UNSET))
    writer.field(0, "Failed Job History Limit", spec.get("failedJobsHistoryLimit", _UNSET))
    late = spec.get("startingDeadlineSeconds")
    writer.field(0, "Starting Deadline Seconds", _UNSET if late is None else f"{late}s")
    selector = job.get("selector")
    writer.field(0, "Selector", selector_text(selector) if selector else _UNSET)
    writer.field(0, "Parallelism", job.get("parallelism", _UNSET))
    writer.field(0, "Completions", job.get("completions", _UNSET))
    if job.get("activeDeadlineSeconds") is not None:
        writer.field(0, "Active Deadline Seconds", f"{job['activeDeadlineSeconds']}s")
    describe_template(writer, job["template"])
    last = status.get("lastScheduleTime")
    writer.field(0, "Last Schedule Time", moment(last) if last else _UNSET)
    active = ", ".join(one["name"] for one in status.get("active", ()))
    writer.field(0, "Active Jobs", active or "<none>")
    write_events(writer, session, obj)
    return writer.text()
