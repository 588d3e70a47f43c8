"""Objects at times of the past, from the history of the store."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.store import ChangeType, Key, Object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_cluster_embedded.store import Change
    from sregym_cluster_embedded.world import World

_READING: CacheKey[_Reading] = CacheKey("telemetry.past")
# How many changes of a resource two forks may differ by so that one goes on from the other.
_BACK = 64


class Version(NamedTuple):
    """An object from a moment on.

    Attributes:
        since: Virtual second; minus infinity for what the history does not reach back to.
        obj: The object; None where there is none.
    """

    since: float
    obj: Object | None


class Lifeline(NamedTuple):
    """All that is known of the object at one key, oldest version first.

    Several objects of one name may have followed each other: look at their uids.
    """

    key: Key
    versions: tuple[Version, ...]

    def at(self, moment: float) -> Object | None:
        """The object at a virtual second, or None."""
        position = bisect_right(self.versions, moment, key=lambda version: version.since) - 1
        return self.versions[position].obj if position >= 0 else None

    def spans(self, end: float) -> Iterator[tuple[float, float, Object]]:
        """From when to when each version stood; the last one up to `end`."""
        for position, version in enumerate(self.versions):
            last = position + 1 == len(self.versions)
            until = end if last else min(end, self.versions[position + 1].since)
            if version.obj is not None and until > version.since:
                yield version.since, until, version.obj


class Past:
    """What was. Objects that have not changed have the same lifelines whenever they are asked for.

    Args:
        world: The world that is looked back on.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, resource: str) -> Sequence[Lifeline]:
        """The lifelines of all objects of a resource, sorted by namespace and name."""
        return self._read().of(resource).ordered

    def one(self, key: Key) -> Lifeline:
        """The lifeline of one object; without versions when there never was any."""
        return self._read().of(key.resource).lines.get(key, Lifeline(key, ()))

    @property
    def beginning(self) -> int:
        """The revision that the history reaches back to; lifelines are cut off before it."""
        return self._read().beginning

    def _read(self) -> _Reading:
        history = self._world.store.history
        beginning = history[0].revision if history else 0
        known = self._world.cache.kept(_READING)
        if known is None or known.beginning != beginning:
            known = self._world.cache.keep(_READING, _Reading(self._world, beginning))
        known.go_on()
        return known


class _Lines(NamedTuple):
    """The lifelines of one resource, and how many of its changes are in them."""

    lines: Mapping[Key, Lifeline]
    ordered: Sequence[Lifeline]
    seen: int


class _Read(NamedTuple):
    """The changes of each resource up to a revision; read-only."""

    last: int
    changes: Mapping[str, Sequence[Change]]


class _Reading:
    """The history of a store as far as it has been read."""

    def __init__(self, world: World, beginning: int) -> None:
        self.beginning = beginning
        # What is worked out belongs to its world: no reference back to it.
        self._store, self._findings = world.store, world.shared_cache
        self._last = 0
        self._changes: dict[str, Sequence[Change]] = {}
        # The resources whose changes no other fork looks at.
        self._own: dict[str, list[Change]] = {}
        self._lines: dict[str, _Lines] = {}

    def go_on(self) -> None:
        """Read what has been written since."""
        if self._last == self._store.revision:
            return
        history = self._store.history
        if self._last == 0:
            self._begin(history)
        begin = self._last
        first = bisect_right(history, begin, key=lambda change: change.revision)
        own = self._own
        for change in history[first:]:
            resource = change.key.resource
            if resource not in own:
                own[resource] = [*self._changes.get(resource, ())]
                self._changes[resource] = own[resource]
            own[resource].append(change)
        self._last = self._store.revision
        if begin == 0 and history:
            self._share(history[-1])

    def _begin(self, history: Sequence[Change]) -> None:
        """Go on from what another fork has read up to one of the last changes."""
        key = ("read", self.beginning)
        for change in history[: -_BACK - 1 : -1]:
            found: _Read | None = self._findings.known(key, (change,))
            if found is not None:
                self._last, self._changes = found.last, dict(found.changes)
                return

    def _share(self, last: Change) -> None:
        read = _Read(last.revision, dict(self._changes))
        self._findings.found(("read", self.beginning), (last,), lambda: read)
        self._own = {}

    def of(self, resource: str) -> _Lines:
        """The lifelines of a resource; those of forks that had the same changes are the same."""
        known = self._lines.get(resource)
        changes = self._changes.get(resource, ())
        if known is not None and known.seen == len(changes):
            return known
        # The last change stands for all that were before it.
        basis = changes[-1:] if changes else self._store.list(resource)
        key = ("lines", resource, self.beginning)
        found = self._findings.found(key, basis, partial(self._read, resource, changes, known))
        self._lines[resource] = found
        return found

    def _read(self, resource: str, changes: Sequence[Change], known: _Lines | None) -> _Lines:
        if known is None:
            known = self._read_by_others(resource, changes)
        lines = {} if known is None else dict(known.lines)
        lines.update(_lines_of(lines, islice(changes, 0 if known is None else known.seen, None)))
        if known is None:
            for obj in self._store.list(resource):
                metadata = obj["metadata"]
                key = Key(resource, metadata.get("namespace", ""), metadata["name"])
                if key not in lines:
                    lines[key] = Lifeline(key, (Version(float("-inf"), obj),))
        return _Lines(lines, tuple(lines[key] for key in sorted(lines)), len(changes))

    def _read_by_others(self, resource: str, changes: Sequence[Change]) -> _Lines | None:
        """What another fork has read up to one of the last changes."""
        for change in changes[: -_BACK - 1 : -1]:
            found: _Lines | None = self._findings.known(
                ("lines", resource, self.beginning), (change,)
            )
            if found is not None:
                return found
        return None


def _lines_of(
    lines: Mapping[Key, Lifeline], changes: Iterable[Change]
) -> Iterator[tuple[Key, Lifeline]]:
    """The lifelines that changes make longer."""
    versions: dict[Key, list[Version]] = {}
    for change in changes:
        found = versions.get(change.key)
        if found is None:
            line = lines.get(change.key)
            if line is not None:
                found = list(line.versions)
            else:
                before = change.old
                found = [] if before is None else [Version(float("-inf"), before)]
            versions[change.key] = found
        obj = None if change.type is ChangeType.DELETED else change.obj
        if found and found[-1].since == change.at:
            # Of several writes at one moment only the last lasted.
            found[-1] = Version(change.at, obj)
        else:
            found.append(Version(change.at, obj))
    return ((key, Lifeline(key, tuple(found))) for key, found in versions.items())
