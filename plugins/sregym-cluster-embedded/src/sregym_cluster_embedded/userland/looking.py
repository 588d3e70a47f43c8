"""How what depends on the state of a cluster is read, so that a reader can keep what it saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

T = TypeVar("T")


class Look:
    """Reads and keeps nothing: for whoever asks once."""

    __slots__ = ()

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`."""
        return function(world, *arguments)


ONCE = Look()
