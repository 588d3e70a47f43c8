"""Compile the kernel programs of `sregym_nodes` ahead, into the table that its agent loads.

    python tools/kernel_programs.py            # needs clang and libbpf-dev (Debian's packages)
    python tools/kernel_programs.py --check    # compiles twice; fails unless both and the table are the same

What a linker or libbpf would look up in the object at run time is looked up here: which instruction
names which map, and which needs the place of which field of the kernel's structures. On the node only the
running kernel's own description of its types is needed then.
"""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1] / "sregym_nodes" / "src" / "sregym_nodes"
SOURCE = ROOT / "kernel" / "calls.bpf.c"
TABLE = ROOT / "agent" / "programs.json"
# The table is made by Debian 12's; other versions give other instructions that do the same.
COMPILER = "clang"
FLAGS = ("-target", "bpf", "-mcpu=v3", "-O2", "-g", "-Wall", "-Werror", "-fdebug-compilation-dir=.")
_FUNCTION, _OBJECT = 2, 1
_STRUCTURES, _MODIFIERS, _POINTER, _ARRAY = (4, 5), (8, 9, 10, 11), 2, 3
# Which kinds of looks at the kernel's types there are, as the compiler numbers them.
_LOOKS = {0: "place", 2: "exists"}


@dataclass(frozen=True)
class Section:
    """A part of an object file."""

    name: str
    kind: int
    data: bytes
    info: int


@dataclass(frozen=True)
class Symbol:
    """A name in an object file."""

    name: str
    kind: int
    section: int
    value: int
    size: int


class Elf:
    """An object file of 64 bits, little endian."""

    def __init__(self, data: bytes) -> None:
        (start,) = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        strings = data[heads[names][4] :]
        self.sections = [
            Section(
                _text(strings, h[0]), h[1], b"" if h[1] == 8 else data[h[4] : h[4] + h[5]], h[7]
            )
            for h in heads
        ]
        self.symbols = list(self._symbols())

    def named(self, name: str) -> bytes:
        return next(section.data for section in self.sections if section.name == name)

    def relocations(self, index: int) -> Iterator[tuple[int, Symbol]]:
        """Where in a section which symbol is named."""
        for section in self.sections:
            if section.kind == 9 and section.info == index:
                for at, info in struct.iter_unpack("<QQ", section.data):
                    yield at, self.symbols[info >> 32]

    def _symbols(self) -> Iterator[Symbol]:
        strings = self.named(".strtab")
        for name, info, _, section, value, size in struct.iter_unpack(
            "<IBBHQQ", self.named(".symtab")
        ):
            yield Symbol(_text(strings, name), info & 15, section, value, size)


class Types:
    """The description of types in an object file (BTF)."""

    def __init__(self, data: bytes) -> None:
        head, types, length, strings, _ = struct.unpack_from("<4xIIIII", data)
        self.strings = data[head + strings :]
        self.types: list[tuple[str, int, int, bytes]] = [("", 0, 0, b"")]
        at, end = head + types, head + types + length
        while at < end:
            name, info, size = struct.unpack_from("<III", data, at)
            kind, members = info >> 24 & 31, info & 0xFFFF
            more = {1: 4, 3: 12, 4: 12 * members, 5: 12 * members, 6: 8 * members, 13: 8 * members}
            more |= {14: 4, 15: 12 * members, 17: 4, 19: 12 * members}
            rest = data[at + 12 : at + 12 + more.get(kind, 0)]
            self.types.append((_text(self.strings, name), kind, size, rest))
            at += 12 + len(rest)

    def resolved(self, ident: int) -> int:
        """Without `const`, `volatile` and other names."""
        while self.types[ident][1] in _MODIFIERS:
            ident = self.types[ident][2]
        return ident

    def members(self, ident: int) -> list[tuple[str, int]]:
        """Names and types of the members of a structure."""
        found = struct.iter_unpack("<III", self.types[ident][3])
        return [(_text(self.strings, name), kind) for name, kind, _ in found]

    def field(self, ident: int, path: str) -> str:
        """`file.f_path` for a path of numbers like `0:0`."""
        at = self.resolved(ident)
        words = [self.types[at][0].partition("___")[0]]
        for number in path.split(":")[1:]:
            name, kind = self.members(at)[int(number)]
            words.append(name)
            at = self.resolved(kind)
        return ".".join(words)

    def definition(self, ident: int) -> dict[str, int]:
        """A map, from the structure that declares it."""
        found = {}
        for name, kind in self.members(self.resolved(ident)):
            inner = self.types[kind][2]
            if name in ("key", "value"):
                found[name] = self.types[self.resolved(inner)][2]
                continue
            array = self.types[self.resolved(inner)]
            found[name] = struct.unpack("<III", array[3])[2]
        return found


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(0, at)].decode()


def table_of(data: bytes) -> dict[str, Any]:
    """What the agent loads.

    Args:
        data: An object file.
    """
    elf = Elf(data)
    types = Types(elf.named(".BTF"))
    looks = _looks(elf.named(".BTF.ext"), types)
    globals_ = {name: ident for ident, (name, kind, _, _) in enumerate(types.types) if kind == 14}
    maps: dict[str, dict[str, int]] = {}
    programs = {}
    for index, section in enumerate(elf.sections):
        if "/" not in section.name or section.kind != 1:
            continue
        uses = []
        for at, symbol in elf.relocations(index):
            ident = types.types[globals_[symbol.name]][2]
            is_map = elf.sections[symbol.section].name == ".maps"
            if symbol.name not in maps:
                size = symbol.size
                own = {"type": 2, "max_entries": 1, "key": 4, "value": size}
                maps[symbol.name] = types.definition(ident) if is_map else own
            uses.append([at // 8, symbol.name, "map" if is_map else "value"])
        programs[section.name] = {
            "code": base64.b64encode(section.data).decode(),
            "uses": uses,
            "looks": looks.get(section.name, []),
        }
    return {
        "license": elf.named("license").rstrip(b"\0").decode(),
        "maps": {name: maps[name] for name in sorted(maps)},
        "programs": programs,
    }


def _looks(data: bytes, types: Types) -> dict[str, list[list[Any]]]:
    """By section: at which instruction which field is looked at, and how."""
    head, *places = struct.unpack_from("<4xIIIIIII", data)
    at, end = head + places[4], head + places[4] + places[5]
    (size,) = struct.unpack_from("<I", data, at)
    at += 4
    found: dict[str, list[list[Any]]] = {}
    while at < end:
        section, count = struct.unpack_from("<II", data, at)
        at += 8
        for _ in range(count):
            where, ident, path, kind = struct.unpack_from("<IIII", data, at)
            field = types.field(ident, _text(types.strings, path))
            name = _text(types.strings, section)
            found.setdefault(name, []).append([where // 8, field, _LOOKS[kind]])
            at += size
    return found


def compiled() -> str:
    """The table, from the sources."""
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "calls.o"
        subprocess.run(
            [COMPILER, *FLAGS, "-c", SOURCE.name, "-o", into], cwd=SOURCE.parent, check=True
        )
        said = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True)
        return written({"compiler": said.stdout.splitlines()[0], **table_of(into.read_bytes())})


def written(table: dict[str, Any]) -> str:
    return json.dumps(table, indent=1) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if anything differs"
    )
    options = parser.parse_args()
    if shutil.which(COMPILER) is None:
        print(f"{COMPILER} is not installed; install the packages clang and libbpf-dev")
        return 2
    first = compiled()
    if not options.check:
        TABLE.write_text(first, encoding="utf-8")
        return 0
    if compiled() != first:
        print(
            f"{SOURCE.name} compiled twice gives two tables; look for what names the machine or the time"
        )
        return 1
    kept = TABLE.read_text(encoding="utf-8")
    by, now = json.loads(kept)["compiler"], json.loads(first)["compiler"]
    if by != now:
        print(
            f"{TABLE.name} was made by {by}; {now} gives other instructions, so it is not compared"
        )
        return 0
    if kept != first:
        print(
            f"{TABLE.name} is not what {SOURCE.name} compiles to; run `python {Path(__file__).name}`"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
