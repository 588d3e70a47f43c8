"""The command lines of the servers: `--name=value`, `--name value`, `-P 4000`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.servers import parse_words

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process


def flag(process: Process, name: str, default: str = "") -> str:
    """The value of a flag as the process was started."""
    flags, _ = parse_words(process.argv[1:], {})
    return flags.get(name) or default


def port_of(process: Process, address: str, default: str) -> int:
    """The port of a listening address (`0.0.0.0:20160`, `http://0.0.0.0:2379`), or that of the program."""
    _, _, port = address.rpartition(":")
    return int(port) if port.isdecimal() else int(expand(default, process.facts()))
