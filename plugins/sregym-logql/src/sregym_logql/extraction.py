"""What all parsers share: names of labels, and what is said of a line that is none of theirs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    # Puts what it finds in a line into labels; gives the line that goes on. Its time is not needed.
    Extractor: TypeAlias = Callable[[dict[str, str], str, int], str]
    # From the labels of a stream, whose names are taken, to what is done with its lines.
    Bind: TypeAlias = Callable[[Mapping[str, str]], "Extraction"]

ERROR = "__error__"
DETAILS = "__error_details__"

BAD_NAME = re.compile(r"[^a-zA-Z0-9_]")


class Extraction(NamedTuple):
    """What a parser does with the lines of a stream.

    Attributes:
        extract: The whole of it.
        labels: A quicker way for lines that it knows: their labels with those of the stream, sorted;
            None for other lines.
    """

    extract: Extractor
    labels: Callable[[str], dict[str, str] | None] | None = None


class ExtractionError(ValueError):
    """A line that a parser cannot take: the name of the error, and details."""

    def __init__(self, name: str, details: str) -> None:
        super().__init__(name)
        self.name = name
        self.details = details


@lru_cache(maxsize=4096)
def label_name(text: str) -> str:
    """A key as a label's name."""
    name = BAD_NAME.sub("_", text.strip())
    return f"_{name}" if name[:1].isdigit() else name


def free_name(name: str, own: Mapping[str, str]) -> str:
    """The label that a field becomes: what the stream has already keeps its name."""
    return f"{name}_extracted" if name in own else name
