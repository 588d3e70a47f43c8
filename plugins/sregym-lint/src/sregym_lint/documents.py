"""YAML texts as people wrote them: their data, and the line of each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.model.defect import Defect, Location, field_path
from sregym_core.model.yaml_lines import line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE = "tag:yaml.org,2002:merge"


class Document:
    """One document of a YAML text.

    Args:
        name: Of the file, for messages.
        root: Its node; None where the text is empty.

    Attributes:
        data: What it holds.
        own: Mistakes of the text itself, such as a key that stands twice.
    """

    def __init__(self, name: str, root: yaml.Node | None) -> None:
        self.name = name
        self._root = root
        self.data: Any = None
        self.own: list[Defect] = []
        if root is not None:
            self.own = [self._twice(*found) for found in _repeated(root, ())]
            self.data = _constructed(root)

    def defect(self, location: Location, what: str) -> Defect:
        """Something wrong at a location, with its line."""
        return Defect(self.name, line_of(self._root, location), field_path(location), what)

    def defects(self, found: Iterable[tuple[Location, str]]) -> list[Defect]:
        """The same for several."""
        return [self.defect(location, what) for location, what in found]

    def _twice(self, location: Location, first: int, again: int) -> Defect:
        what = f"stands twice, in line {first} and here; the first is without effect"
        return Defect(self.name, again, field_path(location), what)


def documents(text: str, name: str) -> tuple[list[Document], list[Defect]]:
    """The documents of a YAML text; where it is none, why."""
    try:
        roots = list(yaml.compose_all(text, _LOADER))
        found = [Document(name, root) for root in roots]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = " ".join(str(getattr(error, "problem", None) or error).split())
        return [], [Defect(name, mark.line + 1 if mark else 1, "", f"not valid YAML: {why}")]
    return found or [Document(name, None)], []


def _constructed(root: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _repeated(node: yaml.Node, here: Location) -> Iterator[tuple[Location, int, int]]:
    """Keys that stand twice in one mapping: where, and both lines. Anchors are followed once."""
    stack: list[tuple[yaml.Node, Location]] = [(node, here)]
    seen: set[int] = set()
    while stack:
        node, here = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            stack.extend((value, (*here, index)) for index, value in enumerate(node.value))
        elif isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == _MERGE:
                    continue
                line = key.start_mark.line + 1
                if key.value in lines:
                    yield (*here, key.value), lines[key.value], line
                lines.setdefault(key.value, line)
                stack.append((value, (*here, key.value)))
