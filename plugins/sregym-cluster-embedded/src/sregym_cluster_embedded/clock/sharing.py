"""Groups of dicts that forks share until one of them writes.

A fork costs as much as there are groups, not as there are entries; a group is copied by the first
side that writes to it after a fork.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

G = TypeVar("G")
K = TypeVar("K")
V = TypeVar("V")

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class SharedGroups(Generic[G, K, V]):
    """Dicts by group.

    Attributes:
        read: The dict of a group, empty when there is none; it must not be changed.
        write: The dict of a group for writing; made when there is none, copied when it is shared.
    """

    __slots__ = ("_all", "_own", "read", "write")

    def __init__(self) -> None:
        self._all: _All[G, K, V] = _All()
        self._own: _Own[G, K, V] = _Own(self._all)
        # Look-ups of a dict instead of methods: they are asked for more often than anything else.
        self.read: Callable[[G], Mapping[K, V]] = self._all.__getitem__
        self.write: Callable[[G], dict[K, V]] = self._own.__getitem__

    def groups(self) -> Iterator[G]:
        """All groups that have entries, in no promised order."""
        return (group for group, entries in self._all.items() if entries)

    def fork(self) -> SharedGroups[G, K, V]:
        """A copy; from now on both sides copy a group before they write to it."""
        self._own.clear()
        twin: SharedGroups[G, K, V] = SharedGroups()
        twin._all.update(self._all)
        return twin


class _All(dict[G, "Mapping[K, V]"], Generic[G, K, V]):
    """The dicts of all groups, shared or not."""

    def __missing__(self, group: G) -> Mapping[K, V]:
        return _NOTHING


class _Own(dict[G, dict[K, V]], Generic[G, K, V]):
    """The dicts of the groups that no other side sees."""

    def __init__(self, everything: _All[G, K, V]) -> None:
        super().__init__()
        self._everything = everything

    def __missing__(self, group: G) -> dict[K, V]:
        own = self[group] = self._everything[group] = dict(self._everything[group])
        return own
