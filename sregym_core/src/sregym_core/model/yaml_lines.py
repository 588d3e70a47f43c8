"""The line of a location in a YAML text, for errors that name the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence


def line_of(root: yaml.Node | None, location: Sequence[str | int]) -> int:
    """Line, from 1, of the innermost part of a pydantic location that the text has.

    Args:
        root: What `yaml.compose` made of the text; None where the text is empty.
        location: Keys of mappings and places in sequences, from the outside in.
    """
    if root is None:
        return 1
    node, line = root, int(root.start_mark.line) + 1
    for step in location:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(step):
                    found, line = value, key.start_mark.line + 1
        elif (
            isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value)
        ):
            found = node.value[step]
            line = found.start_mark.line + 1
        if found is None:
            break
        node = found
    return line
