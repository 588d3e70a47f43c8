"""Services of a compose file that reach each other through ports of the machine they run on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_dev.importing.compose_values import ports_of
from sregym_dev.importing.object_checks import MISREAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_dev.importing.remarks import Remarks

_HOST = re.compile(r"(?<![\w.-])host\.docker\.internal:(\d{1,5})(?!\d)")


def reached_through_host(
    services: Mapping[str, dict[str, Any]], remarks: Remarks
) -> dict[str, dict[str, Any]]:
    """The services with names of each other where they name a published port of the machine."""
    published = dict(_published(services))
    found = {}
    for name, entry in services.items():
        named: dict[str, str] = {}

        def inside(match: re.Match[str], name: str = name, named: dict[str, str] = named) -> str:
            service, port = published.get(int(match[1]), ("", 0))
            if not service:
                return match[0]
            place = f"localhost:{port}" if service == name else f"{service}:{port}"
            return named.setdefault(match[0], place)

        found[name] = _replaced(entry, inside)
        for old, new in named.items():
            remarks.changed(f"service {name}", f"{old} is {new}: pods have no machine in common")
    return found


def _published(services: Mapping[str, dict[str, Any]]) -> Iterator[tuple[int, tuple[str, int]]]:
    """Port of the machine, service and port of its container; the first that publishes it counts."""
    seen: set[int] = set()
    for name, entry in services.items():
        for one in entry.get("ports") or ():
            try:
                ports = list(ports_of(one))
            except MISREAD:
                continue  # told where the service is read
            for port in ports:
                if port.published and port.published not in seen:
                    seen.add(port.published)
                    yield port.published, (name, port.container)


def _replaced(value: Any, inside: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, str):
        return _HOST.sub(inside, value)
    if isinstance(value, list):
        return [_replaced(one, inside) for one in value]
    if isinstance(value, dict):
        return {key: _replaced(one, inside) for key, one in value.items()}
    return value
