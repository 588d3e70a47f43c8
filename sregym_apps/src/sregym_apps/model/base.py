"""What all parts of a service model have in common: strictness, and texts with `${names}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict
from sregym_core.model.base import Shorthand

# Before the name of a header of the request, in a placeholder.
HEADER = "header."
# The same before the name of a parameter of its query.
QUERY = "query."
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")


class Entry(BaseModel):
    """A part of a service model: an unknown field is an error, and nothing changes once read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


# A text in which `${name}` stands for a setting of the process or a fact of the moment; numbers
# and booleans may be written bare.
Text = Annotated[str, BeforeValidator(_as_text), Shorthand("number", "boolean")]


def placeholders(text: str) -> list[str]:
    """The names that stand as `${name}` in a text, in order."""
    return _PLACEHOLDER.findall(text)


def expand(text: str, values: Mapping[str, str]) -> str:
    """The text with each `${name}` replaced; a name without a value is left as it stands."""
    if "${" not in text:
        return text
    parts = [*_parts(text)]
    for at in range(1, len(parts), 2):
        parts[at] = values.get(parts[at], f"${{{parts[at]}}}")
    return "".join(parts)


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    """What stands between placeholders, and their names, in turn."""
    return tuple(_PLACEHOLDER.split(text))


def texts_of(
    part: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """All texts in a part with the path to each, in the order of the fields."""
    if isinstance(part, str):
        yield path, part
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from texts_of(getattr(part, name), (*path, name))
    elif isinstance(part, Mapping):
        for key, value in part.items():
            yield from texts_of(value, (*path, key))
    elif isinstance(part, tuple | list):
        for index, value in enumerate(part):
            yield from texts_of(value, (*path, index))
