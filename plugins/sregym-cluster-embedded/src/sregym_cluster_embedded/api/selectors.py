"""Label and field selectors, as text from a request and as objects in a spec."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors, label_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object


@dataclass(frozen=True)
class Requirement:
    """One condition on labels.

    Attributes:
        key: The label.
        operator: `in`, `notin`, `exists`, `absent`, `gt` or `lt`.
        values: What the label's value is compared with.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether labels fulfil the condition."""
        value = labels.get(self.key)
        if self.operator == "in":
            return value is not None and value in self.values
        if self.operator == "notin":
            return value is None or value not in self.values
        if self.operator == "exists":
            return value is not None
        if self.operator == "absent":
            return value is None
        try:
            difference = int(value or "") - int(self.values[0])
        except ValueError:
            return False
        return difference > 0 if self.operator == "gt" else difference < 0


Requirements = tuple[Requirement, ...]


def labels_match(requirements: Requirements, labels: Mapping[str, str]) -> bool:
    """Whether labels fulfil all requirements."""
    return all(requirement.matches(labels) for requirement in requirements)


@lru_cache(maxsize=1024)
def parse_labels(text: str) -> Requirements:
    """The requirements of a `labelSelector` parameter.

    Raises:
        errors.ApiError: BadRequest with the server's words.
    """
    try:
        return tuple(Requirement(*parsed) for parsed in label_text.parse(text))
    except label_text.Unreadable as error:
        raise errors.bad_request(str(error)) from None


_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "absent"}


def of_object(selector: Object | None) -> Requirements | None:
    """The requirements of a `LabelSelector` object; None, which matches nothing, for None."""
    if selector is None:
        return None
    if any(rule.get("operator") not in _OPERATORS for rule in selector.get("matchExpressions", ())):
        # It could not have been stored; a status or a custom resource may hold one all the same.
        return None
    return tuple(
        Requirement(key, "in", (value,)) for key, value in selector.get("matchLabels", {}).items()
    ) + tuple(
        Requirement(
            rule.get("key", ""), _OPERATORS[rule["operator"]], tuple(rule.get("values", ()))
        )
        for rule in selector.get("matchExpressions", ())
    )


@dataclass(frozen=True)
class FieldCondition:
    """One condition on a field: `status.phase!=Running`."""

    path: tuple[str, ...]
    value: str
    equal: bool

    def matches(self, obj: Object) -> bool:
        """Whether an object fulfils the condition; a missing field is empty."""
        return (_text(obj, self.path) == self.value) == self.equal


_META = ("metadata.name", "metadata.namespace")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "pods": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ),
    "events": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    "secrets": ("type",),
    "namespaces": ("status.phase",),
    "nodes": ("spec.unschedulable",),
    "replicationcontrollers": ("status.replicas",),
    "replicasets.apps": ("status.replicas",),
    "jobs.batch": ("status.successful",),
    "services": ("spec.clusterIP", "spec.type"),
    "certificatesigningrequests.certificates.k8s.io": ("spec.signerName",),
}


# The values of fields that Go structs have without a pointer, where nothing was said.
_UNSAID = {"unschedulable": "false", "hostNetwork": "false", "succeeded": "0", "replicas": "0"}


@lru_cache(maxsize=1024)
def parse_fields(
    text: str, resource: str, selectable: tuple[str, ...] | None = None
) -> tuple[FieldCondition, ...]:
    """The conditions of a `fieldSelector` parameter.

    Args:
        text: The parameter.
        resource: Name of the type in the store.
        selectable: Of a custom resource: the fields that its definition names.

    Raises:
        errors.ApiError: BadRequest: the resource cannot be selected by that field.
    """
    found = []
    for part in filter(None, text.split(",")):
        field, operator, value = _split(part)
        known = _FIELDS.get(resource) if selectable is None else selectable
        if field not in _META and field not in (known or ()):
            raise errors.bad_request(_unknown_field(field, known is not None))
        found.append(FieldCondition(tuple(field.split(".")), value, operator != "!="))
    return tuple(found)


def _unknown_field(field: str, some_known: bool) -> str:
    if some_known:
        return f"field label not supported: {field}"
    known = ", ".join(f'"{name}"' for name in _META)
    return f'"{field}" is not a known field selector: only {known}'


def _split(part: str) -> tuple[str, str, str]:
    for operator in ("!=", "==", "="):
        field, found, value = part.partition(operator)
        if found:
            return field, operator, value
    raise errors.bad_request(f"invalid selector: '{part}'; can't understand '{part}'")


def _text(obj: Object, path: tuple[str, ...]) -> str:
    if path == ("source",):
        source = obj.get("source", {}).get("component")
        return str(source or obj.get("reportingComponent", ""))
    if path == ("status", "successful"):
        path = ("status", "succeeded")  # as the server calls that field
    value: Any = obj
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return _UNSAID.get(path[-1], "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
