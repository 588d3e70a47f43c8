"""What Go puts in place of a match: texts with references to its groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_regex.matches import Match

_REFERENCE = re.compile(r"\$(\$|\{\w+\}|\w+)")


def expanded(template: str, found: Match) -> str:
    """A text with groups in place of `$1` and `${name}`, and `$` in place of `$$`.

    Args:
        template: The text; a reference to a group that does not exist stands for nothing.
        found: The match whose groups are meant.
    """

    def value(reference: re.Match[str]) -> str:
        name = reference[1].strip("{}")
        if name == "$":
            return "$"
        try:
            return found.group(int(name) if name.isdigit() else name) or ""
        except IndexError:
            return ""

    return _REFERENCE.sub(value, template)
