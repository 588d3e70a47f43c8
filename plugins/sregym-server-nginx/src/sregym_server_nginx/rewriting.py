"""return, rewrite, set and if: what changes a request before it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import pages

from sregym_server_nginx.loading import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.sdk.servers import Files

    from sregym_server_nginx.configuration import Directive
    from sregym_server_nginx.scope import Scope

_CLOSED = 444


class Rewritten(NamedTuple):
    """What came of it.

    Attributes:
        status: The code that ends the request; 0 when it goes on.
        text: The body, or the place to which a client is sent.
        again: Whether its location has to be found anew.
        inside: The block `if` in which it goes on.
    """

    status: int = 0
    text: str = ""
    again: bool = False
    inside: Directive | None = None

    @property
    def closed(self) -> bool:
        """Whether the connection is closed without an answer."""
        return self.status == _CLOSED


def rewritten(scope: Scope, entries: Iterable[Directive], files: Files) -> Rewritten:
    """Go through the directives of a block that change a request, in their order."""
    inside: Directive | None = None
    for entry in entries:
        if entry.name == "break":
            break
        if entry.name == "set":
            scope.variables[entry.words[0].lstrip("$")] = scope.fill(entry.words[1])
        elif entry.name == "return":
            return _returned(scope, entry.words)
        elif entry.name == "rewrite":
            found = _rewrite(scope, entry.words)
            if found is not None and (found.status or found.again):
                return found
            if found is not None:
                break
        elif entry.name == "if" and _true(scope, entry.words, files):
            found = rewritten(scope, entry.block, files)
            if found.status or found.again:
                return found
            inside = entry
    return Rewritten(inside=inside)


def _returned(scope: Scope, words: tuple[str, ...]) -> Rewritten:
    if not words[0].isdecimal():
        return Rewritten(302, scope.fill(words[0]))
    return Rewritten(int(words[0]), scope.fill(words[1]) if len(words) > 1 else "")


def _rewrite(scope: Scope, words: tuple[str, ...]) -> Rewritten | None:
    """None: it does not concern this path."""
    match = compiled(words[0]).search(scope.uri)
    if match is None:
        return None
    scope.variables.update({str(n): text or "" for n, text in enumerate(match.groups(), 1)})
    target, flag = scope.fill(words[1]), words[2] if len(words) > 2 else ""
    query = scope.variables["args"]
    if query and not words[1].endswith("?"):
        target += ("&" if "?" in target else "?") + query
    target = target.removesuffix("?")
    if flag in ("redirect", "permanent") or target.startswith(("http://", "https://")):
        return Rewritten(301 if flag == "permanent" else 302, target)
    scope.go_to(target)
    return Rewritten(again=flag != "break")


def is_redirect(status: int) -> bool:
    """Whether the text of a `return` is a place."""
    return status in pages.REDIRECTS


def _true(scope: Scope, words: tuple[str, ...], files: Files) -> bool:
    """The condition of an `if`, with the brackets around it."""
    text = " ".join(words).strip()
    parts = text[1:-1].strip().split(None, 2)
    if parts[0] in ("-f", "!-f", "-d", "!-d", "-e", "!-e", "-x", "!-x"):
        path = scope.fill(parts[1])
        there = files.stat(path) is not None
        if parts[0].endswith("d"):
            there = files.is_folder(path)
        elif parts[0].endswith("f"):
            there = there and not files.is_folder(path)
        return there != parts[0].startswith("!")
    value = scope.fill(parts[0])
    if len(parts) == 1:
        return value not in ("", "0")
    sign, wanted = parts[1], scope.fill(parts[2]) if len(parts) > 2 else ""
    if sign in ("=", "!="):
        return (value == wanted.strip("\"'")) == (sign == "=")
    pattern = parts[2].strip("\"'") if len(parts) > 2 else ""
    match = compiled(pattern, any_case=sign.endswith("*")).search(value)
    if match is not None:
        scope.variables.update({str(n): found or "" for n, found in enumerate(match.groups(), 1)})
    return (match is not None) != sign.startswith("!")
