"""Data compared with a pydantic model: everything that is wrong, and what is left without it."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from sregym_core.model.defect import Location, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# So many rounds of leaving out what is wrong end with a valid rest, or with none.
_ROUNDS = 25


class ComparisonResult(NamedTuple):
    """What a comparison found.

    Attributes:
        value: The model of what is right; None where nothing useful is left.
        found: Where something is wrong, and what.
        left_out: Names of what was left out of `value` because of it.
        rest: The data that `value` was made from.
    """

    value: Any
    found: list[tuple[Location, str]]
    left_out: frozenset[str]
    rest: Any

    def original(self, location: Location) -> Location:
        """A location in `value` as it is in the file, where other members of lists stand before."""
        steps: list[str | int] = []
        data = self.rest
        for step in location:
            inside = isinstance(data, IndexedList) and isinstance(step, int) and step < len(data)
            steps.append(data.places[step] if inside else step)
            found = data.get(step) if isinstance(data, dict) else None
            data = data[step] if inside else found
        return tuple(steps)


def compare(
    form: type[BaseModel],
    data: Any,
    context: Mapping[str, Any] | None = None,
    message: Callable[[Any], str | None] | None = None,
) -> ComparisonResult:
    """Compare data with a form.

    Args:
        form: The model.
        data: What was read.
        context: For the model's validators.
        message: Another text for an error of pydantic; None where its own will do.
    """
    rest = _kept(data)
    found: list[tuple[Location, str]] = []
    left_out: set[str] = set()
    for attempt in range(_ROUNDS):
        try:
            value = form.model_validate(rest, context=context)
            return ComparisonResult(value, found, frozenset(left_out), rest)
        except ValidationError as error:
            items = error.errors(include_url=False)
        if not attempt:
            for item in items:
                text = message(item) if message else None
                found.append(
                    (location_in_file(item, data, form), text or describe_error(item, form))
                )
        # From behind, so that places in lists stay what they were.
        leaving = sorted({_to_leave(item, rest, form) for item in items}, key=_order, reverse=True)
        for location in leaving:
            left_out |= _leave_out(rest, location)
        if not rest or () in leaving:
            break
    return ComparisonResult(None, found, frozenset(left_out), rest)


def _to_leave(item: Mapping[str, Any], data: Any, form: Any) -> Location:
    """What cannot stay because of an error; () for everything."""
    location = location_in_file(item, data, form)
    return location[:-1] if item["type"] == "missing" else location


def _order(location: Location) -> list[tuple[int, str]]:
    """Places in lists in the order of their numbers."""
    return [(step, "") if isinstance(step, int) else (-1, step) for step in location]


def _leave_out(data: Any, location: Location) -> set[str]:
    """Take away what stands at a location; the names that are gone with it."""
    for step in location[:-1]:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return set()
    step = location[-1] if location else ""
    if isinstance(data, dict) and step in data:
        return {str(step), *_names(data.pop(step))}
    if isinstance(data, IndexedList) and isinstance(step, int) and step < len(data):
        gone = _names(data[step])
        data.remove_at(step)
        return gone
    return set()


def _names(data: Any) -> set[str]:
    """Keys and texts in data: what others may refer to."""
    if isinstance(data, dict):
        return {str(key) for key in data} | {n for value in data.values() for n in _names(value)}
    if isinstance(data, list):
        return {name for value in data for name in _names(value)}
    return {data} if isinstance(data, str) else set()


def location_in_file(item: Mapping[str, Any], data: Any, form: Any) -> Location:
    """The location of an error without the names of union members, which nobody wrote.

    The last step of what is missing was not written either, and stays.

    Args:
        item: One of the errors of a `ValidationError`.
        data: What was validated.
        form: By which model.
    """
    plain: list[str | int] = []
    kinds, steps = [form], item["loc"]
    for index, step in enumerate(steps):
        tagged = [one for kind in kinds for one in _members(kind) if _tag(one) == step]
        if tagged:
            kinds = tagged
            continue
        kinds = [inner for kind in kinds for inner in _below(kind, step)]
        last = index == len(steps) - 1
        if isinstance(data, dict):
            if step in data or (last and item["type"] == "missing"):
                plain.append(step)
                data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            plain.append(step)
            data = data[step]
    return tuple(plain)


def describe_error(item: Mapping[str, Any], form: type[BaseModel]) -> str:
    """An error of pydantic in one line, with the nearest name that would be right."""
    text = str(item["msg"]).removeprefix("Value error, ")
    text = text[:1].lower() + text[1:]
    if item["type"] == "extra_forbidden":
        known = fields_at(form, item["loc"][:-1])
        return text + did_you_mean(str(item["loc"][-1]), known)
    if item["type"] in ("literal_error", "enum"):
        words = str(item.get("ctx", {}).get("expected", "")).replace(" or ", ", ").split(", ")
        return text + did_you_mean(str(item["input"]), [word.strip("'") for word in words])
    return text


def fields_at(form: Any, location: Location) -> list[str]:
    """Names of the fields that a mapping at a location of a form may have; empty when unknown."""
    here = [form]
    for step in location:
        here = [inner for one in here for inner in _below(one, step)]
    models = [one for kind in here for one in _models(kind)]
    return sorted({field.alias or name for m in models for name, field in m.model_fields.items()})


def _below(kind: Any, step: str | int) -> Iterator[Any]:
    """What stands at one step below a type; a step may be the tag of a union's member."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if any(isinstance(extra, Tag) and extra.tag == step for extra in arguments[1:]):
            yield arguments[0]
        else:
            yield from _below(arguments[0], step)
    elif origin in (Union, types.UnionType):
        tagged = [one for one in arguments if _tag(one) == step]
        for one in tagged or arguments:
            yield from _below(one, step)
    elif origin in (dict, list, tuple, frozenset, set):
        yield arguments[-1] if origin is dict else arguments[0]
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if step in (name, field.alias):
                yield field.annotation


def _members(kind: Any) -> tuple[Any, ...]:
    """Members of a union, bare or annotated; a member that is a union itself counts by its own."""
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) not in (Union, types.UnionType):
        return ()
    arguments = get_args(kind)
    return (*arguments, *(inner for one in arguments if not _tag(one) for inner in _members(one)))


def _tag(kind: Any) -> str:
    extras = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    return next((str(extra.tag) for extra in extras if isinstance(extra, Tag)), "")


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    if get_origin(kind) in (Annotated, Union, types.UnionType):
        arguments = get_args(kind)
        for one in arguments[:1] if get_origin(kind) is Annotated else arguments:
            yield from _models(one)
    elif get_origin(kind) is None and isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind


class IndexedList(list[Any]):
    """A list that still knows at which places its members stood."""

    def __init__(self, members: list[Any]) -> None:
        super().__init__(members)
        self.places = [*range(len(members))]

    def remove_at(self, index: int) -> None:
        """Leave a member out."""
        del self[index]
        del self.places[index]


def _kept(data: Any) -> Any:
    """Copied data in which lists are `IndexedList`; what aliases share is apart."""
    if isinstance(data, dict):
        return {key: _kept(value) for key, value in data.items()}
    return IndexedList([_kept(value) for value in data]) if isinstance(data, list) else data
