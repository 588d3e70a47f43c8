"""What forks share: groups of dicts until one of them writes, and what was worked out, for ever.

A fork costs as much as there are groups, not as there are entries; a group is copied by the first
side that writes to it after a fork.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

T = TypeVar("T")
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

    def written(self) -> Iterator[G]:
        """The groups that were written to since this was forked, or a fork of it was made."""
        return iter(self._own)

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


class SharedCache:
    """What was worked out from immutable objects; found again by these very objects.

    All forks of a world share one: what is the same in them is worked out once.

    Args:
        most: How many findings are kept; with one more, all are forgotten.
    """

    __slots__ = ("_known", "_most")

    def __init__(self, most: int = 20_000) -> None:
        self._known: dict[object, tuple[Sequence[object], Any]] = {}
        self._most = most

    def known(self, key: object, basis: Sequence[object]) -> Any:
        """What was worked out under a key from a basis; None when nothing was."""
        entry = self._known.get((key, *map(id, basis)))
        return None if entry is None else entry[1]

    def found(self, key: object, basis: Sequence[object], work_out: Callable[[], T]) -> T:
        """What `work_out` gives; it may depend on nothing but the key and the basis.

        What it gives must know of no world: it outlives the fork that asked first.
        """
        place = (key, *map(id, basis))
        entry = self._known.get(place)
        if entry is None:
            entry = (basis, work_out())
            if len(self._known) >= self._most:
                self._known.clear()
            # As long as the basis is kept no other object has the identity of one of it.
            self._known[place] = entry
        found: T = entry[1]
        return found
