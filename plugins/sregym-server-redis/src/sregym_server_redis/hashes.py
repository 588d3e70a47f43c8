"""Commands on hashes and sorted sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_server_redis.keys import (
    NOT_FLOAT,
    SYNTAX,
    Keys,
    floating,
    integer,
    part,
)
from sregym_server_redis.replies import Pairs, Status, number
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from sregym_server_redis.keys import Handler

_NOT_RANGE = "ERR min or max is not a float"


def _hash(keys: Keys, key: str) -> dict[str, str]:
    found: dict[str, str] = keys.get(key, "hash") or {}
    return found


def _hset(keys: Keys, words: list[str]) -> int:
    if len(words) % 2 == 0:
        raise Refused("ERR wrong number of arguments for 'hset' command")
    old = _hash(keys, words[0])
    new = {**old, **dict(zip(words[1::2], words[2::2], strict=True))}
    keys.put(words[0], "hash", new)
    return len(new) - len(old)


def _hmset(keys: Keys, words: list[str]) -> Status:
    if len(words) % 2 == 0:
        raise Refused("ERR wrong number of arguments for 'hmset' command")
    _hset(keys, words)
    return Status("OK")


def _hsetnx(keys: Keys, words: list[str]) -> int:
    return 0 if words[1] in _hash(keys, words[0]) else _hset(keys, words)


def _hincrby(keys: Keys, words: list[str]) -> int:
    amount, old = integer(words[2]), _hash(keys, words[0])
    found = integer(old.get(words[1], "0"), "ERR hash value is not an integer") + amount
    keys.put(words[0], "hash", {**old, words[1]: str(found)})
    return found


def _hincrbyfloat(keys: Keys, words: list[str]) -> str:
    amount, old = floating(words[2]), _hash(keys, words[0])
    found = number(floating(old.get(words[1], "0"), "ERR hash value is not a float") + amount)
    keys.put(words[0], "hash", {**old, words[1]: found})
    return found


def _hget(keys: Keys, words: list[str]) -> Any:
    return _hash(keys, words[0]).get(words[1])


def _hmget(keys: Keys, words: list[str]) -> list[Any]:
    held = _hash(keys, words[0])
    return [held.get(name) for name in words[1:]]


def _hgetall(keys: Keys, words: list[str]) -> Pairs:
    return Pairs(item for pair in _hash(keys, words[0]).items() for item in pair)


def _hkeys(keys: Keys, words: list[str]) -> list[str]:
    return list(_hash(keys, words[0]))


def _hvals(keys: Keys, words: list[str]) -> list[str]:
    return list(_hash(keys, words[0]).values())


def _hlen(keys: Keys, words: list[str]) -> int:
    return len(_hash(keys, words[0]))


def _hexists(keys: Keys, words: list[str]) -> int:
    return int(words[1] in _hash(keys, words[0]))


def _hstrlen(keys: Keys, words: list[str]) -> int:
    return len(_hash(keys, words[0]).get(words[1], "").encode())


def _hdel(keys: Keys, words: list[str]) -> int:
    old = _hash(keys, words[0])
    new = {name: value for name, value in old.items() if name not in words[1:]}
    keys.put(words[0], "hash", new)
    return len(old) - len(new)


def _scores(keys: Keys, key: str) -> dict[str, float]:
    found: dict[str, float] = keys.get(key, "zset") or {}
    return found


def _ordered(held: dict[str, float]) -> list[str]:
    return sorted(held, key=lambda name: (held[name], name))


def _zadd(keys: Keys, words: list[str]) -> Any:
    options: set[str] = set()
    place = 1
    while place < len(words) and words[place].lower() in ("nx", "xx", "gt", "lt", "ch", "incr"):
        options.add(words[place].lower())
        place += 1
    rest = words[place:]
    if not rest or len(rest) % 2:
        raise Refused(SYNTAX)
    if {"nx", "xx"} <= options:
        raise Refused("ERR XX and NX options at the same time are not compatible")
    if len(options & {"nx", "gt", "lt"}) > 1:
        raise Refused("ERR GT, LT, and/or NX options at the same time are not compatible")
    if "incr" in options and len(rest) > 2:
        raise Refused("ERR INCR option supports a single increment-element pair")
    new = {name: floating(text) for text, name in zip(rest[::2], rest[1::2], strict=True)}
    old = _scores(keys, words[0])
    if "incr" in options:
        return _zincrby(keys, [words[0], rest[0], rest[1]])
    taken = {
        name: score
        for name, score in new.items()
        if not ("nx" in options and name in old) and not ("xx" in options and name not in old)
        and not ("gt" in options and name in old and score <= old[name])
        and not ("lt" in options and name in old and score >= old[name])
    }  # fmt: skip
    keys.put(words[0], "zset", {**old, **taken})
    changed = sum(name in old and old[name] != score for name, score in taken.items())
    return sum(name not in old for name in taken) + (changed if "ch" in options else 0)


def _zincrby(keys: Keys, words: list[str]) -> str:
    old, amount = _scores(keys, words[0]), floating(words[1], NOT_FLOAT)
    score = old.get(words[2], 0.0) + amount
    keys.put(words[0], "zset", {**old, words[2]: score})
    return number(score)


def _zrem(keys: Keys, words: list[str]) -> int:
    old = _scores(keys, words[0])
    new = {name: score for name, score in old.items() if name not in words[1:]}
    keys.put(words[0], "zset", new)
    return len(old) - len(new)


def _with_scores(held: dict[str, float], names: list[str], words: list[str]) -> list[str]:
    if "withscores" in [word.lower() for word in words]:
        return [item for name in names for item in (name, number(held[name]))]
    return names


def _zrange(keys: Keys, words: list[str]) -> list[str]:
    options = [word.lower() for word in words[3:]]
    if set(options) - {"withscores", "rev", "byscore", "bylex", "limit"} and "limit" not in options:
        raise Refused(SYNTAX)
    if "byscore" in options:
        backwards = [words[0], words[2], words[1]] if "rev" in options else words[:3]
        found = _by_score(keys, [*backwards, *words[3:]])
        held = _scores(keys, words[0])
        return _with_scores(held, found[::-1] if "rev" in options else found, words[3:])
    held = _scores(keys, words[0])
    names = _ordered(held)
    chosen = part(names[::-1] if "rev" in options else names, integer(words[1]), integer(words[2]))
    return _with_scores(held, chosen, words[3:])


def _zrevrange(keys: Keys, words: list[str]) -> list[str]:
    return _zrange(keys, [*words, "rev"])


def _edge(text: str) -> tuple[float, bool]:
    """A limit of scores, and whether it is included."""
    return floating(text.removeprefix("("), _NOT_RANGE), not text.startswith("(")


def _by_score(keys: Keys, words: list[str]) -> list[str]:
    (low, with_low), (high, with_high) = _edge(words[1]), _edge(words[2])
    held = _scores(keys, words[0])
    names = [
        name
        for name in _ordered(held)
        if (low < held[name] or (with_low and low == held[name]))
        and (held[name] < high or (with_high and high == held[name]))
    ]
    options = [word.lower() for word in words[3:]]
    if "limit" in options:
        at = options.index("limit")
        if len(options) < at + 3:
            raise Refused(SYNTAX)
        start, count = integer(options[at + 1]), integer(options[at + 2])
        return names[start : None if count < 0 else start + count]
    return names


def _zrangebyscore(keys: Keys, words: list[str]) -> list[str]:
    return _with_scores(_scores(keys, words[0]), _by_score(keys, words), words[3:])


def _zrevrangebyscore(keys: Keys, words: list[str]) -> list[str]:
    found = _by_score(keys, [words[0], words[2], words[1]])
    return _with_scores(_scores(keys, words[0]), found[::-1], words[3:])


def _zcount(keys: Keys, words: list[str]) -> int:
    return len(_by_score(keys, words[:3]))


def _zcard(keys: Keys, words: list[str]) -> int:
    return len(_scores(keys, words[0]))


def _zscore(keys: Keys, words: list[str]) -> Any:
    score = _scores(keys, words[0]).get(words[1])
    return None if score is None else number(score)


def _zrank(keys: Keys, words: list[str]) -> Any:
    names = _ordered(_scores(keys, words[0]))
    return names.index(words[1]) if words[1] in names else None


def _zrevrank(keys: Keys, words: list[str]) -> Any:
    names = _ordered(_scores(keys, words[0]))[::-1]
    return names.index(words[1]) if words[1] in names else None


def _zpop(keys: Keys, words: list[str], *, least: bool) -> list[str]:
    held = _scores(keys, words[0])
    names = _ordered(held) if least else _ordered(held)[::-1]
    taken = names[: integer(words[1]) if words[1:] else 1]
    keys.put(words[0], "zset", {name: held[name] for name in held if name not in taken})
    return [item for name in taken for item in (name, number(held[name]))]


def _zpopmin(keys: Keys, words: list[str]) -> list[str]:
    return _zpop(keys, words, least=True)


def _zpopmax(keys: Keys, words: list[str]) -> list[str]:
    return _zpop(keys, words, least=False)


def _zremrangebyscore(keys: Keys, words: list[str]) -> int:
    return _zrem(keys, [words[0], *_by_score(keys, words)])


HASHES: dict[str, Handler] = {
    "hdel": _hdel, "hexists": _hexists, "hget": _hget, "hgetall": _hgetall, "hincrby": _hincrby,
    "hincrbyfloat": _hincrbyfloat, "hkeys": _hkeys, "hlen": _hlen, "hmget": _hmget,
    "hmset": _hmset, "hset": _hset, "hsetnx": _hsetnx, "hstrlen": _hstrlen, "hvals": _hvals,
    "zadd": _zadd, "zcard": _zcard, "zcount": _zcount, "zincrby": _zincrby, "zpopmax": _zpopmax,
    "zpopmin": _zpopmin, "zrange": _zrange, "zrangebyscore": _zrangebyscore, "zrank": _zrank,
    "zrem": _zrem, "zremrangebyscore": _zremrangebyscore, "zrevrange": _zrevrange,
    "zrevrangebyscore": _zrevrangebyscore, "zrevrank": _zrevrank, "zscore": _zscore,
}  # fmt: skip
