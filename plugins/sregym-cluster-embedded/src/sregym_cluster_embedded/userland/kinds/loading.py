"""The kinds of servers of one world: found by name, imported when the first one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.simulation import Installed, bundled, installed
from sregym_core.errors import PluginLoadError

from sregym_cluster_embedded.userland.kinds.in_tree import IN_TREE
from sregym_cluster_embedded.userland.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.simulation import Reference, ServerKind

_OWN = "sregym-cluster-embedded"


def with_in_tree(known: Installed | None = None) -> Installed:
    """What is installed, or given, with what comes with the embedded cluster itself."""
    return (installed() if known is None else known).joined([bundled(_OWN, IN_TREE)])


class Kinds:
    """The behaviour of programs by their kind; behaviour is shared by all forks of a world.

    Args:
        known: The extensions of the world.
    """

    def __init__(self, known: Installed) -> None:
        self._known = known
        self._loaded: dict[str, Kind] = {}

    def of(self, name: str) -> Kind:
        """The behaviour of a kind.

        Raises:
            PluginLoadError: It cannot be imported, or is no `Kind`; names the distribution.
        """
        kind = self._loaded.get(name)
        if kind is None:
            described = self._known.kinds[name]
            behaviour = self.load(described, described.behaviour)
            if not (isinstance(behaviour, type) and issubclass(behaviour, Kind)):
                owner = self._known.owner("server kind", name)
                message = (
                    f"server kind {name!r} of {owner} has the behaviour {described.behaviour}, "
                    "which is no subclass of sregym_cluster_embedded.sdk.servers.Kind"
                )
                raise PluginLoadError(message)
            kind = self._loaded[name] = behaviour()
        return kind

    def described(self, name: str) -> ServerKind:
        """What is said of a kind where it is registered."""
        return self._known.kinds[name]

    def every(self) -> Iterator[ServerKind]:
        """All kinds, sorted by name."""
        for name in sorted(self._known.kinds):
            yield self._known.kinds[name]

    def load(self, described: ServerKind, reference: Reference) -> Any:
        """What one of the references of a kind leads to."""
        return self._known.load("server kind", described.name, reference)
