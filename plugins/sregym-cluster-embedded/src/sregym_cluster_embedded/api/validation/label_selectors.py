"""Label selectors wherever they stand in an object, and numbers that may be shares."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.schema import Definition, Type
    from sregym_cluster_embedded.store import Object

_SELECTOR = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"
_WITH_VALUES = ("In", "NotIn")
_WITHOUT = ("Exists", "DoesNotExist")
_PERCENT = re.compile(r"[0-9]+%")
_PERCENT_TEXT = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
    "'93%', regex used for validation is '[0-9]+%')"
)


def anywhere(obj: Object, definition: Definition) -> list[Cause]:
    """The causes in all label selectors of an object."""
    found: list[Cause] = []
    _walk(obj, definition, "", found)
    return found


def selector(field: str, value: Object) -> list[Cause]:
    """The causes in one label selector."""
    found = formats.labels(f"{field}.matchLabels", value.get("matchLabels", {}))
    for index, rule in enumerate(value.get("matchExpressions", ())):
        place = f"{field}.matchExpressions[{index}]"
        operator, values = rule.get("operator", ""), rule.get("values", [])
        if operator in _WITH_VALUES:
            if not values:
                text = "must be specified when `operator` is 'In' or 'NotIn'"
                found.append(causes.required(f"{place}.values", text))
        elif operator in _WITHOUT:
            if values:
                text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                found.append(causes.forbidden(f"{place}.values", text))
        else:
            text = "not a valid selector operator"
            found.append(causes.invalid(f"{place}.operator", operator, text))
        found += formats.qualified(f"{place}.key", rule.get("key", ""))
        for number, text in enumerate(values):
            found += formats.label_value(f"{place}.values[{number}]", text)
    return found


def share(field: str, value: Any, *, at_most_all: bool = False) -> list[Cause]:
    """A count, or a percentage; `at_most_all` forbids more than 100%."""
    if value is None:
        return []
    if isinstance(value, int):
        return causes.not_negative(field, value)
    if not _PERCENT.fullmatch(value):
        return [causes.invalid(field, value, _PERCENT_TEXT)]
    if at_most_all and int(value[:-1]) > 100:
        return [causes.invalid(field, value, "must not be greater than 100%")]
    return []


def at_most_all(field: str, value: Any) -> list[Cause]:
    """A percentage that is not more than everything."""
    whole = isinstance(value, str) and _PERCENT.fullmatch(value) and int(value[:-1]) > 100
    return [causes.invalid(field, value, "must not be greater than 100%")] if whole else []


def _walk(value: Any, definition: Definition, path: str, found: list[Cause]) -> None:
    if not isinstance(value, dict):
        return
    for name in _leading(definition.name):
        if name in value:
            _below(value[name], definition.fields[name].type, f"{path}{name}", found)


def _below(value: Any, type_: Type, path: str, found: list[Cause]) -> None:
    if type_.form == "list" and type_.item is not None and isinstance(value, list):
        for index, item in enumerate(value):
            _below(item, type_.item, f"{path}[{index}]", found)
    elif type_.form == "struct" and type_.name == _SELECTOR and isinstance(value, dict):
        found.extend(selector(path, value))
    elif type_.form == "struct":
        _walk(value, schema.definition(type_.name), f"{path}.", found)


@lru_cache(maxsize=2048)
def _leading(name: str) -> tuple[str, ...]:
    """The fields of a definition below which selectors stand."""
    definition = schema.definition(name)
    return tuple(
        field
        for field, known in definition.fields.items()
        if field != "status" and _leads(known.type, (name,))
    )


def _leads(type_: Type, above: tuple[str, ...]) -> bool:
    if type_.form == "list" and type_.item is not None:
        return _leads(type_.item, above)
    if type_.form != "struct" or type_.name in above:
        return False
    if type_.name == _SELECTOR:
        return True
    fields = schema.definition(type_.name).fields.values()
    return any(_leads(known.type, (*above, type_.name)) for known in fields)
