"""What the status of a pod, and that of a Job, must not be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_OWN_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_GROUPS = (
    ("containerStatuses", "containers"),
    ("initContainerStatuses", "initContainers"),
    ("ephemeralContainerStatuses", ""),
)
_ENDED = "may not be transitioned to non-terminated state"


def changed(old: Object, new: Object) -> list[Cause]:
    """The causes in the status of a pod."""
    before, after = old.get("status", {}), new.get("status", {})
    found: list[Cause] = []
    for index, entry in enumerate(after.get("conditions") or ()):
        if entry.get("observedGeneration", 0) < 0:
            at = f"metadata.conditions[{index}].observedGeneration"
            text = "must be a non-negative integer"
            found.append(causes.invalid(at, entry["observedGeneration"], text))
        if entry.get("type", "") not in _OWN_CONDITIONS:
            found += formats.qualified(f"metadata.conditions[{index}].Type", entry.get("type", ""))
    name = after.get("nominatedNodeName", "")
    if name and name != before.get("nominatedNodeName", ""):
        found += formats.subdomain("status.nominatedNodeName", name)
    if before.get("qosClass") != after.get("qosClass"):
        shown = after.get("qosClass", "")
        found.append(causes.invalid("status.qosClass", shown, causes.IMMUTABLE))
    for field, group in _GROUPS:
        found += _ended(before, after, field, old["spec"], group)
    known = {entry.get("ip") for entry in before.get("podIPs") or ()}
    addresses = after.get("podIPs") or []
    for index, entry in enumerate(addresses):
        if entry.get("ip") not in known:
            found += formats.address(f"status.podIPs[{index}]", entry.get("ip", ""))
    return found + _hosts(before, after)


def _ended(before: Object, after: Object, field: str, spec: Object, group: str) -> list[Cause]:
    """What has ended stays so, unless it is to be started again."""
    found: list[Cause] = []
    states = {entry["name"]: entry.get("state") or {} for entry in after.get(field) or ()}
    containers = {entry["name"]: entry for entry in spec.get(group) or ()}
    for index, entry in enumerate(before.get(field) or ()):
        ended = (entry.get("state") or {}).get("terminated")
        state = states.get(entry["name"])
        if ended is None or state is None or "terminated" in state:
            continue
        container = containers.get(entry["name"])
        if container is None or not _restarts(container, spec, ended.get("exitCode", 0)):
            found.append(causes.forbidden(f"status.{field}[{index}].state", _ENDED))
    return found


def _restarts(container: Object, spec: Object, code: int) -> bool:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        if (code in (codes.get("values") or ())) == (codes.get("operator") == "In"):
            return bool(rule.get("action") == "Restart")
    policy = container.get("restartPolicy") or spec.get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _hosts(before: Object, after: Object) -> list[Cause]:
    hosts = after.get("hostIPs") or []
    found: list[Cause] = []
    if hosts and after.get("hostIP", "") != hosts[0].get("ip"):
        text = "must be equal to `hostIP`"
        found.append(causes.invalid("status.hostIPs[0].ip", hosts[0].get("ip", ""), text))
    known = {entry.get("ip") for entry in before.get("hostIPs") or ()}
    for index, entry in enumerate(hosts):
        if entry.get("ip") not in known:
            found += formats.address(f"status.hostIPs[{index}]", entry.get("ip", ""))
    return found


def job(old: Object, new: Object) -> list[Cause]:
    """The causes in the status of a Job."""
    before, after = old.get("status", {}), new.get("status", {})
    found = [
        cause
        for field in ("active", "succeeded", "failed", "ready", "terminating")
        for cause in causes.not_negative(f"status.{field}", after.get(field))
    ]
    # As the server, only where what is compared was written now.
    if before != after:
        found += _job_end(after)
        found += _job_counts(new, after)
        found += _job_success(new, after)
    return found + _job_changes(old, before, after)


def _true(status: Object, type_: str) -> bool:
    return any(
        entry.get("type") == type_ and entry.get("status") == "True"
        for entry in status.get("conditions") or ()
    )


def _conditions(text: str) -> Cause:
    return causes.invalid_value("status.conditions", text)


def _job_end(status: Object) -> list[Cause]:
    complete, failed = _true(status, "Complete"), _true(status, "Failed")
    target, met = _true(status, "FailureTarget"), _true(status, "SuccessCriteriaMet")
    ended, began = status.get("completionTime"), status.get("startTime")
    found: list[Cause] = []
    if complete and failed:
        found.append(_conditions("cannot set Complete=True and Failed=true conditions"))
    if complete and target:
        found.append(_conditions("cannot set Complete=True and FailureTarget=true conditions"))
    at = "status.completionTime"
    if ended and not complete:
        text = "cannot set completionTime when there is no Complete=True condition"
        found.append(causes.invalid(at, ended, text))
    if complete and not ended:
        found.append(causes.required(at, "completionTime is required for Complete jobs"))
    if ended and began and ended < began:
        text = "completionTime cannot be set before startTime"
        found.append(causes.invalid(at, ended, text))
    if failed and not target:
        text = "cannot set Failed=True condition without the FailureTarget=true condition"
        found.append(_conditions(text))
    if complete and not met:
        text = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        found.append(_conditions(text))
    return found


def _job_counts(obj: Object, status: Object) -> list[Cause]:
    finished = _true(status, "Complete") or _true(status, "Failed")
    found: list[Cause] = []
    if finished and status.get("active", 0) > 0:
        text = "active>0 is invalid for finished job"
        found.append(causes.invalid("status.active", status["active"], text))
    if finished and not status.get("startTime"):
        text = "startTime is required for finished job"
        found.append(causes.required("status.startTime", text))
    uncounted: Any = status.get("uncountedTerminatedPods") or {}
    if finished and (uncounted.get("succeeded") or uncounted.get("failed")):
        text = "uncountedTerminatedPods needs to be empty for finished job"
        shown = {name: uncounted.get(name.lower()) for name in ("Succeeded", "Failed")}
        found.append(causes.invalid("status.uncountedTerminatedPods", shown, text))
    indexed = obj["spec"].get("completionMode") == "Indexed"
    if status.get("completedIndexes") and not indexed:
        text = "cannot set non-empty completedIndexes when non-indexed completion mode"
        found.append(causes.invalid("status.completedIndexes", status["completedIndexes"], text))
    if status.get("failedIndexes") is not None and "backoffLimitPerIndex" not in obj["spec"]:
        text = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        found.append(causes.invalid("status.failedIndexes", status["failedIndexes"], text))
    if finished and (status.get("terminating") or 0) > 0:
        text = "terminating>0 is invalid for finished job"
        found.append(causes.invalid("status.terminating", status["terminating"], text))
    if (status.get("ready") or 0) > status.get("active", 0):
        text = "cannot set more ready pods than active"
        found.append(causes.invalid("status.ready", status["ready"], text))
    return found


def _job_success(obj: Object, status: Object) -> list[Cause]:
    met = _true(status, "SuccessCriteriaMet")
    found: list[Cause] = []
    if met and _true(status, "Failed"):
        text = "cannot set SuccessCriteriaMet=True and Failed=true conditions"
        found.append(_conditions(text))
    if met and _true(status, "FailureTarget"):
        text = "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"
        found.append(_conditions(text))
    if obj["spec"].get("successPolicy") is not None and not met and _true(status, "Complete"):
        text = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        found.append(_conditions(text))
    return found


def _job_changes(obj: Object, before: Object, after: Object) -> list[Cause]:
    found = [
        _conditions(f"cannot disable the terminal {type_}=True condition")
        for type_ in ("Failed", "Complete", "FailureTarget")
        if _true(before, type_) and not _true(after, type_)
    ]
    for field in ("failed", "succeeded"):
        if after.get(field, 0) < before.get(field, 0):
            text = f"cannot decrease the {field} counter"
            found.append(causes.invalid(f"status.{field}", after.get(field, 0), text))
    ended, now = before.get("completionTime"), after.get("completionTime")
    if ended and now and ended != now:
        text = "completionTime cannot be mutated"
        found.append(causes.invalid("status.completionTime", now, text))
    began = before.get("startTime")
    if began and began != after.get("startTime") and not obj["spec"].get("suspend"):
        text = "startTime cannot be removed for unsuspended job"
        found.append(causes.required("status.startTime", text))
    if _true(before, "SuccessCriteriaMet") and not _true(after, "SuccessCriteriaMet"):
        found.append(_conditions("cannot disable the SuccessCriteriaMet=True condition"))
    return found
