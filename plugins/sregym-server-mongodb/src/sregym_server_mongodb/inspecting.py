"""Values as mongosh prints them: the notation of Node.js."""

from __future__ import annotations

import re
from typing import Any

from sregym_server_mongodb.javascript import Host, text_of
from sregym_server_mongodb.printing import Raw
from sregym_server_mongodb.script import UNDEFINED

# Width of a line, levels that may stand on one line, members of an array that do not.
_WIDTH, _LEVELS, _MANY = 80, 3, 6
# Documents that a cursor shows at once.
_BATCH = 20
_CALL = re.compile(r'(\w+)\("([^"]*)"\)')
_BARE = re.compile(r"[A-Za-z_$][\w$]*")


def inspected(value: Any) -> str:
    """The value of a statement as mongosh echoes it; empty for none."""
    if value is UNDEFINED:
        return ""
    if isinstance(value, Host):
        documents = getattr(value, "documents", None)
        if documents is None:
            return str(value)
        if not documents:
            return "\n"
        more = 'Type "it" for more\n' if len(documents) > _BATCH else ""
        return f"{_shown(documents[:_BATCH], 0)[0]}\n{more}"
    if isinstance(value, str) and not isinstance(value, Raw):
        return f"{value}\n"
    return f"{_shown(value, 0)[0]}\n"


def _shown(value: Any, indent: int) -> tuple[str, int]:
    """The text of a value, and how many levels are in it."""
    if isinstance(value, Raw):
        text = str(value).replace("NumberLong(", "Long(")
        text = _CALL.sub(r"\1('\2')", text)
        return re.sub(r"Long\((-?\d+)\)", r"Long('\1')", text), 0
    if isinstance(value, str):
        quote = "'" if "'" not in value else '"' if '"' not in value else "`"
        return f"{quote}{value}{quote}".replace("\n", "\\n"), 0
    if isinstance(value, dict):
        return _braced("{}", value, indent)
    if isinstance(value, list | tuple):
        return _braced("[]", value, indent)
    return text_of(value), 0


def _braced(braces: str, value: Any, indent: int) -> tuple[str, int]:
    if not value:
        return braces, 1
    parts, deepest = [], 0
    for name in value:
        if braces == "{}":
            text, levels = _shown(value[name], indent + 2)
            key = name if _BARE.fullmatch(name) else f"'{name}'"
            parts.append(f"{key}: {text}")
        else:
            text, levels = _shown(name, indent + 2)
            parts.append(text)
        deepest = levels
    long_list = braces == "[]" and len(parts) > _MANY
    start = len(parts) + indent + len(braces[0]) + 10
    fits = sum(map(len, parts)) + len(parts) + start <= _WIDTH
    if deepest < _LEVELS and fits and not long_list and not any("\n" in part for part in parts):
        return f"{braces[0]} {', '.join(parts)} {braces[1]}", deepest + 1
    pad = " " * indent
    inner = f",\n{pad}  ".join(parts)
    return f"{braces[0]}\n{pad}  {inner}\n{pad}{braces[1]}", deepest + 1
