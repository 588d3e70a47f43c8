"""Typed keys: under which layers offer services to each other, keep state, and what follows from it.

A key is the text under which something is kept; its type says what. A lower layer that needs a
higher one states a protocol and a key of it; the higher layer offers an object under that key.
Several layers may have keys of the same text, each with the part of the object that it needs: the
offering layer offers it under all of them, so that each of these types is checked.
"""

from __future__ import annotations

from typing import Generic, NewType, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

# The text of a service key. Only `ServiceKey.offer` makes entries under one.
ServiceName = NewType("ServiceName", str)


class ServiceKey(Generic[T]):
    """Under which a layer offers a `T`: `world.service(KEY)`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = ServiceName(name)

    def offer(self, service: T) -> dict[ServiceName, object]:
        """An entry of `Subsystem.rooms`, checked for its type."""
        return {self.name: service}


class CacheKey(str, Generic[T]):
    """Under which a layer keeps a `T` that it worked out: `world.cache.kept(KEY)`."""

    __slots__ = ()


class TableKey(str, Generic[K, V]):
    """Under which a table of state is kept, from `K` to `V`, both immutable: `world.table(KEY)`.

    It is a text itself, since tables are looked up very often.
    """

    __slots__ = ()
