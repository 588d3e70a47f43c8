"""What stands in an awk program where it must not: said before the program begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.userland.shell.awk.parsing import Program

# How many arguments a function takes, at least and at most.
_COUNTS = {
    "substr": (2, 3), "index": (2, 2), "split": (2, 3), "match": (2, 2), "sub": (2, 3),
    "gsub": (2, 3), "length": (0, 1), "tolower": (1, 1), "toupper": (1, 1), "system": (1, 1),
    "close": (1, 1), "int": (1, 1), "sqrt": (1, 1), "exp": (1, 1), "log": (1, 1), "sin": (1, 1),
    "cos": (1, 1), "atan2": (2, 2), "rand": (0, 0), "srand": (0, 1), "sprintf": (1, 99),
}  # fmt: skip
# To mawk these are grammar; BusyBox lets more of the others be than there should be.
_GRAMMAR = ("split", "match", "sub", "gsub")
_LENIENT = ("substr", "split", "match", "sub", "gsub", "index", "sprintf")


class _Place(NamedTuple):
    """Where a statement stands."""

    loop: bool
    function: bool
    lines: bool


def misuse(program: Program, *, busybox: bool) -> str:
    """What is wrong with the program, as its flavour words it; empty when nothing is."""
    for rule in program.rules:
        lines = rule.pattern not in ("BEGIN", "END")
        for told in _wrong((rule.pattern, rule.action), _Place(False, False, lines), busybox):
            return told
    for function in program.functions.values():
        for told in _wrong(function.body, _Place(False, True, False), busybox):
            return told
    return ""


def _wrong(node: object, place: _Place, busybox: bool) -> Iterator[str]:
    if not isinstance(node, tuple) or not node:
        return
    kind = node[0]
    if kind in ("break", "continue") and len(node) == 2 and not place.loop:
        yield f"'{kind}' not in a loop" if busybox else f"{kind} statement outside of loop"
    if not busybox and kind in ("next", "nextfile") and len(node) == 2 and not place.lines:
        yield f"improper use of {kind}"
    if not busybox and kind == "return" and len(node) == 2 and not place.function:
        yield "return outside function body"
    if kind == "call" and len(node) == 3 and node[1] in _COUNTS:
        yield from _counted(node[1], len(node[2]), busybox)
    inside = place._replace(loop=True) if kind in ("while", "do", "for", "each") else place
    for part in node:
        yield from _wrong(part, inside, busybox)


def _counted(name: str, count: int, busybox: bool) -> Iterator[str]:
    least, most = _COUNTS[name]
    if least <= count <= most or (busybox and name == "sprintf"):
        return
    if not busybox:
        grammar = name in _GRAMMAR and count < least
        yield (
            "syntax error at or near )"
            if grammar
            else f"wrong number of arguments in call to {name}"
        )
    elif count < least:
        yield "Too few arguments"
    elif name not in _LENIENT:
        yield "Too many arguments"
