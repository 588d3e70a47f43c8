"""The keys of one database while a command works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import spend

from sregym_server_redis.data import Value
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"
NOT_INTEGER = "ERR value is not an integer or out of range"
NOT_FLOAT = "ERR value is not a valid float"
SYNTAX = "ERR syntax error"
NO_KEY = "ERR no such key"
_MOST, _LEAST = (1 << 63) - 1, -(1 << 63)


class Keys:
    """The keys of one database while a command works on them.

    Args:
        content: The keys; changed in place.
        now: Virtual second.
        epoch: Unix seconds at which virtual time began.
        version: Of the server.
    """

    def __init__(
        self, content: dict[str, Value], now: float, epoch: int = 0, version: str = "7.2.0"
    ) -> None:
        self.content = content
        self.now = now
        self.epoch = epoch
        self.version = tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))

    def get(self, key: str, kind: str) -> Any:
        """The content of a key; None when it is not there.

        Raises:
            Refused: It is of another kind.
        """
        value = self.content.get(key)
        if value is None:
            return None
        if value.kind != kind:
            raise Refused(WRONG_TYPE)
        return value.content

    def put(self, key: str, kind: str, content: Any) -> None:
        """Replace what stands under a key; it keeps its time, and goes when nothing is left."""
        old = self.content.get(key)
        # It is recreated as a whole.
        spend(len(content) >> 4 if isinstance(content, tuple | dict | frozenset | str) else 1)
        if not content and kind not in ("string", "stream"):
            self.content.pop(key, None)
        else:
            self.content[key] = Value(kind, content, old.expires_at if old is not None else None)


Handler: TypeAlias = "Callable[[Keys, list[str]], Any]"


def integer(text: str, refusal: str = NOT_INTEGER) -> int:
    """A whole number of 64 bits.

    Raises:
        Refused: It is none.
    """
    bare = text.removeprefix("-")
    if not bare.isascii() or not bare.isdecimal() or (len(bare) > 1 and bare[0] == "0"):
        raise Refused(refusal)
    found = int(text)
    if not _LEAST <= found <= _MOST:
        raise Refused(refusal)
    return found


def floating(text: str, refusal: str = NOT_FLOAT) -> float:
    """A number.

    Raises:
        Refused: It is none.
    """
    try:
        found = float(text)
    except ValueError:
        raise Refused(refusal) from None
    if found != found or text != text.strip() or "_" in text:
        raise Refused(refusal)
    return found


def part(items: list[Any], first: int, last: int) -> list[Any]:
    """From one place to another, both included; negative ones count from the end."""
    size = len(items)
    start = max(0, first + size if first < 0 else first)
    end = last + size if last < 0 else last
    return items[start : end + 1] if end >= start else []
