"""Names in a service model that extensions of the simulation give a meaning to."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from sregym_apps.simulation import Installed, WireProtocol, installed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationInfo

# As `difflib` counts it: a mistyped name, not another word with letters in common.
_CLOSE = 0.75
# How programs write lines without an extension, see `Log`.
GENERIC_FORMATS = (
    "plain",
    "zerolog-console",
    "zerolog-json",
    "go-log",
    "json",
    "logfmt",
    "nginx",
    "log4j",
    "spring-boot",
    "klog",
    "zap",
    "haproxy",
    "envoy",
    "boost",
    "slog",
    "pino",
    "dotnet",
    "monolog",
    "env-logger",
    "python",
)


def installed_in(info: ValidationInfo) -> Installed:
    """What a model is read with: given to the reader, or what is installed."""
    known = (info.context or {}).get("installed")
    return known if isinstance(known, Installed) else installed()


def wire_protocol(name: str, known: Installed) -> WireProtocol:
    """The protocol of that name; ValueError where no extension registers it."""
    found = known.protocols.get(name)
    if found is None:
        raise ValueError(unknown("protocol", name, known.protocols, known))
    return found


def log_format(name: str, known: Installed) -> str:
    """The name itself; ValueError where no extension registers such a format."""
    formats = (*GENERIC_FORMATS, *known.log_formats)
    if name not in formats:
        raise ValueError(unknown("log format", name, formats, known))
    return name


def unknown(what: str, name: str, there: Iterable[str], known: Installed) -> str:
    """The message for an unknown name: the nearest, all, and what to install."""
    names = sorted(there)
    close = difflib.get_close_matches(name, names, 1, _CLOSE)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    advice = known.missing(what, name)
    tail = f"; {advice}" if advice and not close else ""
    noun = "kind" if what == "server kind" else what
    return f"there is no {noun} {name!r} (there are: {', '.join(names)}){hint}{tail}"
