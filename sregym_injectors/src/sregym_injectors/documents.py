"""Documents of YAML that stand in the cluster, where any client may have written anything into them."""

from __future__ import annotations

import re
from typing import Any

import yaml

# No file of a program nests brackets as deeply. PyYAML gives up somewhat later, after a time that grows
# with the square of the depth, and a repair is waited for with many looks at such a file.
_DEEPEST = 200
_BRACKETS = re.compile(r"[\[\]{}]")


def read_yaml(text: str) -> Any:
    """The content of a document, of JSON too; None for an empty one.

    Raises:
        yaml.YAMLError: It is none.
        RecursionError: It is nested too deeply to be read.
    """
    if text.count("[") + text.count("{") > _DEEPEST:
        depth = 0
        for bracket in _BRACKETS.findall(text):
            depth += 1 if bracket in "[{" else -1
            if depth > _DEEPEST:
                msg = f"brackets are nested more than {_DEEPEST} deep"
                raise RecursionError(msg)
    return yaml.safe_load(text)
