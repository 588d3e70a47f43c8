"""Commands on lists and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_server_redis.keys import NO_KEY, SYNTAX, Keys, integer, part
from sregym_server_redis.replies import BlockedCommand, Status
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_redis.keys import Handler


def _list(keys: Keys, key: str) -> tuple[str, ...]:
    found: tuple[str, ...] = keys.get(key, "list") or ()
    return found


def _lpush(keys: Keys, words: list[str]) -> int:
    items = (*reversed(words[1:]), *_list(keys, words[0]))
    keys.put(words[0], "list", items)
    return len(items)


def _rpush(keys: Keys, words: list[str]) -> int:
    items = (*_list(keys, words[0]), *words[1:])
    keys.put(words[0], "list", items)
    return len(items)


def _lpushx(keys: Keys, words: list[str]) -> int:
    return _lpush(keys, words) if _list(keys, words[0]) else 0


def _rpushx(keys: Keys, words: list[str]) -> int:
    return _rpush(keys, words) if _list(keys, words[0]) else 0


def _lrange(keys: Keys, words: list[str]) -> list[str]:
    first, last = integer(words[1]), integer(words[2])
    return part(list(_list(keys, words[0])), first, last)


def _llen(keys: Keys, words: list[str]) -> int:
    return len(_list(keys, words[0]))


def _popped(keys: Keys, words: list[str], *, left: bool) -> Any:
    if len(words) > 2:
        name = "lpop" if left else "rpop"
        raise Refused(f"ERR wrong number of arguments for '{name}' command")
    count = integer(words[1], "ERR value is out of range, must be positive") if words[1:] else 1
    if count < 0:
        raise Refused("ERR value is out of range, must be positive")
    items = _list(keys, words[0])
    if not items:
        return None
    taken = items[:count] if left else tuple(reversed(items))[:count]
    keys.put(words[0], "list", items[count:] if left else items[: max(0, len(items) - count)])
    return list(taken) if words[1:] else taken[0]


def _lpop(keys: Keys, words: list[str]) -> Any:
    return _popped(keys, words, left=True)


def _rpop(keys: Keys, words: list[str]) -> Any:
    return _popped(keys, words, left=False)


def _lindex(keys: Keys, words: list[str]) -> Any:
    items, place = _list(keys, words[0]), integer(words[1])
    return items[place] if -len(items) <= place < len(items) else None


def _lset(keys: Keys, words: list[str]) -> Status:
    items = list(_list(keys, words[0]))
    if not items:
        raise Refused(NO_KEY)
    place = integer(words[1])
    if not -len(items) <= place < len(items):
        raise Refused("ERR index out of range")
    items[place] = words[2]
    keys.put(words[0], "list", tuple(items))
    return Status("OK")


def _lrem(keys: Keys, words: list[str]) -> int:
    count, items = integer(words[1]), list(_list(keys, words[0]))
    places = [place for place, item in enumerate(items) if item == words[2]]
    chosen = places[count:] if count < 0 else places[: count or len(places)]
    kept = tuple(item for place, item in enumerate(items) if place not in chosen)
    keys.put(words[0], "list", kept)
    return len(chosen)


def _ltrim(keys: Keys, words: list[str]) -> Status:
    items = part(list(_list(keys, words[0])), integer(words[1]), integer(words[2]))
    keys.put(words[0], "list", tuple(items))
    return Status("OK")


def _linsert(keys: Keys, words: list[str]) -> int:
    where, items = words[1].lower(), list(_list(keys, words[0]))
    if where not in ("before", "after"):
        raise Refused(SYNTAX)
    if words[2] not in items:
        return -1 if items else 0
    items.insert(items.index(words[2]) + (where == "after"), words[3])
    keys.put(words[0], "list", tuple(items))
    return len(items)


def _lmove(keys: Keys, words: list[str]) -> Any:
    ends = [word.lower() for word in words[2:4]]
    if not {*ends} <= {"left", "right"}:
        raise Refused(SYNTAX)
    taken = _popped(keys, words[:1], left=ends[0] == "left")
    if taken is not None:
        (_lpush if ends[1] == "left" else _rpush)(keys, [words[1], taken])
    return taken


def _rpoplpush(keys: Keys, words: list[str]) -> Any:
    return _lmove(keys, [*words, "right", "left"])


def _waiting(take: Handler) -> Handler:
    """A command that takes from the first list that has something, or waits."""

    def handler(keys: Keys, words: list[str]) -> Any:
        try:
            seconds = float(words[-1])
        except ValueError:
            raise Refused("ERR timeout is not a float or out of range") from None
        if seconds < 0:
            raise Refused("ERR timeout is negative")
        for key in words[:-1]:
            if _list(keys, key):
                return [key, take(keys, [key])]
        raise BlockedCommand([], seconds or None)

    return handler


def _set(keys: Keys, key: str) -> tuple[str, ...]:
    found: tuple[str, ...] = keys.get(key, "set") or ()
    return found


def _sadd(keys: Keys, words: list[str]) -> int:
    old = _set(keys, words[0])
    new = tuple(dict.fromkeys((*old, *words[1:])))
    keys.put(words[0], "set", new)
    return len(new) - len(old)


def _srem(keys: Keys, words: list[str]) -> int:
    old = _set(keys, words[0])
    new = tuple(item for item in old if item not in words[1:])
    keys.put(words[0], "set", new)
    return len(old) - len(new)


def _smembers(keys: Keys, words: list[str]) -> list[str]:
    return list(_set(keys, words[0]))


def _scard(keys: Keys, words: list[str]) -> int:
    return len(_set(keys, words[0]))


def _sismember(keys: Keys, words: list[str]) -> int:
    return int(words[1] in _set(keys, words[0]))


def _smismember(keys: Keys, words: list[str]) -> list[int]:
    held = _set(keys, words[0])
    return [int(word in held) for word in words[1:]]


def _spop(keys: Keys, words: list[str]) -> Any:
    items = _set(keys, words[0])
    count = integer(words[1]) if words[1:] else 1
    keys.put(words[0], "set", items[count:])
    if words[1:]:
        return list(items[:count])
    return items[0] if items else None


def _srandmember(keys: Keys, words: list[str]) -> Any:
    items = _set(keys, words[0])
    if words[1:]:
        return list(items[: abs(integer(words[1]))])
    return items[0] if items else None


def _combined(choose: Callable[[list[tuple[str, ...]]], list[str]], *, stored: bool) -> Handler:
    def handler(keys: Keys, words: list[str]) -> Any:
        found = choose([_set(keys, key) for key in words[1 if stored else 0 :]])
        if not stored:
            return found
        keys.content.pop(words[0], None)
        keys.put(words[0], "set", tuple(found))
        return len(found)

    return handler


def _inter(held: list[tuple[str, ...]]) -> list[str]:
    return [item for item in held[0] if all(item in other for other in held[1:])]


def _union(held: list[tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(item for items in held for item in items))


def _diff(held: list[tuple[str, ...]]) -> list[str]:
    return [item for item in held[0] if not any(item in other for other in held[1:])]


LISTS: dict[str, Handler] = {
    "blpop": _waiting(_lpop), "brpop": _waiting(_rpop), "lindex": _lindex, "linsert": _linsert,
    "llen": _llen, "lmove": _lmove, "lpop": _lpop, "lpush": _lpush, "lpushx": _lpushx,
    "lrange": _lrange, "lrem": _lrem, "lset": _lset, "ltrim": _ltrim, "rpop": _rpop,
    "rpoplpush": _rpoplpush, "rpush": _rpush, "rpushx": _rpushx, "sadd": _sadd, "scard": _scard,
    "sdiff": _combined(_diff, stored=False), "sdiffstore": _combined(_diff, stored=True),
    "sinter": _combined(_inter, stored=False), "sinterstore": _combined(_inter, stored=True),
    "sismember": _sismember, "smembers": _smembers, "smismember": _smismember, "spop": _spop,
    "srandmember": _srandmember, "srem": _srem, "sunion": _combined(_union, stored=False),
    "sunionstore": _combined(_union, stored=True),
}  # fmt: skip
