"""What a server answers with, and how it goes over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator


class Status(str):
    """A simple reply: OK, PONG."""

    __slots__ = ()


class Pairs(list[Any]):
    """Names and values in turn, which newer protocols know as a map."""


class BlockedCommand(Exception):
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


def requests(text: str) -> Iterator[list[str]]:
    """What a client asks for, as arrays of the protocol or as plain lines, one after the other.

    Raises:
        Refused: It is neither.
    """
    data, at = text.encode(errors="surrogateescape"), 0
    while at < len(data):
        line, at = _line(data, at)
        if not line.startswith("*"):
            words = split_line(line)
            if words is None:
                raise Refused("ERR Protocol error: unbalanced quotes in request")
        elif not line[1:].isdecimal():
            raise Refused("ERR Protocol error: invalid multibulk length")
        else:
            words = []
            for _ in range(int(line[1:])):
                size, at = _line(data, at)
                if not size.startswith("$"):
                    raise Refused(f"ERR Protocol error: expected '$', got '{size[:1] or ' '}'")
                length = int(size[1:]) if size[1:].isdecimal() else 0
                words.append(data[at : at + length].decode(errors="replace"))
                at += length
                at += 2 * data.startswith(b"\r\n", at)
        if words:
            yield words


def _line(data: bytes, at: int) -> tuple[str, int]:
    """The line that begins at a place, and where the next one does."""
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    return data[at:end].decode(errors="replace").rstrip("\r"), end + 1


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
