"""Where the running kernel keeps what: places of fields and numbers of functions, from its own description (BTF)."""

from __future__ import annotations

import json
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Mapping, NamedTuple  # noqa: UP035 - read by Python 3.9

from . import facts
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATH = Path("/sys/kernel/btf/vmlinux")
_HEAD = struct.Struct("=HBBIIIII")
_MAGIC = 0xEB9F
_STRUCTURE, _UNION, _FUNCTION = 4, 5, 12
_MODIFIERS = frozenset({8, 9, 10, 11, 18})  # typedef, volatile, const, restrict, a tag of a type
# Words of 32 bits after the first three of a type, by kind: some for itself, some for each member.
_ITSELF = {1: 1, 3: 3, 14: 1, 17: 1}
_EACH = {4: 3, 5: 3, 6: 2, 13: 2, 15: 3, 19: 3}


class Layout:
    """The description of a kernel's types.

    Args:
        data: As the kernel gives it.

    Raises:
        Refusal: It is of another kind.
    """

    def __init__(self, data: bytes) -> None:
        magic, _, _, head, types, length, strings, _ = _HEAD.unpack_from(data)
        if magic != _MAGIC:
            msg = (
                f"{PATH} is not in the byte order of this machine, so no place of a field is known"
            )
            raise Refusal(msg)
        self._strings = data[head + strings :]
        self._words = memoryview(data[head + types : head + types + length]).cast("I")
        self._starts: list[int] = [0]
        self._names: dict[tuple[int, int], int] = {}
        self._index()

    def function(self, name: str) -> int:
        """Its number; 0 when the kernel has no such function, or none that can be named."""
        return self._names.get((_FUNCTION, self._string(name)), 0)

    def place(self, path: str) -> int:
        """Bytes from the start of a structure to a field, `file.f_path`; -1 when there is none."""
        name, *fields = path.split(".")
        ident, place = self._names.get((_STRUCTURE, self._string(name)), 0), 0
        for field in fields:
            found = self._member(ident, self._string(field)) if ident else None
            if found is None:
                return -1
            ident, further = found
            place += further
        return place

    def _index(self) -> None:
        """Where each type begins, and which has which name."""
        words, starts, names = self._words, self._starts, self._names
        itself = [_ITSELF.get(kind, 0) + 3 for kind in range(32)]
        each = [_EACH.get(kind, 0) for kind in range(32)]
        at, end, ident = 0, len(words), 1
        while at < end:
            info = words[at + 1]
            kind = info >> 24 & 31
            starts.append(at)
            if kind in (_STRUCTURE, _FUNCTION):
                names.setdefault((kind, words[at]), ident)
            at += itself[kind] + each[kind] * (info & 0xFFFF)
            ident += 1

    def _string(self, text: str) -> int:
        """Where a name stands; -1 when the kernel names nothing so."""
        found = self._strings.find(b"\0" + text.encode() + b"\0")
        return found + 1 if found >= 0 else -1

    def _member(self, ident: int, name: int) -> tuple[int, int] | None:
        """Type and place of a member, also of one in a structure without a name."""
        for label, kind, place in self._members(self._resolved(ident)):
            if label == name:
                return self._resolved(kind), place
            inner = self._resolved(kind)
            if label == 0 and self._kind(inner) in (_STRUCTURE, _UNION):
                found = self._member(inner, name)
                if found is not None:
                    return found[0], found[1] + place
        return None

    def _members(self, ident: int) -> Iterator[tuple[int, int, int]]:
        if self._kind(ident) not in (_STRUCTURE, _UNION):
            return
        start = self._starts[ident]
        info = self._words[start + 1]
        for number in range(info & 0xFFFF):
            label, kind, bits = self._words[start + 3 + 3 * number : start + 6 + 3 * number]
            # With the flag the size of a bit field stands in the upper byte.
            yield label, kind, (bits & 0xFFFFFF if info >> 31 else bits) // 8

    def _kind(self, ident: int) -> int:
        return self._words[self._starts[ident] + 1] >> 24 & 31 if ident else 0

    def _resolved(self, ident: int) -> int:
        while self._kind(ident) in _MODIFIERS:
            ident = self._words[self._starts[ident] + 2]
        return ident


class Known(NamedTuple):
    """What programs need to know of a kernel.

    Attributes:
        functions: Their numbers, 0 for those that there are not.
        places: Bytes from the start of a structure to a field, by path; -1 where there is none.
    """

    functions: Mapping[str, int]
    places: Mapping[str, int]


def known(functions: Sequence[str], paths: Sequence[str], folder: Path) -> Known:
    """Look all of that up, and keep it beside the journal: it is the same until the next start.

    Args:
        functions: Names of the functions whose numbers are returned.
        paths: Of fields.
        folder: Of the journal.

    Raises:
        Refusal: The kernel reports nothing.
    """
    kept, wanted = folder / "layout", [facts.boot_id(), *functions, *paths]
    with suppress(OSError, ValueError):
        before = json.loads(kept.read_text(encoding="utf-8"))
        if before["of"] == wanted:
            return Known(before["functions"], before["places"])
    whole = _running()
    found = Known(
        {name: whole.function(name) for name in functions},
        {path: whole.place(path) for path in paths},
    )
    if not (folder / "held").is_dir():
        return found  # there is no journal
    with suppress(OSError):
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"of": wanted, **found._asdict()}), encoding="utf-8")
        part.replace(kept)
    return found


def _running() -> Layout:
    try:
        return Layout(PATH.read_bytes())
    except OSError as error:
        msg = (
            f"the kernel does not describe its types ({PATH}: {error.strerror}); take one that is "
            "built with CONFIG_DEBUG_INFO_BTF"
        )
        raise Refusal(msg) from error
