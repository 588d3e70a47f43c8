"""Filters of `ss`: states, addresses and ports, joined by `and`, `or` and `not`."""

from __future__ import annotations

import operator
import re
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.connections import ESTABLISHED, LISTEN, SYN_SENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_cluster_embedded.userland.connections import Ending, Socket

    Test = Callable[[Socket], bool]

_STATES = {
    "listening": LISTEN, "listen": LISTEN, "established": ESTABLISHED, "estab": ESTABLISHED,
    "syn-sent": SYN_SENT, "syn-recv": "SYN-RECV", "time-wait": "TIME-WAIT",
    "close-wait": "CLOSE-WAIT", "fin-wait-1": "FIN-WAIT-1", "fin-wait-2": "FIN-WAIT-2",
    "closed": "UNCONN", "closing": "CLOSING", "last-ack": "LAST-ACK",
}  # fmt: skip
_ALL = tuple(dict.fromkeys(_STATES.values()))
_GROUPS = {
    "all": _ALL,
    "connected": tuple(state for state in _ALL if state not in (LISTEN, "UNCONN")),
    "synchronized": tuple(s for s in _ALL if s not in (LISTEN, "UNCONN", SYN_SENT)),
    "bucket": ("SYN-RECV", "TIME-WAIT"),
    "big": tuple(state for state in _ALL if state not in ("SYN-RECV", "TIME-WAIT")),
}
_TOKEN = re.compile(r"[()]|[!<>=]=?|\|\|?|&&?|[^\s()=!<>|&]+")
_COMPARED = {
    **dict.fromkeys(("=", "==", "eq"), operator.eq),
    **dict.fromkeys(("!=", "ne", "neq"), operator.ne),
    **dict.fromkeys((">", "gt"), operator.gt), **dict.fromkeys(("<", "lt"), operator.lt),
    **dict.fromkeys((">=", "ge", "geq"), operator.ge),
    **dict.fromkeys(("<=", "le", "leq"), operator.le),
}  # fmt: skip


class FilterError(Exception):
    """What `ss` says of a filter; `usage` where it shows how it is called, too."""

    def __init__(self, text: str, code: int, *, usage: bool = False) -> None:
        super().__init__(text)
        self.text, self.code, self.usage = text, code, usage


def filtered(words: Sequence[str], letters: str) -> tuple[tuple[str, ...], Test]:
    """The states that are wanted, and what a socket has to meet.

    Args:
        words: The filter.
        letters: Options, which choose the states where the filter names none.

    Raises:
        WrongFilter: `ss` does not understand it.
    """
    tokens = _TOKEN.findall(" ".join(words))
    states: tuple[str, ...] = ()
    named = False
    while tokens[:1] in (["state"], ["exclude"]):
        verb, name = tokens[0], tokens[1] if len(tokens) > 1 else ""
        tokens = tokens[2:]
        group = _GROUPS.get(name) or ((_STATES[name],) if name in _STATES else ())
        if not group:
            raise FilterError(f"ss: wrong state name: {name}\n", 255)
        before = states if named else _ALL if verb == "exclude" else ()
        named = True
        chosen = {*before, *group} if verb == "state" else {*before} - {*group}
        states = tuple(state for state in _ALL if state in chosen)
    if not named:
        states = _GROUPS["connected"]
        if "a" in letters:
            states = _ALL
        elif "l" in letters:
            states = (LISTEN, "UNCONN")
        else:
            states = tuple(s for s in states if s not in ("TIME-WAIT", "SYN-RECV"))
    return states, _Parser(tokens).whole()


class _Parser:
    """Takes a filter apart: `or` binds less than `and`, which may be left out."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens, self._at = tokens, 0

    def whole(self) -> Test:
        if not self._tokens:
            return lambda _: True
        test = self._either()
        if self._at < len(self._tokens):
            raise _bad()
        return test

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _took(self, *words: str) -> bool:
        if self._next() in words:
            self._at += 1
            return True
        return False

    def _either(self) -> Test:
        tests = [self._both()]
        while self._took("or", "|", "||"):
            tests.append(self._both())
        return lambda one: any(test(one) for test in tests)

    def _both(self) -> Test:
        tests = [self._single()]
        while self._next() not in ("", ")", "or", "|", "||"):
            self._took("and", "&", "&&")
            tests.append(self._single())
        return lambda one: all(test(one) for test in tests)

    def _single(self) -> Test:
        if self._took("not", "!"):
            inner = self._single()
            return lambda one: not inner(one)
        if self._took("("):
            inner = self._either()
            if not self._took(")"):
                raise _bad()
            return inner
        what = self._next()
        if what not in ("src", "dst", "sport", "dport"):
            raise _bad()
        self._at += 1
        compare: Callable[[int, int], bool] = operator.eq
        if self._next() in _COMPARED:
            compare = _COMPARED[self._next()]
            self._at += 1
        value = self._next()
        self._at += 1
        test = _port(value, compare) if "port" in what else _place(value, compare)
        return lambda one: test(one.here if what.startswith("s") else one.there)


def _bad() -> FilterError:
    text = 'ss: bison bellows (while parsing filter): "syntax error!" Sorry.\n'
    return FilterError(text, 255, usage=True)


def _unreadable() -> FilterError:
    return FilterError("Cannot parse dst/src address.\n", 1)


def _port(value: str, compare: Callable[[int, int], bool]) -> Callable[[Ending], bool]:
    text = value.rpartition(":")[2]
    if not text.isdecimal():
        raise _unreadable()
    return lambda end: compare(end.port, int(text))


def _place(value: str, compare: Callable[[bool, bool], bool]) -> Callable[[Ending], bool]:
    """`ADDRESS`, `ADDRESS/LENGTH`, either with a port, or a port alone."""
    host, colon, port = value.rpartition(":") if value.count(":") in (1, 8) else (value, "", "")
    host = host.strip("[]").removeprefix("::ffff:")
    try:
        network = None if host in ("", "*") else ip_network(host, strict=False)
    except ValueError:
        raise _unreadable() from None
    if colon and not port.isdecimal() and port != "*":
        raise _unreadable()

    def meets(end: Ending) -> bool:
        if port.isdecimal() and end.port != int(port):
            return False
        return network is None or (bool(end.ip) and ip_address(end.ip) in network)

    return lambda end: compare(meets(end), True)
