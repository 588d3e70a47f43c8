"""Groups of dicts that forks share until one of them writes.

A fork costs as much as there are groups, not as there are entries; a group is copied by the first
side that writes to it after a fork.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

G = TypeVar("G")
K = TypeVar("K")
V = TypeVar("V")

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class SharedGroups(Generic[G, K, V]):
    """Dicts by group. What `read` returns must not be changed; what `write` returns may be."""

    __slots__ = ("_own", "_shared")

    def __init__(self) -> None:
        self._own: dict[G, dict[K, V]] = {}
        self._shared: dict[G, dict[K, V]] = {}

    def read(self, group: G) -> Mapping[K, V]:
        """The dict of a group, empty when there is none."""
        own = self._own.get(group)
        return own if own is not None else self._shared.get(group, _NOTHING)

    def write(self, group: G) -> dict[K, V]:
        """The dict of a group for writing; made when there is none, copied when it is shared."""
        own = self._own.get(group)
        if own is None:
            own = self._own[group] = self._shared.get(group, {}).copy()
        return own

    def groups(self) -> Iterator[G]:
        """All groups that have entries, in no promised order."""
        for group, entries in self._own.items():
            if entries:
                yield group
        for group, entries in self._shared.items():
            if entries and group not in self._own:
                yield group

    def fork(self) -> SharedGroups[G, K, V]:
        """A copy; from now on both sides copy a group before they write to it."""
        self._shared = {**self._shared, **self._own}
        self._own = {}
        twin: SharedGroups[G, K, V] = SharedGroups()
        twin._shared = self._shared
        return twin
