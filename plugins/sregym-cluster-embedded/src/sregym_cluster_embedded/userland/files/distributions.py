"""What images of a distribution have in common: the data in `distributions.yaml`, made once."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from sregym_cluster_embedded.userland.toolsets import flavour_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FILE = "distributions.yaml"
# What an image with commands of a kind is made from unless it says so.
_USUAL = {"debian": "debian-12", "alpine": "alpine-3.20", "busybox": "busybox"}


class Release(NamedTuple):
    """The base of some images; immutable.

    Attributes:
        files: Absolute path -> content.
        private: Those of them that only root reads.
        folders: Folders besides.
    """

    files: Mapping[str, str]
    private: frozenset[str]
    folders: tuple[str, ...]


_NOTHING = Release({}, frozenset(), ())


def release_of(distribution: str, tools: Sequence[str]) -> Release:
    """The base of an image: what it says itself, else the usual one of its commands.

    Raises:
        KeyError: There is no such distribution.
    """
    if distribution:
        return release(distribution)
    flavour = "busybox" if "busybox" in tools else flavour_of(tools)
    return release(_USUAL[flavour]) if flavour in _USUAL else _NOTHING


def distributions() -> tuple[str, ...]:
    """The names that images may give."""
    return tuple(_known()["releases"])


@cache
def release(name: str) -> Release:
    """The base of a name.

    Raises:
        KeyError: There is no such distribution.
    """
    values = {key: str(value) for key, value in _known()["releases"][name].items()}
    files: dict[str, str | None] = {}
    private: dict[str, str] = {}
    folders: tuple[str, ...] = ()
    for family in _above(values["family"]):
        files.update(family.get("files", {}))
        private.update(family.get("private", {}))
        folders += tuple(family.get("folders", ()))
    texts = {path: text for path, text in (files | private).items() if text is not None}
    made = {path: Template(text).substitute(values) for path, text in texts.items()}
    return Release(made, frozenset(private), folders)


def _above(name: str) -> list[dict[str, Any]]:
    """A family with those that it is like, the first one first."""
    family = _known()["families"][name]
    return [*(_above(family["like"]) if "like" in family else ()), family]


@cache
def _known() -> dict[str, Any]:
    text = (resources.files("sregym_cluster_embedded.userland") / _FILE).read_text("utf-8")
    found: dict[str, Any] = yaml.load(text, _LOADER)  # noqa: S506 - a safe loader, chosen above
    return found
