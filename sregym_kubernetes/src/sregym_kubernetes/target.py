"""What a request to the Kubernetes API is about, read from its path."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote


@dataclass(frozen=True)
class Target:
    """The object or collection of a request; empty strings for what a path does not name.

    Attributes:
        path: Decoded path, without the query.
        group: API group, `` for the core.
        resource: Plural name, `pods`.
        namespace: Where.
        name: Of one object; empty for collections.
        subresource: `log`, `exec`, `status` ...
        watch: Whether changes are followed.
        query: Parameters in order.
    """

    path: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch: bool = False
    query: tuple[tuple[str, str], ...] = ()

    @property
    def qualified(self) -> str:
        """The resource with its group, as error texts have it."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


def target_of(raw: str) -> Target:
    """Read the target of a request line."""
    path, _, text = raw.partition("?")
    return target_at(unquote(path), tuple(parse_qsl(text, keep_blank_values=True)))


def target_at(path: str, query: tuple[tuple[str, str], ...] = ()) -> Target:
    """Read the target of a decoded path and its query."""
    words = [word for word in path.split("/") if word]
    watch = any(name == "watch" and value not in ("false", "0") for name, value in query)
    if words[:1] == ["api"] and len(words) > 2:
        group, rest = "", words[2:]
    elif words[:1] == ["apis"] and len(words) > 3:
        group, rest = words[1], words[3:]
    else:
        return Target(
            path, group=words[1] if words[:1] == ["apis"] and len(words) > 1 else "", query=query
        )
    if rest[:1] == ["watch"]:
        watch, rest = True, rest[1:]
    namespace = ""
    if rest[:1] == ["namespaces"] and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource, name, subresource = (*rest[:2], *[""] * (2 - len(rest[:2])), "/".join(rest[2:]))
    return Target(path, group, resource, namespace, name, subresource, watch, query)
