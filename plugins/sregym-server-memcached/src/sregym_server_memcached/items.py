"""Items of one life of a memcached server, and the commands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey, emptied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import ContainerRef, World

_TABLE: TableKey[ContainerRef, Cache] = TableKey("userland.memcached")
_MOST_BYTES = 1 << 20
_LONGEST_KEY = 250
# Times beyond this many seconds are moments of Unix time.
_RELATIVE_S = 2_592_000
# What an item takes besides its key and its value, and the smallest and the largest chunk.
_HEADER_BYTES, _FIRST_CHUNK, _LAST_CHUNK, _GROWTH = 59, 96, 524_288, 1.25
_BAD_LINE = "CLIENT_ERROR bad command line format\r\n"
STORING = ("set", "add", "replace", "append", "prepend", "cas")
_NOTHING: Mapping[str, Item] = {}


class Item(NamedTuple):
    """What stands under a key.

    Attributes:
        value: As text.
        flags: A number that only clients know the meaning of.
        expires_at: Virtual second; None for never.
        cas: Number of the change that made it.
        stored_at: Virtual second.
    """

    value: str
    flags: int
    expires_at: float | None
    cas: int
    stored_at: float


class Cache(NamedTuple):
    """What a server holds.

    Attributes:
        items: By key.
        changes: How many changes there have been.
        megabytes: What `cache_memlimit` set; 0 for what it was started with.
    """

    items: Mapping[str, Item] = _NOTHING
    changes: int = 0
    megabytes: int = 0


def load(world: World, ref: ContainerRef) -> Cache:
    """What a server holds now: without what has expired."""
    found = world.table(_TABLE).get(ref, Cache())
    if all(item.expires_at is None or item.expires_at > world.now for item in found.items.values()):
        return found
    kept = {
        key: item
        for key, item in found.items.items()
        if item.expires_at is None or item.expires_at > world.now
    }
    return found._replace(items=kept)


def keep(world: World, ref: ContainerRef, cache: Cache) -> None:
    """Replace what a server holds."""
    world.table(_TABLE)[ref] = cache


def size(key: str, item: Item) -> int:
    """Bytes that an item takes."""
    return _HEADER_BYTES + len(key.encode()) + len(item.value.encode())


def slab(item_bytes: int) -> tuple[int, int]:
    """The class of chunks that items of a size are kept in: its number, and the size of a chunk."""
    number, chunk = 1, float(_FIRST_CHUNK)
    while item_bytes > chunk and chunk < _LAST_CHUNK:
        number += 1
        chunk = -(-int(chunk * _GROWTH) // 8) * 8
    return number, int(chunk)


def _until(world: World, text: str) -> float | None:
    seconds = int(text)
    if seconds == 0:
        return None
    if seconds > _RELATIVE_S:
        return seconds - world.epoch
    return world.now + seconds if seconds > 0 else world.now


def _number(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdecimal()


def misread(words: list[str]) -> str:
    """What is said of a line that begins to store something, but is not right; empty when it is."""
    least = 6 if words[0] == "cas" else 5
    if len(words) < least:
        return "ERROR\r\n"
    if not all(map(_number, words[2:least])) or int(words[4]) < 0 or len(words[1]) > _LONGEST_KEY:
        return _BAD_LINE
    return ""


def stored(world: World, ref: ContainerRef, words: list[str], value: str) -> str:
    """Store a value as a line says."""
    cache, (verb, key) = load(world, ref), words[:2]
    if int(words[4]) > _MOST_BYTES:
        return "SERVER_ERROR object too large for cache\r\n"
    if len(value.encode()) != int(words[4]):
        return "CLIENT_ERROR bad data chunk\r\nERROR\r\n"
    old = cache.items.get(key)
    if verb == "cas" and (old is None or old.cas != int(words[5])):
        return "NOT_FOUND\r\n" if old is None else "EXISTS\r\n"
    if (verb == "add" and old is not None) or (verb in ("replace", "append", "prepend") and old is None):  # fmt: skip
        return "NOT_STORED\r\n"
    change = cache.changes + 1
    fresh = Item(value, int(words[2]), _until(world, words[3]), change, world.now)
    if old is not None and verb in ("append", "prepend"):
        text = old.value + value if verb == "append" else value + old.value
        fresh = old._replace(value=text, cas=change)
    keep(world, ref, cache._replace(items={**cache.items, key: fresh}, changes=change))
    return "STORED\r\n"


def got(world: World, ref: ContainerRef, words: list[str]) -> str:
    """Values of keys; `gets` with their numbers, `gat` with a new time."""
    cache, verb = load(world, ref), words[0]
    keys = words[1:]
    if verb in ("gat", "gats"):
        if not keys or not _number(keys[0]):
            return "CLIENT_ERROR invalid exptime argument\r\n"
        until, keys = _until(world, keys[0]), keys[1:]
        touched = {
            key: cache.items[key]._replace(expires_at=until) for key in keys if key in cache.items
        }
        cache = cache._replace(items={**cache.items, **touched})
        keep(world, ref, cache)
    if not keys:
        return "ERROR\r\n"
    if any(len(key) > _LONGEST_KEY for key in keys):
        return _BAD_LINE
    out = ""
    for key in keys:
        item = cache.items.get(key)
        if item is not None:
            cas = f" {item.cas}" if verb.endswith("s") else ""
            out += f"VALUE {key} {item.flags} {len(item.value.encode())}{cas}\r\n{item.value}\r\n"
    return f"{out}END\r\n"


def counted(world: World, ref: ContainerRef, words: list[str]) -> str:
    """Add to a number, or take from it: not below nothing."""
    if len(words) < 3:
        return "ERROR\r\n"
    cache, (verb, key, step) = load(world, ref), words[:3]
    if not step.isdecimal():
        return "CLIENT_ERROR invalid numeric delta argument\r\n"
    item = cache.items.get(key)
    if item is None:
        return "NOT_FOUND\r\n"
    if not item.value.strip().isdecimal():
        return "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n"
    amount = int(step) if verb == "incr" else -int(step)
    found = str(max(0, int(item.value) + amount) % (1 << 64))
    # A number that gets shorter keeps its room.
    padded = found.ljust(len(item.value)) if verb == "decr" else found
    change = cache.changes + 1
    fresh = item._replace(value=padded, cas=change)
    keep(world, ref, cache._replace(items={**cache.items, key: fresh}, changes=change))
    return f"{found}\r\n"


def touched(world: World, ref: ContainerRef, words: list[str]) -> str:
    """A new time for an item."""
    if len(words) < 3:
        return "ERROR\r\n"
    cache, (key, text) = load(world, ref), words[1:3]
    if not _number(text):
        return "CLIENT_ERROR invalid exptime argument\r\n"
    if key not in cache.items:
        return "NOT_FOUND\r\n"
    fresh = cache.items[key]._replace(expires_at=_until(world, text))
    keep(world, ref, cache._replace(items={**cache.items, key: fresh}))
    return "TOUCHED\r\n"


def deleted(world: World, ref: ContainerRef, words: list[str]) -> str:
    """Let go of an item."""
    if len(words) < 2:
        return "ERROR\r\n"
    cache = load(world, ref)
    if words[1] not in cache.items:
        return "NOT_FOUND\r\n"
    kept = {key: item for key, item in cache.items.items() if key != words[1]}
    keep(world, ref, cache._replace(items=kept))
    return "DELETED\r\n"


def flushed(world: World, ref: ContainerRef, words: list[str]) -> str:
    """Let go of all items, now or after some seconds."""
    cache = load(world, ref)
    delay = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 0
    items: Mapping[str, Item] = {}
    if delay:
        items = {
            key: item._replace(expires_at=world.now + delay) for key, item in cache.items.items()
        }
    keep(world, ref, cache._replace(items=items))
    if not delay:
        emptied(world, ref)
    return "OK\r\n"
