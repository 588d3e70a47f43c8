"""Which server block answers a request, and which of its locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_server_nginx.loading import Loaded, Server, compiled

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import WebRequest

    from sregym_server_nginx.configuration import Directive


def server_for(loaded: Loaded, request: WebRequest) -> Server | None:
    """The server of the port whose name is the host: exact, `*.x`, `x.*`, pattern, or the default."""
    there = [
        server
        for server in loaded.servers
        if any(listen.port == request.port for listen in server.listens)
    ]
    if not there:
        return None
    host = request.host.lower().rstrip(".")
    for fits in (_exactly, _ends, _begins, _matches):
        for server in there:
            if any(fits(name, host) for name in server.names):
                return server
    defaults = [
        server
        for server in there
        if any(listen.default and listen.port == request.port for listen in server.listens)
    ]
    return (defaults or there)[0]


def _exactly(name: str, host: str) -> bool:
    return name.lower() == host or (name.startswith(".") and name[1:].lower() == host)


def _ends(name: str, host: str) -> bool:
    suffix = name[1:] if name.startswith("*.") else name if name.startswith(".") else ""
    return bool(suffix) and host.endswith(suffix.lower())


def _begins(name: str, host: str) -> bool:
    return name.endswith(".*") and host.startswith(name[:-1].lower())


def _matches(name: str, host: str) -> bool:
    return name.startswith("~") and compiled(name[1:]).search(host) is not None


def locate(block: Directive, uri: str, captures: dict[str, str]) -> list[Directive]:
    """The location of a path, behind it those nested in it; what its pattern catches is noted."""
    locations = [entry for entry in block.all("location") if not entry.words[0].startswith("@")]
    best: Directive | None = None
    for entry in locations:
        sign, text = entry.words if len(entry.words) == 2 else ("", entry.words[0])
        if sign == "=" and text == uri:
            return [entry]
        longer = best is None or len(text) > len(best.words[-1])
        if sign in ("", "^~") and uri.startswith(text) and longer:
            best = entry
    inner = locate(best, uri, captures) if best is not None else []
    if inner:
        return [best, *inner] if best is not None else inner
    if best is None or best.words[0] != "^~":
        for entry in locations:
            found = _caught(entry, uri, captures)
            if found:
                return [entry, *locate(entry, uri, captures)]
    return [best] if best is not None else []


def named(block: Directive, name: str) -> Directive | None:
    """The location `@name` of a server."""
    return next((entry for entry in block.all("location") if entry.words[0] == name), None)


def _caught(entry: Directive, uri: str, captures: dict[str, str]) -> bool:
    if entry.words[0] not in ("~", "~*") or len(entry.words) != 2:
        return False
    match = compiled(entry.words[1], any_case=entry.words[0] == "~*").search(uri)
    if match is None:
        return False
    captures.update({str(number): text or "" for number, text in enumerate(match.groups(), 1)})
    captures.update({name: text or "" for name, text in match.groupdict().items()})
    return True
