"""Validation of Jobs and CronJobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import selectors
from sregym_cluster_embedded.api.validation import causes, cron, formats, pods
from sregym_cluster_embedded.api.validation.workloads import MISMATCH

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_RESTART = 'valid values: "OnFailure", "Never"'
_CONCURRENCY = ("Allow", "Forbid", "Replace")
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_EXIT_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_REPLACEMENTS = ("Failed", "TerminatingOrFailed")
_INDEXED_ONLY = "requires indexed completion mode"
_MOST_PARALLEL_INDEXED = 100_000
_LONGEST_CRON_JOB = 52


def tied(obj: Object) -> list[Cause]:
    """A new Job whose selector the server makes: the labels of its pods have to be made as well."""
    spec, metadata = obj["spec"], obj["metadata"]
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return []
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    uid, name = metadata.get("uid", ""), metadata.get("name", "")
    wanted = {
        "controller-uid": uid,
        "job-name": name,
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
    }
    shown = dict(sorted(labels.items()))
    found = [
        causes.invalid(f"spec.template.metadata.labels[{key}]", shown, f"must be '{value}'")
        for key, value in wanted.items()
        if labels.get(key) != value
    ]
    asked = selectors.of_object(selector)
    if asked is not None and not selectors.labels_match(asked, wanted):
        matched = dict(sorted(selector["matchLabels"].items()))
        value = {**selector, "matchLabels": matched}
        found.append(causes.invalid("spec.selector", value, "`selector` not auto-generated"))
    return found


def job(obj: Object) -> list[Cause]:
    """Job."""
    spec = obj["spec"]
    found = _job_spec(spec, "spec")
    selector = spec.get("selector")
    if selector is None:
        found.append(causes.required("spec.selector"))
    else:
        labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
        wanted = selectors.of_object(selector)
        if wanted is not None and not selectors.labels_match(wanted, labels):
            found.append(
                causes.invalid(
                    "spec.template.metadata.labels", dict(sorted(labels.items())) or None, MISMATCH
                )
            )
    if spec.get("completionMode") == "Indexed" and (spec.get("completions") or 0) > 0:
        name = obj["metadata"].get("name", "")
        host = f"{name}-{spec['completions'] - 1}"
        if formats.label("", host):
            text = f"will not able to create pod with invalid DNS label: {host}"
            found.append(causes.invalid("metadata.name", name, text))
    return found


def cron_job(obj: Object) -> list[Cause]:
    """CronJob."""
    spec = obj["spec"]
    name = obj["metadata"].get("name", "")
    found: list[Cause] = []
    schedule = spec.get("schedule", "")
    if not schedule:
        found.append(causes.required("spec.schedule"))
    else:
        problem = cron.problem(schedule)
        if problem:
            found.append(causes.invalid("spec.schedule", schedule, problem))
        if "TZ" in schedule:
            text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
            found.append(causes.invalid("spec.schedule", schedule, text))
    found += causes.not_negative(
        "spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds")
    )
    zone = spec.get("timeZone")
    if zone is not None:
        found += _zone(zone)
    found += causes.one_of("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), _CONCURRENCY)
    template = (spec.get("jobTemplate") or {}).get("spec") or {}
    found += _job_spec(template, "spec.jobTemplate.spec")
    if template.get("selector") is not None:
        text = "`selector` will be auto-generated"
        place = "spec.jobTemplate.spec.selector"
        found.append(causes.invalid(place, template["selector"], text))
    if template.get("manualSelector"):
        place = "spec.jobTemplate.spec.manualSelector"
        found.append(causes.unsupported(place, True, ("nil", "false")))
    for field in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        found += causes.not_negative(f"spec.{field}", spec.get(field))
    if len(name) > _LONGEST_CRON_JOB:
        text = f"must be no more than {_LONGEST_CRON_JOB} characters"
        found.append(causes.invalid("metadata.name", name, text))
    return found


def _zone(zone: str) -> list[Cause]:
    if not zone:
        text = "timeZone must be nil or non-empty string"
        return [causes.invalid("spec.timeZone", zone, text)]
    if zone.lower() == "local":
        text = (
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
        return [causes.invalid("spec.timeZone", zone, text)]
    if cron.known_zone(zone):
        return []
    return [causes.invalid("spec.timeZone", zone, f"unknown time zone {zone}")]


def _job_spec(spec: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for field in (
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ):
        found += causes.not_negative(f"{path}.{field}", spec.get(field))
    per_index, most = spec.get("backoffLimitPerIndex"), spec.get("maxFailedIndexes")
    if most is not None and per_index is None:
        text = "when maxFailedIndexes is specified"
        found.append(causes.required(f"{path}.backoffLimitPerIndex", text))
    found += _mode(spec, path)
    if spec.get("podFailurePolicy") is not None:
        found += _failure_policy(spec, f"{path}.podFailurePolicy")
    success = spec.get("successPolicy")
    if success is not None:
        place = f"{path}.successPolicy"
        if spec.get("completionMode") != "Indexed":
            shown = {
                "Rules": [
                    {
                        "SucceededIndexes": rule.get("succeededIndexes"),
                        "SucceededCount": rule.get("succeededCount"),
                    }
                    for rule in success.get("rules") or ()
                ]
                or None
            }
            found.append(causes.invalid(place, shown, _INDEXED_ONLY))
        elif not success.get("rules"):
            text = "at least one rules must be specified when the successPolicy is specified"
            found.append(causes.required(f"{place}.rules", text))
    replaced = spec.get("podReplacementPolicy")
    allowed = _REPLACEMENTS if spec.get("podFailurePolicy") is None else _REPLACEMENTS[:1]
    found += causes.one_of(f"{path}.podReplacementPolicy", replaced, allowed)
    return found + _template(spec, path)


def _template(spec: Object, path: str) -> list[Cause]:
    template = spec.get("template") or {}
    found = pods.template(template, f"{path}.template")
    policy = (template.get("spec") or {}).get("restartPolicy", "Always")
    place = f"{path}.template.spec.restartPolicy"
    if policy == "Always":
        found.append(causes.required(place, _RESTART))
    elif policy not in ("OnFailure", "Never"):
        found.append(causes.unsupported(place, policy, ("OnFailure", "Never")))
    elif spec.get("podFailurePolicy") is not None and policy != "Never":
        text = 'only "Never" is supported when podFailurePolicy is specified'
        found.append(causes.invalid(place, policy, text))
    return found


def _mode(spec: Object, path: str) -> list[Cause]:
    mode, completions = spec.get("completionMode"), spec.get("completions")
    found = causes.one_of(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    most, parallel = spec.get("maxFailedIndexes"), spec.get("parallelism") or 0
    if mode == "Indexed":
        if completions is None:
            found.append(causes.required(f"{path}.completions", "when completion mode is Indexed"))
        if parallel > _MOST_PARALLEL_INDEXED:
            text = f"must be less than or equal to {_MOST_PARALLEL_INDEXED} when completion mode is Indexed"
            found.append(causes.invalid(f"{path}.parallelism", parallel, text))
        if completions is not None and most is not None and most > completions:
            text = "must be less than or equal to completions"
            found.append(causes.invalid(f"{path}.maxFailedIndexes", most, text))
    elif mode in (None, "NonIndexed"):
        found += [
            causes.invalid(f"{path}.{field}", spec[field], _INDEXED_ONLY)
            for field in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(field) is not None
        ]
    return found


def _failure_policy(spec: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    given = (spec.get("template") or {}).get("spec") or {}
    names = {
        container.get("name")
        for field in ("containers", "initContainers")
        for container in given.get(field) or ()
    }
    for index, rule in enumerate(spec["podFailurePolicy"].get("rules") or ()):
        place, action = f"{path}.rules[{index}]", rule.get("action", "")
        if not action:
            found.append(causes.required(f"{place}.action", _listed(_ACTIONS)))
        elif action == "FailIndex":
            if spec.get("backoffLimitPerIndex") is None:
                text = "requires the backoffLimitPerIndex to be set"
                found.append(causes.invalid(f"{place}.action", action, text))
        else:
            found += causes.one_of(f"{place}.action", action, _ACTIONS)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
        if codes is not None:
            found += _exit_codes(codes, f"{place}.onExitCodes", names)
        for number, condition in enumerate(conditions or ()):
            found += _condition(condition, f"{place}.onPodConditions[{number}]")
        if codes is not None and conditions:
            text = "specifying both OnExitCodes and OnPodConditions is not supported"
            found.append(causes.invalid_value(place, text))
        elif codes is None and not conditions:
            text = "specifying one of OnExitCodes and OnPodConditions is required"
            found.append(causes.invalid_value(place, text))
    return found


def _listed(words: tuple[str, ...]) -> str:
    """Words as Go prints a list of them."""
    return "valid values: [" + " ".join(f'"{word}"' for word in words) + "]"


def _condition(condition: Object, place: str) -> list[Cause]:
    found = formats.qualified(f"{place}.type", condition.get("type", ""))
    status = condition.get("status", "")
    if not status:
        return [*found, causes.required(f"{place}.status", _listed(_STATUSES))]
    return found + causes.one_of(f"{place}.status", status, _STATUSES)


def _exit_codes(codes: Object, path: str, names: set[str]) -> list[Cause]:
    operator, values = codes.get("operator", ""), codes.get("values") or []
    found: list[Cause] = []
    if not operator:
        found.append(causes.required(f"{path}.operator", _listed(_EXIT_OPERATORS)))
    else:
        found += causes.one_of(f"{path}.operator", operator, _EXIT_OPERATORS)
    name = codes.get("containerName")
    if name is not None and name not in names:
        text = "must be one of the container or initContainer names in the pod template"
        found.append(causes.invalid(f"{path}.containerName", name, text))
    field = f"{path}.values"
    if not values:
        text = "at least one value is required"
        found.append(causes.invalid(field, codes.get("values"), text))
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            text = "must not be 0 for the In operator"
            found.append(causes.invalid(f"{field}[{index}]", value, text))
        if value in values[:index]:
            found.append(causes.duplicate(f"{field}[{index}]", value))
    if values != sorted(values):
        found.append(causes.invalid(field, values, "must be ordered"))
    return found
