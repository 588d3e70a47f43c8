"""Finding resource types: by path, by kind, by name in the store.

Types defined at run time by CustomResourceDefinitions are found through
`sregym_cluster_embedded.api.custom`, which asks here first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.builtin import BUILT_IN
from sregym_cluster_embedded.api.resource import Resource, Subresource

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BUILT_IN",
    "Resource",
    "Subresource",
    "at_path",
    "group_versions",
    "named",
    "of_kind",
]

_BY_PATH = {(entry.group, entry.version, entry.plural): entry for entry in BUILT_IN}
_BY_KIND = {(entry.api_version, entry.kind): entry for entry in BUILT_IN}
# The preferred version, which stands first, is the one that objects are stored in.
_BY_NAME = {entry.name: entry for entry in reversed(BUILT_IN)}


def at_path(group: str, version: str, plural: str) -> Resource | None:
    """The built-in resource served at `/apis/GROUP/VERSION/PLURAL`, or None."""
    return _BY_PATH.get((group, version, plural))


def of_kind(api_version: str, kind: str) -> Resource | None:
    """The built-in resource whose objects carry this apiVersion and kind, or None."""
    return _BY_KIND.get((api_version, kind))


def named(name: str) -> Resource | None:
    """The built-in resource with this name in the store, in the version it is stored in."""
    return _BY_NAME.get(name)


def group_versions() -> Iterator[tuple[str, str]]:
    """All built-in (group, version) pairs, in the order of discovery."""
    return iter(dict.fromkeys((entry.group, entry.version) for entry in BUILT_IN))
