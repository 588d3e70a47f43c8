"""Which official distribution brings which component: for hints on what to install."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def package_of(kind: str, name: str) -> str:
    """The official distribution that brings a component; empty where none does.

    Args:
        kind: As the registry calls it, or what extensions of the simulation add: `server kind`.
        name: Of the component.
    """
    return _packages().get(kind, {}).get(name, "")


@cache
def _packages() -> Mapping[str, Mapping[str, str]]:
    """What `packages.json` says, which the sources write from all that they offer."""
    found: dict[str, dict[str, str]] = json.loads(
        (files("sregym_core") / "packages.json").read_text(encoding="utf-8")
    )
    return found
