"""Templates made of YAML: what stands in braces is filled in, and the rest is kept as it is.

| template | becomes |
|---|---|
| `"{{ port }}"`, a whole text | the value itself, of any type |
| `"{{ name }}-config"` | the text with the value in it |
| `"{{ call.port }}"` | a field of a value |
| `"{{ call.port or 80 }}"` | the same, or what stands behind `or`, read as YAML, where there is none |
| key `"{{ each call in calls }}"` | its content for each item; a mapping counts as a list of its values with `name`, an absent field as an empty one |
| key `"{{ if store }}"`, `"{{ if not store }}"` | its content where the value is not empty; a field that is absent is empty |

The content of the last two is merged into the mapping that they stand in. In a list they are the
only key of an item, which is replaced by the items of its content.
"""

from __future__ import annotations

import copy
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_lint import Location

_PATH = r"[A-Za-z_][\w-]*(?:\.[\w-]+)*"
_WHOLE = re.compile(rf"\{{\{{\s*({_PATH})(?:\s+or\s+(\S(?:(?!\{{\{{).)*?))?\s*\}}\}}")
_EACH = re.compile(rf"\{{\{{\s*each\s+([A-Za-z_]\w*)\s+in\s+({_PATH})\s*\}}\}}")
_IF = re.compile(rf"\{{\{{\s*if\s+(not\s+)?({_PATH})\s*\}}\}}")
_BRACES = re.compile(r"\{\{(?!\{).*?\}\}")


class FillingError(ValueError):
    """A value that cannot be filled in.

    Attributes:
        location: Where it stands in the template.
        text: What is wrong.
    """

    def __init__(self, location: Location, text: str) -> None:
        super().__init__(text)
        self.location = location
        self.text = text


def filled(template: Any, values: Mapping[str, Any], location: Location = ()) -> Any:
    """A template with values in it; the template stays as it is.

    Raises:
        FillingError: A value is missing or of the wrong type, or braces hold another text.
    """
    if isinstance(template, str):
        return _text(template, values, location)
    if isinstance(template, dict):
        made: dict[Any, Any] = {}
        for key, content in template.items():
            for part in _parts(key, content, values, location):
                made.update(_mapping(part, key, location))
        return made
    if isinstance(template, list):
        items: list[Any] = []
        for index, item in enumerate(template):
            items.extend(_items(item, values, (*location, index)))
        return items
    return template


def names_used(template: Any) -> frozenset[str]:
    """The names that a template fills in, without those that it gives itself in `each`."""
    return frozenset(_used(template, frozenset()))


def _used(template: Any, given: frozenset[str]) -> Iterator[str]:
    if isinstance(template, str):
        found = (match[1].partition(".")[0] for match in _WHOLE.finditer(template))
        yield from (name for name in found if name not in given)
    elif isinstance(template, list):
        for item in template:
            yield from _used(item, given)
    elif isinstance(template, dict):
        for key, content in template.items():
            each, when = _EACH.fullmatch(str(key)), _IF.fullmatch(str(key))
            if each or when:
                name = (each or when)[2].partition(".")[0]  # type: ignore[index]  # one of them is
                yield from () if name in given else (name,)
            yield from _used(str(key), given)
            yield from _used(content, given | {each[1]} if each else given)


def _parts(key: Any, content: Any, values: Mapping[str, Any], location: Location) -> Iterator[Any]:
    """What a key of a mapping becomes: itself with its content, or the contents it stands for."""
    here = (*location, key)
    each, when = _EACH.fullmatch(str(key)), _IF.fullmatch(str(key))
    if each:
        for item in _listed(_value(each[2], values, here, absent="fields"), each[2], here):
            yield filled(content, {**values, each[1]: item}, here)
    elif when:
        if bool(_value(when[2], values, here, absent="fields")) != bool(when[1]):
            yield filled(content, values, here)
    else:
        yield {filled(key, values, here): filled(content, values, here)}


def _items(item: Any, values: Mapping[str, Any], location: Location) -> list[Any]:
    if isinstance(item, dict) and len(item) == 1:
        ((key, content),) = item.items()
        if _EACH.fullmatch(str(key)) or _IF.fullmatch(str(key)):
            parts = list(_parts(key, content, values, location))
            return [one for part in parts for one in (part if isinstance(part, list) else [part])]
    return [filled(item, values, location)]


def _mapping(part: Any, key: Any, location: Location) -> dict[Any, Any]:
    if not isinstance(part, dict):
        raise FillingError((*location, key), "its content is merged into a mapping, so it is one")
    return part


def _listed(value: Any, path: str, location: Location) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, dict):
        return [{"name": name, **(item or {})} for name, item in value.items()]
    if isinstance(value, list):
        return value
    raise FillingError(location, f"{path!r} is {value!r}, neither a list nor a mapping")


def _text(template: str, values: Mapping[str, Any], location: Location) -> Any:
    whole = _WHOLE.fullmatch(template)
    if whole:
        return copy.deepcopy(_found(whole, values, location))

    def put_in(found: re.Match[str]) -> str:
        inner = _WHOLE.fullmatch(found[0])
        if inner is None:
            what = f"{found[0]} is no name in braces; 'each' and 'if' stand in keys of their own"
            raise FillingError(location, what)
        value = _found(inner, values, location)
        if isinstance(value, bool):
            return str(value).lower()
        if not isinstance(value, str | int | float):
            raise FillingError(location, f"{inner[1]!r} is {value!r}, which fits into no text")
        return str(value)

    return _BRACES.sub(put_in, template)


def _found(braces: re.Match[str], values: Mapping[str, Any], location: Location) -> Any:
    """The value that braces name, or the other that they offer."""
    path, other = braces[1], braces[2]
    if other is None:
        return _value(path, values, location)
    value = _value(path, values, location, absent="all")
    if value is not None:
        return value
    try:
        return copy.deepcopy(_read(other))
    except yaml.YAMLError as error:
        raise FillingError(location, f"{other!r} behind 'or' is no YAML") from error


@lru_cache(maxsize=256)
def _read(text: str) -> Any:
    return yaml.safe_load(text)


def _value(
    path: str,
    values: Mapping[str, Any],
    location: Location,
    absent: Literal["", "fields", "all"] = "",
) -> Any:
    """The value at a path; None for what may be `absent`."""
    here: Any = values
    for number, step in enumerate(path.split(".")):
        if not isinstance(here, dict) or step not in here:
            if absent == "all" or (absent == "fields" and number and isinstance(here, dict)):
                return None
            there = ", ".join(sorted(map(str, here))) if isinstance(here, dict) else repr(here)
            raise FillingError(location, f"there is no {path!r}; there is: {there}")
        here = here[step]
    return here
