"""Lists of custom resources whose items are told apart: their order means nothing."""

from __future__ import annotations

from typing import Any

from sregym_cel.values import Unordered, equal


class SetList(Unordered):
    """A list of `x-kubernetes-list-type: set`."""

    def same(self, other: list[Any]) -> bool:
        """Whether both have the same items."""
        return len(self) == len(other) and all(_holds(other, item) for item in self)

    def joined(self, other: list[Any]) -> list[Any]:
        """The items of both, each once."""
        return SetList([*self, *(item for item in other if not _holds(self, item))])


class MapList(Unordered):
    """A list of `x-kubernetes-list-type: map`.

    Attributes:
        keys: The fields that tell its items apart.
    """

    def __init__(self, items: list[Any], keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.keys = keys

    def same(self, other: list[Any]) -> bool:
        """Whether both have equal items under the same keys."""
        there = {self._key(item): item for item in other}
        return len(self) == len(other) and all(
            self._key(item) in there and equal(item, there[self._key(item)]) for item in self
        )

    def joined(self, other: list[Any]) -> list[Any]:
        """The items of both; of those with the same key the other's."""
        there = {self._key(item): item for item in other}
        own = [there.pop(self._key(item), item) for item in self]
        return MapList([*own, *there.values()], self.keys)

    def _key(self, item: Any) -> tuple[str, ...]:
        fields = item if isinstance(item, dict) else {}
        return tuple(repr(fields.get(key)) for key in self.keys)


def _holds(items: list[Any], item: Any) -> bool:
    return any(equal(item, other) for other in items)
