"""Validation of conditions of the standard form, `meta/v1` Condition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_STATUSES = ("False", "True", "Unknown")
_REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_REASON_BYTES = 1024
_MESSAGE_BYTES = 32 * 1024
_REASON_TEXT = (
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex "
    f"used for validation is '{_REASON.pattern}')"
)


def of(obj: Object) -> list[Cause]:
    """The causes in the conditions of the status of an object."""
    found: list[Cause] = []
    seen: set[str] = set()
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        place, type_ = f"status.conditions[{index}]", condition.get("type", "")
        if type_ in seen:
            found.append(causes.duplicate(f"{place}.type", type_))
        seen.add(type_)
        found += _condition(condition, place)
    return found


def _condition(condition: Object, place: str) -> list[Cause]:
    found = formats.qualified(f"{place}.type", condition.get("type", ""))
    status, reason = condition.get("status", ""), condition.get("reason", "")
    if status not in _STATUSES:
        found.append(causes.unsupported(f"{place}.status", status, _STATUSES))
    generation = condition.get("observedGeneration", 0)
    if generation < 0:
        text = "must be greater than or equal to zero"
        found.append(causes.invalid(f"{place}.observedGeneration", generation, text))
    if not condition.get("lastTransitionTime"):
        found.append(causes.required(f"{place}.lastTransitionTime", "must be set"))
    if not reason:
        found.append(causes.required(f"{place}.reason", "must be set"))
    elif not _REASON.fullmatch(reason):
        found.append(causes.invalid(f"{place}.reason", reason, _REASON_TEXT))
    if len(reason.encode()) > _REASON_BYTES:
        found.append(causes.too_long(f"{place}.reason", _REASON_BYTES))
    if len(condition.get("message", "").encode()) > _MESSAGE_BYTES:
        found.append(causes.too_long(f"{place}.message", _MESSAGE_BYTES))
    return found
