"""Reading a Corefile as far as it decides what the cluster DNS answers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Plugin(NamedTuple):
    """One line of a server block, with the lines of its own block."""

    name: str
    arguments: tuple[str, ...]
    block: tuple[tuple[str, ...], ...] = ()


class ServerBlock(NamedTuple):
    """One server: the zones that it answers for, and its plugins."""

    zones: tuple[str, ...]
    plugins: tuple[Plugin, ...]

    def named(self, name: str) -> list[Plugin]:
        """All uses of a plugin, in order."""
        return [plugin for plugin in self.plugins if plugin.name == name]


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[ServerBlock, ...]:
    """The server blocks of a Corefile; what cannot be read is left out.

    A Corefile that CoreDNS itself would refuse keeps it from starting; that is the process' affair.
    """
    servers: list[ServerBlock] = []
    zones: tuple[str, ...] = ()
    plugins: list[Plugin] = []
    block: list[tuple[str, ...]] = []
    depth = 0
    for line in text.splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0] == "}":
            depth = max(depth - 1, 0)
            if depth == 1 and plugins:
                plugins[-1] = plugins[-1]._replace(block=tuple(block))
                block = []
            elif depth == 0:
                servers.append(ServerBlock(zones, tuple(plugins)))
                plugins = []
            continue
        opens = words[-1] == "{"
        words = words[:-1] if opens else words
        if depth == 0:
            zones = tuple(_zone(word) for word in words)
        elif depth == 1:
            plugins.append(Plugin(words[0], tuple(words[1:])))
        else:
            block.append(tuple(words))
        depth += opens
    return tuple(servers)


def server_for(servers: tuple[ServerBlock, ...], name: str) -> ServerBlock | None:
    """The block with the longest zone that holds a name, or None."""
    best: tuple[int, ServerBlock] | None = None
    for server in servers:
        for zone in server.zones:
            if within(name, zone) and (best is None or len(zone) > best[0]):
                best = (len(zone), server)
    return best[1] if best is not None else None


def within(name: str, zone: str) -> bool:
    """Whether a name lies in a zone; all names lie in the root zone, the empty text."""
    return not zone or name == zone or name.endswith(f".{zone}")


def rewritten(server: ServerBlock, name: str) -> str:
    """A name after the block's `rewrite` rules; the first that fits counts."""
    for rule in server.named("rewrite"):
        words = [word for word in rule.arguments if word not in ("stop", "continue")]
        if not words or words[0] != "name":
            continue
        words = words[1:]
        kind = words[0] if words and words[0] in ("exact", "regex", "suffix", "prefix") else "exact"
        words = words[1:] if words and words[0] == kind else words
        if len(words) < 2:
            continue
        before, after = words[0].rstrip("."), words[1].rstrip(".")
        new = _substituted(kind, name, before, after)
        if new is not None:
            return new
    return name


def template_code(server: ServerBlock, name: str) -> str | None:
    """The rcode that a `template` of the block answers for a name, or None."""
    for plugin in server.named("template"):
        zones = [word.rstrip(".") for word in plugin.arguments[2:]] or [""]
        if not any(within(name, zone) for zone in zones):
            continue
        matches = [line[1] for line in plugin.block if line[0] == "match" and len(line) > 1]
        if matches and not any(_matches(pattern, f"{name}.") for pattern in matches):
            continue
        for line in plugin.block:
            if line[0] == "rcode" and len(line) > 1:
                return line[1]
    return None


def _substituted(kind: str, name: str, before: str, after: str) -> str | None:
    if kind == "exact" and name == before:
        return after
    if kind == "suffix" and name.endswith(before):
        return (name[: -len(before)] + after).rstrip(".")
    if kind == "prefix" and name.startswith(before):
        return after + name[len(before) :]
    if kind == "regex":
        try:
            found = re.search(before, name)
        except re.error:
            return None
        if found is not None:
            for number, group in enumerate(found.groups(), 1):
                after = after.replace(f"{{{number}}}", group or "")
            return after
    return None


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _zone(word: str) -> str:
    """`.:53` -> the root zone, `example.org:53` -> `example.org`."""
    return word.rpartition("://")[2].partition(":")[0].rstrip(".")
