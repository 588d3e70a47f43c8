"""Values as the mongo shell prints them."""

from __future__ import annotations

import json
from typing import Any

from sregym_server_mongodb.javascript import Host, text_of
from sregym_server_mongodb.script import UNDEFINED


class Raw(str):
    """A text that is printed bare inside a document: `UUID("...")`, `ObjectId("...")`."""

    __slots__ = ()


def tojson(value: Any, indent: str = "") -> str:
    """A value in the legacy shell's notation: tabs, ` : `, nested on lines of their own."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, dict):
        if not value:
            return "{ }" if indent else "{  }"
        inner = ",\n".join(
            f'{indent}\t"{name}" : {tojson(item, indent + chr(9))}' for name, item in value.items()
        )
        return f"{{\n{inner}\n{indent}}}"
    if isinstance(value, list | tuple):
        if not value:
            return "[ ]"
        inner = ",\n".join(f"{indent}\t{tojson(item, indent + chr(9))}" for item in value)
        return f"[\n{inner}\n{indent}]"
    return text_of(value)


def one_line(value: Any) -> str:
    """A document on one line, as cursors print them."""
    if isinstance(value, dict):
        inner = ", ".join(f'"{name}" : {one_line(item)}' for name, item in value.items())
        return f"{{ {inner} }}" if inner else "{  }"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(one_line, value))
        return f"[ {inner} ]" if inner else "[ ]"
    return tojson(value)


def stringified(value: Any) -> str:
    """A value as JSON.stringify gives it, what JSON does not know in MongoDB's extended notation."""
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Raw):
        name, _, rest = value.partition("(")
        inside = rest.rstrip(")").strip('"')
        return {_EXTENDED[name]: inside} if name in _EXTENDED else inside
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if item is not UNDEFINED}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if value is UNDEFINED else value


_EXTENDED = {"NumberLong": "$numberLong", "ObjectId": "$oid"}


def echoed_value(value: Any) -> str:
    """The value of a statement as the shell echoes it; empty for none."""
    if value is UNDEFINED:
        return ""
    if isinstance(value, Host):
        return str(value)
    if isinstance(value, str) and not isinstance(value, Raw):
        return f"{value}\n"
    return f"{tojson(value)}\n"
