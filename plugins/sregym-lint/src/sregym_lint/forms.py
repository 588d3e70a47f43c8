"""Data compared with a pydantic model: everything that is wrong, and what is left without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ValidationError
from sregym_core.model.validation import describe_error, location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.model.defect import Location

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
                found.append((location_of(item, data), text or describe_error(item, form)))
        # From behind, so that places in lists stay what they were.
        leaving = sorted({_to_leave(item, rest) for item in items}, key=_order, reverse=True)
        for location in leaving:
            left_out |= _leave_out(rest, location)
        if not rest or () in leaving:
            break
    return ComparisonResult(None, found, frozenset(left_out), rest)


def _to_leave(item: Mapping[str, Any], data: Any) -> Location:
    """What cannot stay because of an error; () for everything."""
    location = location_of(item, data)
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
