"""Replies as redis-cli writes them: raw, for people, as CSV and as JSON."""

from __future__ import annotations

import json
from typing import Any

from sregym_server_redis.replies import Pairs, Status
from sregym_server_redis.vocabulary import Refused

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\a": "\\a", "\b": "\\b"}  # fmt: skip


def quoted(text: str) -> str:
    """A text between quotes; what cannot be printed as its bytes."""
    found = ""
    for byte in text.encode():
        char = chr(byte)
        plain = char if 32 <= byte < 127 else f"\\x{byte:02x}"
        found += _ESCAPES.get(char, plain)
    return f'"{found}"'


def raw(reply: Any, protocol: int = 2) -> str:
    """A reply as it is written where no terminal is."""
    if isinstance(reply, Pairs) and protocol == 3:
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return "\n".join(f"{raw(name, 3)} {raw(value, 3)}" for name, value in pairs)
    if isinstance(reply, list):
        return "\n".join(raw(part, protocol) for part in reply)
    if isinstance(reply, Refused):
        return f"{reply}\n"
    return "" if reply is None else str(reply)


def formatted(reply: Any, protocol: int = 2, indent: str = "") -> str:
    """A reply as people see it at a terminal."""
    if isinstance(reply, Pairs) and protocol == 3:
        return _mapped(reply, indent)
    if isinstance(reply, list):
        return _listed(reply, protocol, indent)
    if isinstance(reply, Refused):
        return f"(error) {reply}\n"
    if reply is None:
        return "(nil)\n"
    if isinstance(reply, int):
        return f"(integer) {reply}\n"
    return f"{reply}\n" if isinstance(reply, Status) else f"{quoted(reply)}\n"


def _listed(reply: list[Any], protocol: int, indent: str) -> str:
    if not reply:
        return "(empty array)\n"
    wide = len(str(len(reply)))
    inner = indent + " " * (wide + 2)
    found = ""
    for place, part in enumerate(reply, start=1):
        found += f"{indent if place > 1 else ''}{place:>{wide}}) {formatted(part, protocol, inner)}"
    return found


def _mapped(reply: Pairs, indent: str) -> str:
    pairs = list(zip(reply[::2], reply[1::2], strict=True))
    if not pairs:
        return "(empty hash)\n"
    wide = len(str(len(pairs)))
    inner = indent + " " * (wide + 2)
    found = ""
    for place, (name, value) in enumerate(pairs, start=1):
        head = f"{indent if place > 1 else ''}{place:>{wide}}# "
        found += f"{head}{formatted(name, 3).rstrip()} => {formatted(value, 3, inner)}"
    return found


def comma_separated(reply: Any) -> str:
    """A reply as CSV."""
    if isinstance(reply, list):
        return ",".join(map(comma_separated, reply))
    if isinstance(reply, Refused):
        return f"ERROR,{quoted(str(reply))}"
    if reply is None:
        return "NULL"
    return str(reply) if isinstance(reply, int) else quoted(reply)


def as_json(reply: Any) -> str:
    """A reply as JSON."""
    if isinstance(reply, Pairs):
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return "{" + ",".join(f"{as_json(str(n))}:{as_json(v)}" for n, v in pairs) + "}"
    if isinstance(reply, list):
        return "[" + ",".join(map(as_json, reply)) + "]"
    if isinstance(reply, Refused):
        return f"error:{json.dumps(str(reply), ensure_ascii=False)}"
    return json.dumps(reply, ensure_ascii=False)
