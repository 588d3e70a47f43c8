"""Client libraries of protocols: their errors for a failed call."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.simulation.protocols import WireProtocol

# libyaml where it is there: ten times faster, same result.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def error_texts(library: str, protocol: WireProtocol) -> Mapping[str, str]:
    """Error texts of a library by kind of failure; ValueError where the protocol has none of that name."""
    known = _read(protocol.libraries) if protocol.libraries else {}
    if library not in known:
        there = ", ".join(sorted(known)) or "none"
        raise ValueError(
            f"there is no library {library!r} for protocol {protocol.name!r} (there are: {there})"
        )
    return known[library]


@lru_cache(maxsize=64)
def _read(place: str) -> Mapping[str, Mapping[str, str]]:
    package, _, file = place.partition(":")
    text = (files(package) / file).read_text(encoding="utf-8")
    return MappingProxyType(yaml.load(text, _LOADER))  # noqa: S506 - a safe loader, chosen above
