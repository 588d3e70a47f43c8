"""`kubectl describe` of quotas, limits, disruption budgets, priorities and namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    moment,
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.selectors import selector_text
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object


_SCOPES = {
    "Terminating": (
        "Matches all pods that have an active deadline. These pods have a limited lifespan on a "
        "node before being actively terminated by the system."
    ),
    "NotTerminating": (
        "Matches all pods that do not have an active deadline. These pods usually include long "
        "running pods whose container command is not expected to terminate."
    ),
    "BestEffort": (
        "Matches all pods that do not have resource requirements set. These pods have a best "
        "effort quality of service."
    ),
    "NotBestEffort": (
        "Matches all pods that have at least one resource requirement set. These pods have a "
        "burstable or guaranteed quality of service."
    ),
}
_LIMITS = (
    "Type", "Resource", "Min", "Max", "Default Request", "Default Limit",
    "Max Limit/Request Ratio",
)  # fmt: skip


def describe_quota(_session: Session, obj: Object) -> str:
    """The description of one ResourceQuota."""
    writer = Writer()
    writer.field(0, "Name", obj["metadata"]["name"])
    writer.field(0, "Namespace", obj["metadata"]["namespace"])
    _scopes(writer, 0, obj, " *")
    writer.line(0, "Resource\tUsed\tHard")
    writer.line(0, "--------\t----\t----")
    _amounts(writer, 0, obj)
    return writer.text()


def _scopes(writer: Writer, level: int, obj: Object, bullet: str) -> None:
    scopes = sorted(obj["spec"].get("scopes", ()))
    if scopes:
        writer.field(level, "Scopes", ", ".join(scopes))
    for scope in scopes:
        if scope in _SCOPES:
            writer.line(level, f"{bullet} {_SCOPES[scope]}")


def _amounts(writer: Writer, level: int, obj: Object) -> None:
    status = obj.get("status", {})
    for name in sorted(status.get("hard", {})):
        used = status.get("used", {}).get(name, 0)
        writer.line(level, f"{name}\t{used}\t{status['hard'][name]}")


def describe_limit_range(_session: Session, obj: Object) -> str:
    """The description of one LimitRange."""
    writer = Writer()
    writer.field(0, "Name", obj["metadata"]["name"])
    writer.field(0, "Namespace", obj["metadata"]["namespace"])
    writer.line(0, "\t".join(_LIMITS))
    writer.line(0, "\t".join("-" * len(title) for title in _LIMITS))
    _limits(writer, "", obj)
    return writer.text()


def _limits(writer: Writer, lead: str, obj: Object) -> None:
    fields = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for limit in obj["spec"].get("limits") or ():
        names = {name for field in fields for name in limit.get(field) or {}}
        for name in sorted(names):
            cells = (str((limit.get(field) or {}).get(name, "-")) for field in fields)
            writer.line(0, lead + "\t".join((limit["type"], name, *cells)))


def describe_disruption_budget(session: Session, obj: Object) -> str:
    """The description of one PodDisruptionBudget."""
    writer = Writer()
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status", {})
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    if spec.get("minAvailable") is not None:
        writer.field(0, "Min available", spec["minAvailable"])
    elif spec.get("maxUnavailable") is not None:
        writer.field(0, "Max unavailable", spec["maxUnavailable"])
    selector = spec.get("selector")
    writer.field(0, "Selector", selector_text(selector) if selector else "<unset>")
    writer.line(0, "Status:")
    for title, field in (
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):
        writer.field(2, title, status.get(field, 0))
    write_events(writer, session, obj)
    return writer.text()


def describe_priority_class(session: Session, obj: Object) -> str:
    """The description of one PriorityClass."""
    writer = Writer()
    writer.field(0, "Name", obj["metadata"]["name"])
    writer.field(0, "Value", obj.get("value", 0))
    writer.field(0, "GlobalDefault", "true" if obj.get("globalDefault") else "false")
    writer.field(0, "PreemptionPolicy", obj.get("preemptionPolicy", ""))
    writer.field(0, "Description", obj.get("description", ""))
    write_annotations(writer, "Annotations", obj["metadata"].get("annotations"))
    write_events(writer, session, obj)
    return writer.text()


def describe_namespace(session: Session, obj: Object) -> str:
    """The description of one Namespace, with its quotas and limits."""
    client, name = session.client, obj["metadata"]["name"]
    quotas = client.list(client.resource_type("resourcequotas"), name)
    ranges = client.list(client.resource_type("limitranges"), name)
    writer = Writer()
    writer.field(0, "Name", name)
    write_labels(writer, "Labels", obj["metadata"].get("labels"))
    write_annotations(writer, "Annotations", obj["metadata"].get("annotations"))
    status = obj.get("status", {})
    writer.field(0, "Status", status.get("phase", ""))
    if status.get("conditions"):
        writer.line(0, "Conditions:")
        writer.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage")
        writer.line(1, "----\t------\t------------------\t------\t-------")
        for one in status["conditions"]:
            when = moment(one.get("lastTransitionTime"))
            told = one.get("reason", ""), one.get("message", "")
            writer.line(1, "\t".join((one["type"], one["status"], when, *told)))
    writer.line(0, "\nResource Quotas" if quotas else "\nNo resource quota.")
    for quota in sorted(quotas, key=lambda one: str(one["metadata"]["name"])):
        writer.field(1, "Name", quota["metadata"]["name"])
        _scopes(writer, 1, quota, "*")
        writer.line(1, "Resource\tUsed\tHard")
        writer.line(1, "--------\t---\t---")
        _amounts(writer, 1, quota)
    writer.line(0, "\nResource Limits" if ranges else "\nNo LimitRange resource.")
    if ranges:
        writer.line(0, " " + "\t".join(_LIMITS))
        writer.line(0, " " + "\t".join("-" * len(title) for title in _LIMITS))
    for entry in ranges:
        _limits(writer, " ", entry)
    return writer.text()
