"""Documents of YAML, read as far as a reader of Go would go along with them.

A few hundred bytes can stand for billions of nodes: an alias costs nothing to write. Whoever reads a
document asks `checked` before anything is made of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml
from sregym_regex.budget import spend

if TYPE_CHECKING:
    from collections.abc import Iterator

# What go-yaml makes of aliases at most, where it does not count how often they are used.
_MOST_NODES = 400_000
EXCESSIVE = "yaml: document contains excessive aliasing"
CYCLE = "yaml: anchor contains itself"


# How deep lists and mappings in brackets may be, as in go-yaml; libyaml's time grows with its square.
_DEEPEST = 10_000
_SQUARES_PER_STEP = 300
_BRACKETS = re.compile(rb"[\[\]{}]")


class AliasesError(yaml.YAMLError):
    """A document whose aliases stand for too much; the text is go-yaml's."""


class MergingLoader(yaml.CSafeLoader):
    """Reads documents; what `<<` puts together is paid for."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Put the entries of other mappings into one.

        Raises:
            AliasesError: There are too many.
        """
        super().flatten_mapping(node)
        spend(len(node.value))
        if len(node.value) > _MOST_NODES:
            raise AliasesError(EXCESSIVE)


def shallow(text: bytes) -> bytes:
    """A document whose brackets are not nested too deeply to be read.

    Raises:
        RecursionError: They are.
    """
    count = text.count(b"[") + text.count(b"{")
    if count * 100 < _DEEPEST:
        return text
    spend(count >> 2)
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        depth += 1 if found[0] in (b"[", b"{") else -1
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise RecursionError
    spend(deepest * count // _SQUARES_PER_STEP)
    return text


def checked(value: Any) -> Any:
    """A value that was read, with all that its aliases stand for counted.

    Raises:
        AliasesError: It is too much, or a part contains itself.
    """
    sizes: dict[int, int] = {}
    open_parts: set[int] = set()
    # First each part is opened, then, when all that is in it has a size, closed.
    pending: list[tuple[Any, bool]] = [(value, False)]
    distinct = 0
    while pending:
        part, closing = pending.pop()
        if not isinstance(part, dict | list) or (id(part) in sizes and not closing):
            continue
        if closing:
            open_parts.discard(id(part))
            sizes[id(part)] = 1 + sum(sizes.get(id(each), 1) for each in _parts(part))
            if sizes[id(part)] > max(_MOST_NODES, distinct):
                raise AliasesError(EXCESSIVE)
            continue
        if id(part) in open_parts:
            raise AliasesError(CYCLE)
        open_parts.add(id(part))
        distinct += 1 + len(part)
        spend(1 + len(part))
        pending.append((part, True))
        pending += [(each, False) for each in _parts(part) if isinstance(each, dict | list)]
    return value


def _parts(part: dict[Any, Any] | list[Any]) -> Iterator[Any]:
    return iter(part.values() if isinstance(part, dict) else part)
