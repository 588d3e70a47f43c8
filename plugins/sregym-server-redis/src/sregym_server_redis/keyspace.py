"""Commands on keys of any kind: their times, names, kinds and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import globs

from sregym_server_redis.keys import (
    NO_KEY,
    SYNTAX,
    Keys,
    integer,
)
from sregym_server_redis.replies import Status
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from sregym_server_redis.data import Value
    from sregym_server_redis.keys import Handler

_NO_FREQUENCY = (
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
    "when switching between policies at runtime LRU and LFU data will take some time to adjust."
)
# Sizes in which the allocator gives memory.
_BINS = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512)
_OBJECT, _ENTRY = 16, 24


def bin_of(size: int) -> int:
    """What is taken of memory for so many bytes."""
    for found in _BINS:
        if size <= found:
            return found
    step = 1 << max(6, (size - 1).bit_length() - 3)
    return -(-size // step) * step


def weight(key: str, value: Value) -> int:
    """Bytes that a key and its value take (MEMORY USAGE)."""
    name = len(key.encode())
    own = bin_of(name + 2 if name < 32 else name + 4) + _ENTRY
    if value.kind == "string":
        size = len(value.content.encode())
        if _whole(value.content):
            return own + _OBJECT
        return own + (bin_of(_OBJECT + 4 + size) if size <= 44 else _OBJECT + bin_of(size + 4))
    items = list(value.content.items() if isinstance(value.content, dict) else value.content)
    texts = [str(part) for item in items for part in (item if isinstance(item, tuple) else (item,))]
    packed = 7 + sum(len(text.encode()) + 2 for text in texts)
    if len(texts) <= 128 and all(len(text) <= 64 for text in texts):
        return own + _OBJECT + bin_of(packed)
    return own + _OBJECT + sum(bin_of(len(text.encode()) + 4) + 2 * _ENTRY for text in texts)


def encoding(value: Value, version: tuple[int, ...]) -> str:
    """How a value is stored (OBJECT ENCODING)."""
    if value.kind == "string":
        if _whole(value.content):
            return "int"
        return "embstr" if len(value.content.encode()) <= 44 else "raw"
    packed = "listpack" if version >= (7, 0) else "ziplist"
    texts = [str(part) for part in value.content]
    small = all(len(text) <= 64 for text in texts)
    if value.kind == "list":
        return "listpack" if version >= (7, 2) and len(texts) <= 128 else "quicklist"
    if value.kind == "set":
        if all(map(_whole, texts)) and len(texts) <= 512:
            return "intset"
        return "listpack" if version >= (7, 2) and small and len(texts) <= 128 else "hashtable"
    if value.kind == "hash":
        small = small and all(len(text) <= 64 for text in value.content.values())
        return packed if small and len(texts) <= 512 else "hashtable"
    return packed if small and len(texts) <= 128 else "skiplist"


def _whole(text: str) -> bool:
    try:
        integer(text)
    except Refused:
        return False
    return True


def _del(keys: Keys, words: list[str]) -> int:
    return sum(keys.content.pop(key, None) is not None for key in words)


def _exists(keys: Keys, words: list[str]) -> int:
    return sum(key in keys.content for key in words)


def _keys(keys: Keys, words: list[str]) -> list[str]:
    return [key for key in keys.content if globs.matches(key, words[0])]


def _scan(keys: Keys, words: list[str]) -> list[Any]:
    if not words[0].isdecimal():
        raise Refused("ERR invalid cursor")
    given: dict[str, str] = {}
    for place in range(1, len(words), 2):
        name = words[place].lower()
        if name not in ("match", "count", "type") or place + 1 == len(words):
            raise Refused(SYNTAX)
        given[name] = words[place + 1]
    if integer(given.get("count", "10")) < 1:
        raise Refused(SYNTAX)
    found = [] if words[0] != "0" else _keys(keys, [given.get("match", "*")])
    kind = given.get("type", "").lower()
    return ["0", [key for key in found if not kind or keys.content[key].kind == kind]]


def _milliseconds_left(keys: Keys, key: str) -> int:
    value = keys.content.get(key)
    if value is None:
        return -2
    return -1 if value.expires_at is None else round((value.expires_at - keys.now) * 1000)


def _ttl(keys: Keys, words: list[str]) -> int:
    left = _milliseconds_left(keys, words[0])
    return left if left < 0 else (left + 500) // 1000


def _pttl(keys: Keys, words: list[str]) -> int:
    return _milliseconds_left(keys, words[0])


def _expiretime(keys: Keys, words: list[str]) -> int:
    value = keys.content.get(words[0])
    if value is None:
        return -2
    return -1 if value.expires_at is None else round(value.expires_at + keys.epoch)


def _pexpiretime(keys: Keys, words: list[str]) -> int:
    found = _expiretime(keys, words)
    return found if found < 0 else found * 1000


def _due(name: str, unit_s: float, *, absolute: bool) -> Handler:
    def handler(keys: Keys, words: list[str]) -> int:
        amount = integer(words[1])
        options = {word.lower() for word in words[2:]}
        for word in words[2:]:
            if word.lower() not in ("nx", "xx", "gt", "lt"):
                raise Refused(f"ERR Unsupported option {word}")
        if "nx" in options and len(options) > 1:
            raise Refused("ERR NX and XX, GT or LT options at the same time are not compatible")
        if {"gt", "lt"} <= options:
            raise Refused("ERR GT and LT options at the same time are not compatible")
        if abs(amount * unit_s) > 9.2e15:
            raise Refused(f"ERR invalid expire time in '{name}' command")
        at = amount * unit_s - keys.epoch if absolute else keys.now + amount * unit_s
        value = keys.content.get(words[0])
        if value is None:
            return 0
        old = value.expires_at
        unfit = ("nx" in options and old is not None) or ("xx" in options and old is None)
        unfit = unfit or ("gt" in options and (old is None or at <= old))
        if unfit or ("lt" in options and old is not None and at >= old):
            return 0
        if at <= keys.now:
            keys.content.pop(words[0])
        else:
            keys.content[words[0]] = value._replace(expires_at=at)
        return 1

    return handler


def _persist(keys: Keys, words: list[str]) -> int:
    value = keys.content.get(words[0])
    if value is None or value.expires_at is None:
        return 0
    keys.content[words[0]] = value._replace(expires_at=None)
    return 1


def _type(keys: Keys, words: list[str]) -> Status:
    value = keys.content.get(words[0])
    return Status("none" if value is None else value.kind)


def _rename(keys: Keys, words: list[str]) -> Status:
    if words[0] not in keys.content:
        raise Refused(NO_KEY)
    keys.content[words[1]] = keys.content.pop(words[0])
    return Status("OK")


def _renamenx(keys: Keys, words: list[str]) -> int:
    if words[0] not in keys.content:
        raise Refused(NO_KEY)
    if words[1] in keys.content:
        return 0
    _rename(keys, words)
    return 1


def _copy(keys: Keys, words: list[str]) -> int:
    replace = "replace" in [word.lower() for word in words[2:]]
    if words[0] not in keys.content or (words[1] in keys.content and not replace):
        return 0
    keys.content[words[1]] = keys.content[words[0]]
    return 1


def _randomkey(keys: Keys, _words: list[str]) -> Any:
    return next(iter(keys.content), None)


def _dbsize(keys: Keys, _words: list[str]) -> int:
    return len(keys.content)


def _flush(keys: Keys, words: list[str]) -> Status:
    if words and (len(words) > 1 or words[0].lower() not in ("async", "sync")):
        raise Refused(SYNTAX)
    keys.content.clear()
    return Status("OK")


def _object(keys: Keys, words: list[str]) -> Any:
    what, value = words[0].lower(), keys.content.get(words[1])
    if value is None:
        return None
    if what == "freq":
        raise Refused(_NO_FREQUENCY)
    if what == "encoding":
        return encoding(value, keys.version)
    if what == "refcount":
        shared = (
            value.kind == "string" and _whole(value.content) and 0 <= int(value.content) < 10_000
        )
        return (1 << 31) - 1 if shared else 1
    return 0


def _sort(keys: Keys, words: list[str]) -> list[str]:
    value = keys.content.get(words[0])
    options = [word.lower() for word in words[1:]]
    items = [] if value is None else [str(item) for item in value.content]
    if "alpha" in options:
        found = sorted(items)
    else:
        try:
            found = sorted(items, key=float)
        except ValueError:
            raise Refused("ERR One or more scores can't be converted into double") from None
    return found[::-1] if "desc" in options else found


def _dump(keys: Keys, words: list[str]) -> Any:
    return None if words[0] not in keys.content else _NOT_TEXT


# A serialised value is no text; what a terminal shows of one starts like this.
_NOT_TEXT = "\x00\xc0"
KEYSPACE: dict[str, Handler] = {
    "copy": _copy, "dbsize": _dbsize, "del": _del, "dump": _dump, "exists": _exists,
    "expire": _due("expire", 1.0, absolute=False), "expireat": _due("expireat", 1.0, absolute=True),
    "expiretime": _expiretime, "flushall": _flush, "flushdb": _flush, "keys": _keys,
    "object": _object, "persist": _persist, "pexpire": _due("pexpire", 0.001, absolute=False),
    "pexpireat": _due("pexpireat", 0.001, absolute=True), "pexpiretime": _pexpiretime,
    "pttl": _pttl, "randomkey": _randomkey, "rename": _rename, "renamenx": _renamenx,
    "scan": _scan, "sort": _sort, "touch": _exists, "ttl": _ttl, "type": _type, "unlink": _del,
}  # fmt: skip
