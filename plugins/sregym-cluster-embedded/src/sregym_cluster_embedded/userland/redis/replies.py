"""What a server answers with, and how it goes over the wire."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.userland.redis.vocabulary import Refused


class Status(str):
    """A simple reply: OK, PONG."""

    __slots__ = ()


class Pairs(list[Any]):
    """Names and values in turn, which newer protocols know as a map."""


class Held(Exception):
    """A command that is not answered at once.

    Attributes:
        first: Replies that come at once.
        seconds: After how many seconds the last one comes; None when the server goes on for ever.
        last: That one.
    """

    def __init__(self, first: list[Any], seconds: float | None, last: Any = None) -> None:
        super().__init__("held")
        self.first = first
        self.seconds = seconds
        self.last = last


def number(value: float) -> str:
    """A number as it is stored and shown: whole ones without a point."""
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e17 else repr(value)


def encoded(reply: Any) -> str:
    """A reply as it goes over the wire."""
    if isinstance(reply, Refused):
        return f"-{reply}\r\n"
    if isinstance(reply, int):
        return f":{reply}\r\n"
    if reply is None:
        return "$-1\r\n"
    if isinstance(reply, list):
        return f"*{len(reply)}\r\n" + "".join(map(encoded, reply))
    if isinstance(reply, Status):
        return f"+{reply}\r\n"
    return f"${len(reply.encode())}\r\n{reply}\r\n"


def requests(text: str) -> list[list[str]]:
    """What a client asks for, as arrays of the protocol or as plain lines.

    Raises:
        Refused: It is neither.
    """
    found: list[list[str]] = []
    rest = text
    while rest:
        line, _, rest = rest.partition("\n")
        line = line.rstrip("\r")
        if not line.startswith("*"):
            words = split_line(line)
            if words is None:
                raise Refused("ERR Protocol error: unbalanced quotes in request")
            found.extend([words] if words else [])
            continue
        if not line[1:].isdecimal():
            raise Refused("ERR Protocol error: invalid multibulk length")
        parts = []
        for _ in range(int(line[1:])):
            size, _, rest = rest.partition("\n")
            if not size.startswith("$"):
                raise Refused(f"ERR Protocol error: expected '$', got '{size[:1] or ' '}'")
            length = int(size[1:].rstrip("\r")) if size[1:].rstrip("\r").isdecimal() else 0
            part = rest.encode()[:length].decode(errors="replace")
            rest = rest.encode()[length:].decode(errors="replace").removeprefix("\r\n")
            parts.append(part)
        found.append(parts)
    return found


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "a": "\a"}


def split_line(line: str) -> list[str] | None:
    """The words of a plain line; None when its quotes do not fit."""
    words: list[str] = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
            continue
        word, place = _word(line, place)
        if word is None:
            return None
        words.append(word)
    return words


def _word(line: str, place: int) -> tuple[str | None, int]:
    word = ""
    while place < len(line) and not line[place].isspace():
        quote = line[place]
        if quote not in "\"'":
            word += quote
            place += 1
            continue
        place += 1
        while place < len(line) and line[place] != quote:
            if line[place] == "\\" and place + 1 < len(line):
                place += 1
                following = line[place]
                plain = quote == "'" and following != "'"
                word += f"\\{following}" if plain else _ESCAPES.get(following, following)
            else:
                word += line[place]
            place += 1
        if place >= len(line) or (place + 1 < len(line) and not line[place + 1].isspace()):
            return None, place
        place += 1
    return word, place
