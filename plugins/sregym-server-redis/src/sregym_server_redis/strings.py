"""Commands on strings: texts, counters, bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import allocate

from sregym_server_redis.data import Value
from sregym_server_redis.keys import SYNTAX, Keys, floating, integer, part
from sregym_server_redis.replies import Status, number
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from sregym_server_redis.keys import Handler

_TIMES = {"ex": 1.0, "px": 0.001, "exat": 1.0, "pxat": 0.001}
_NO_OFFSET = "ERR bit offset is not an integer or out of range"
# proto-max-bulk-len, which stays at its default.
_LONGEST = 512 << 20
_OVERFLOW = "ERR increment or decrement would overflow"


def _until(keys: Keys, unit: str, text: str, command: str) -> float:
    """The virtual second that an option of a command names."""
    amount = integer(text)
    if amount <= 0:
        raise Refused(f"ERR invalid expire time in '{command}' command")
    seconds = amount * _TIMES[unit]
    return seconds - keys.epoch if unit.endswith("at") else keys.now + seconds


def _set(keys: Keys, words: list[str]) -> Any:
    key, value = words[:2]
    given: dict[str, str] = {}
    rest = [word.lower() for word in words[2:]]
    while rest:
        word = rest.pop(0)
        if word in _TIMES and rest and not given.keys() & {*_TIMES, "keepttl"}:
            given[word] = rest.pop(0)
        elif word in ("nx", "xx", "keepttl", "get"):
            given[word] = ""
        else:
            raise Refused(SYNTAX)
    if {"nx", "xx"} <= given.keys() or ("keepttl" in given and given.keys() & _TIMES.keys()):
        raise Refused(SYNTAX)
    units = [word for word in given if word in _TIMES]
    expires = _until(keys, units[0], given[units[0]], "set") if units else None
    before = keys.get(key, "string") if "get" in given else None
    known = keys.content.get(key)
    if ("nx" in given and known is not None) or ("xx" in given and known is None):
        return before
    if "keepttl" in given and known is not None:
        expires = known.expires_at
    keys.content[key] = Value("string", value, expires)
    return before if "get" in given else Status("OK")


def _setex(keys: Keys, words: list[str]) -> Status:
    expires = _until(keys, "ex", words[1], "setex")
    keys.content[words[0]] = Value("string", words[2], expires)
    return Status("OK")


def _psetex(keys: Keys, words: list[str]) -> Status:
    expires = _until(keys, "px", words[1], "psetex")
    keys.content[words[0]] = Value("string", words[2], expires)
    return Status("OK")


def _setnx(keys: Keys, words: list[str]) -> int:
    if words[0] in keys.content:
        return 0
    keys.content[words[0]] = Value("string", words[1])
    return 1


def _get(keys: Keys, words: list[str]) -> Any:
    return keys.get(words[0], "string")


def _getdel(keys: Keys, words: list[str]) -> Any:
    found = keys.get(words[0], "string")
    keys.content.pop(words[0], None)
    return found


def _getset(keys: Keys, words: list[str]) -> Any:
    found = keys.get(words[0], "string")
    keys.content[words[0]] = Value("string", words[1])
    return found


def _getex(keys: Keys, words: list[str]) -> Any:
    found = keys.get(words[0], "string")
    option = words[1].lower() if len(words) > 1 else ""
    if option and option != "persist" and (option not in _TIMES or len(words) != 3):
        raise Refused(SYNTAX)
    if found is not None and option:
        until = None if option == "persist" else _until(keys, option, words[2], "getex")
        keys.content[words[0]] = keys.content[words[0]]._replace(expires_at=until)
    return found


def _mget(keys: Keys, words: list[str]) -> list[Any]:
    found = (keys.content.get(key) for key in words)
    return [
        value.content if value is not None and value.kind == "string" else None for value in found
    ]


def _mset(keys: Keys, words: list[str]) -> Status:
    if len(words) % 2:
        raise Refused("ERR wrong number of arguments for 'mset' command")
    for key, value in zip(words[::2], words[1::2], strict=True):
        keys.content[key] = Value("string", value)
    return Status("OK")


def _msetnx(keys: Keys, words: list[str]) -> int:
    if any(key in keys.content for key in words[::2]):
        return 0
    _mset(keys, words)
    return 1


def _added(keys: Keys, key: str, amount: int) -> int:
    found = integer(keys.get(key, "string") or "0") + amount
    if not -(1 << 63) <= found < 1 << 63:
        raise Refused(_OVERFLOW)
    keys.put(key, "string", str(found))
    return found


def _incrby(keys: Keys, words: list[str]) -> int:
    return _added(keys, words[0], integer(words[1]))


def _decrby(keys: Keys, words: list[str]) -> int:
    return _added(keys, words[0], -integer(words[1]))


def _incr(keys: Keys, words: list[str]) -> int:
    return _added(keys, words[0], 1)


def _decr(keys: Keys, words: list[str]) -> int:
    return _added(keys, words[0], -1)


def _incrbyfloat(keys: Keys, words: list[str]) -> str:
    found = floating(keys.get(words[0], "string") or "0") + floating(words[1])
    keys.put(words[0], "string", number(found))
    return number(found)


def _append(keys: Keys, words: list[str]) -> int:
    text = (keys.get(words[0], "string") or "") + words[1]
    keys.put(words[0], "string", text)
    return len(text.encode())


def _strlen(keys: Keys, words: list[str]) -> int:
    return len((keys.get(words[0], "string") or "").encode())


def _getrange(keys: Keys, words: list[str]) -> str:
    text = keys.get(words[0], "string") or ""
    return "".join(part(list(text), integer(words[1]), integer(words[2])))


def _setrange(keys: Keys, words: list[str]) -> int:
    start, text = integer(words[1]), keys.get(words[0], "string") or ""
    if start < 0:
        raise Refused("ERR offset is out of range")
    if start + len(words[2]) > _LONGEST:
        raise Refused("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
    if words[2]:
        allocate(max(start, len(text)))
        text = text.ljust(start, "\0")
        text = text[:start] + words[2] + text[start + len(words[2]) :]
        keys.put(words[0], "string", text)
    return len(text)


def _place(text: str) -> int:
    place = integer(text, _NO_OFFSET)
    if not 0 <= place < 1 << 32:
        raise Refused(_NO_OFFSET)
    return place


def _setbit(keys: Keys, words: list[str]) -> int:
    octet, shift = divmod(_place(words[1]), 8)
    if words[2] not in ("0", "1"):
        raise Refused("ERR bit is not an integer or out of range")
    allocate(2 * octet)
    text = (keys.get(words[0], "string") or "").ljust(octet + 1, "\0")
    mask, before = 0x80 >> shift, ord(text[octet])
    after = before | mask if words[2] == "1" else before & ~mask
    keys.put(words[0], "string", f"{text[:octet]}{chr(after)}{text[octet + 1 :]}")
    return int(before & mask != 0)


def _getbit(keys: Keys, words: list[str]) -> int:
    octet, shift = divmod(_place(words[1]), 8)
    text = keys.get(words[0], "string") or ""
    return ord(text[octet]) >> 7 - shift & 1 if octet < len(text) else 0


def _bitcount(keys: Keys, words: list[str]) -> int:
    text = keys.get(words[0], "string") or ""
    return sum(ord(char).bit_count() for char in text)


STRINGS: dict[str, Handler] = {
    "append": _append, "bitcount": _bitcount, "decr": _decr, "decrby": _decrby, "get": _get,
    "getbit": _getbit, "getdel": _getdel, "getex": _getex, "getrange": _getrange,
    "getset": _getset, "incr": _incr, "incrby": _incrby, "incrbyfloat": _incrbyfloat,
    "mget": _mget, "mset": _mset, "msetnx": _msetnx, "psetex": _psetex, "set": _set,
    "setbit": _setbit, "setex": _setex, "setnx": _setnx, "setrange": _setrange,
    "strlen": _strlen, "substr": _getrange,
}  # fmt: skip
