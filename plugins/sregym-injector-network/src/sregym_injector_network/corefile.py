"""A Corefile as far as faults need it: rules that are put in, and what stands in a name's way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_core.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DOMAIN = "cluster.local"
# As kubeadm and what is built on it install it: what reference fixes bring back.
STANDARD = """\
.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
"""
_ZONE_LINE = re.compile(r"^([ \t]*)kubernetes[ \t]+(\S+)", re.MULTILINE)


class Directive(NamedTuple):
    """One plugin of a server block: its words, and the lines of its own block."""

    words: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


def with_rule(text: str, rule: Sequence[str]) -> str:
    """The Corefile with a rule before the plugin that serves the cluster's own names.

    Raises:
        WorldError: It serves none.
    """
    found = _zone_line(text)
    indented = "".join(f"{found.group(1)}{line}\n" for line in rule)
    return f"{text[: found.start()]}{indented}{text[found.start() :]}"


def with_domain(text: str, domain: str) -> str:
    """The Corefile with another zone for the cluster's own names."""
    found = _zone_line(text)
    return f"{text[: found.start(2)]}{domain}{text[found.end(2) :]}"


def _zone_line(text: str) -> re.Match[str]:
    found = _ZONE_LINE.search(text)
    if found is None:
        raise WorldError(
            "the Corefile of the cluster DNS has no line 'kubernetes ZONE', before which a rule "
            "could stand; faults in the cluster DNS need a CoreDNS that serves the cluster's names"
        )
    return found


def directives(text: str) -> list[str]:
    """Names of the plugins that a Corefile uses, in order."""
    return [directive.words[0] for directive in _directives(text)]


def obstacles(text: str, name: str) -> list[str]:
    """What in a Corefile keeps a name of the cluster from its true answer, one phrase each."""
    found, served = [], False
    for directive in _directives(text):
        kind, *rest = directive.words
        if kind == "template" and any(_within(name, zone) for zone in rest[2:] or ["."]):
            found.append(f"a template answers for {name}")
        if kind == "hosts" and any(name in line[1:] for line in directive.lines):
            found.append(f"a hosts entry answers for {name}")
        if kind == "rewrite" and name in rest:
            found.append(f"a rewrite changes {name}")
        served = served or (kind == "kubernetes" and any(_within(name, zone) for zone in rest))
    return found if served else [*found, f"no plugin kubernetes serves {name}"]


def _within(name: str, zone: str) -> bool:
    zone = zone.rstrip(".")
    return not zone or name == zone or name.endswith(f".{zone}")


def _directives(text: str) -> Iterator[Directive]:
    """The plugins of all server blocks, in order."""
    depth, head, lines = 0, (), []  # type: int, tuple[str, ...], list[tuple[str, ...]]
    for raw in text.splitlines():
        words = tuple(raw.partition("#")[0].split())
        if not words:
            continue
        if words == ("}",):
            depth -= 1
            if depth == 1:
                yield Directive(head, tuple(lines))
            continue
        opens = words[-1] == "{"
        if depth == 1 and not opens:
            yield Directive(words, ())
        elif depth == 1:
            head, lines = words[:-1], []
        elif depth > 1:
            lines.append(words)
        depth += opens
