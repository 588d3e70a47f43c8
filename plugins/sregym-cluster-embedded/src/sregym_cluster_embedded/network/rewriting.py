"""CoreDNS's plugin `rewrite`: questions that become other ones before anybody answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_regex import go

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.corefile import Plugin, ServerBlock
    from sregym_cluster_embedded.network.records import Question

_KINDS = ("exact", "prefix", "suffix", "substring", "regex")


class Rewritten(NamedTuple):
    """A question as it is answered, and the status that its answer gets instead of its own."""

    question: Question
    status: str = ""


def rewritten(server: ServerBlock, question: Question) -> Rewritten:
    """A question after the `rewrite` rules of its server; the first that fits counts.

    Rules that say `continue` let those after them change the question again.
    """
    for plugin in server.named("rewrite"):
        words, goes_on = _rule(plugin)
        if len(words) < 2:
            continue
        changed: Question | None = None
        if words[0] == "name":
            name = _renamed(words[1:], question.name)
            changed = question._replace(name=name) if name is not None else None
        elif words[0] == "type" and len(words) > 2 and question.kind == words[1].upper():
            changed = question._replace(kind=words[2].upper())
        elif words[0] == "rcode":
            status = _status(words[1:], question.name)
            if status:
                return Rewritten(question, status)
        if changed is not None:
            question = changed
            if not goes_on:
                break
    return Rewritten(question)


def _rule(plugin: Plugin) -> tuple[list[str], bool]:
    """The words of a rule, and whether further rules are looked at."""
    words = list(plugin.arguments)
    goes_on = bool(words) and words[0] == "continue"
    if words and words[0] in ("stop", "continue"):
        words = words[1:]
    if not words and plugin.block:
        words = list(plugin.block[0])
    return words, goes_on


def _renamed(words: list[str], name: str) -> str | None:
    kind = words[0] if words[0] in _KINDS else "exact"
    words = words[1:] if words[0] in _KINDS else words
    if len(words) < 2:
        return None
    before, after = words[0].lower(), words[1].lower()
    full = f"{name}."
    if kind == "regex":
        return _by_pattern(words[0], words[1], full)
    if kind == "exact":
        return after.rstrip(".") if name == before.rstrip(".") else None
    before = before if before.endswith(".") or kind != "suffix" else f"{before}."
    after = after if after.endswith(".") or kind != "suffix" else f"{after}."
    if kind == "suffix" and full.endswith(before):
        return (full[: -len(before)] + after).rstrip(".")
    if kind == "prefix" and full.startswith(before):
        return (after + full[len(before) :]).rstrip(".")
    if kind == "substring" and before in full:
        return full.replace(before, after).rstrip(".")
    return None


def _by_pattern(pattern: str, after: str, full: str) -> str | None:
    try:
        found = go.anywhere(pattern).search(full)
    except go.PatternError:
        return None
    if found is None:
        return None
    for number, group in enumerate(found.groups(), 1):
        after = after.replace(f"{{{number}}}", group or "")
    return after.rstrip(".").lower()


def _status(words: list[str], name: str) -> str:
    """`[name] FROM NXDOMAIN NOERROR` and its like: the status that replaces another."""
    words = [word for word in words if word not in _KINDS]
    if len(words) < 3 or words[0].rstrip(".").lower() not in (name, ""):
        return ""
    names = {"NOERROR": "nodata", "NXDOMAIN": "nxdomain", "SERVFAIL": "servfail"}
    return names.get(words[-1].upper(), "")
