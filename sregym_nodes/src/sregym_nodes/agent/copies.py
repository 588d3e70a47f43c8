"""Disks that lie: some blocks are read from an altered copy in memory, without any error.

Not by the corrupting option of dm-flakey: in many kernels it does nothing to what is read. What is
written to these blocks meanwhile goes to the copy, and is brought home when it is over.
"""

from __future__ import annotations

import mmap
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import files, tables
from .mapper import Mapper, read_block
from .refusal import Refusal
from .tables import SECTORS, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .backend import Note

_MEMORY = Path("/dev/shm")  # noqa: S108 - files that no other user may read
_AT = 32
_FLIPPED = 0xFF


class AlteredCopy(Mapper):
    """Linear segments that lead to a loop device over a file in memory."""

    name: ClassVar[str] = "dm-copy"
    target: ClassVar[str] = "linear"
    modes: ClassVar[frozenset[str]] = frozenset({"corrupt"})

    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """The segment itself; where its copy lies is known when there is one."""
        return segment

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Alter a byte of each block in a copy, and put that in their place."""
        name, blocks = str(ask["device"]), _each(ask["blocks"])
        before = tables.parse(self._before(ask))
        places = [_place(before, block) for block in blocks]
        copy = _MEMORY / f"seg-{os.getpid()}"
        state = {
            **{"device": name, "before": tables.written(before), "after": tables.written(before)},
            **{"copy": str(copy), "places": places, "blocks": blocks},
        }
        note(state)
        copy.write_bytes(b"".join(_altered(*place) for place in places))
        copy.chmod(0o600)
        number = _loop(copy)
        after = self._table(before, blocks, number)
        note({**state, "after": tables.written(after)})
        files.drop_pages(name)
        tables.swap(name, after)
        files.drop_pages(name)

    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """What is read differs from what is there."""
        before = tables.parse(self._before({**ask, "replaces": {"before": self._kept}}))
        blocks = _each(ask["blocks"])
        lies = sum(read_block(path, block) != _original(*_place(before, block)) for block in blocks)
        return f"{lies} blocks give other bytes, without an error" if lies == len(blocks) else ""

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read past the page cache, and compare."""
        self._kept = str(state["before"])
        return super().probe(ask, state)

    def undo(self, state: Mapping[str, Any]) -> None:
        """Bring home what was written meanwhile, and put the blocks back."""
        if not state:
            return
        name, now, copy = str(state["device"]), tables.current(state["device"]), Path(state["copy"])
        if now and now != state["before"] and tables.is_of(now, str(state["after"])):
            home = tables.parse(str(state["before"]))
            tables.swap(name, home, lambda: _bring_home(copy, state["places"]))
            files.drop_pages(name)
        elif now and tables.is_suspended(name):
            tables.dmsetup("resume", name)
        _unloop(copy)
        copy.unlink(missing_ok=True)

    def _table(
        self, before: Sequence[Segment], blocks: Sequence[int], number: str
    ) -> tuple[Segment, ...]:
        order = {block: index for index, block in enumerate(blocks)}

        def moved(segment: Segment) -> Segment:
            offset = order[segment.start // SECTORS] * SECTORS
            return Segment(segment.start, segment.length, "linear", (number, str(offset)))

        return tables.cut(before, [(block, block) for block in blocks], moved)


def _each(blocks: Sequence[Sequence[int]]) -> list[int]:
    return sorted({block for first, last in blocks for block in range(first, last + 1)})


def _place(table: Sequence[Segment], block: int) -> tuple[str, int]:
    """The device and the block of it below a block."""
    for segment in table:
        inside = block * SECTORS - segment.start
        if 0 <= inside < segment.length:
            device, offset = segment.words
            return device, (int(offset) + inside) // SECTORS
    msg = f"no segment of the device has block {block}"
    raise Refusal(msg)


def _device(number: str) -> Path:
    return Path("/dev", Path(f"/sys/dev/block/{number}").resolve().name)


def _original(number: str, block: int) -> bytes:
    return read_block(_device(number), block)


def _altered(number: str, block: int) -> bytes:
    content = bytearray(_original(number, block))
    content[_AT] ^= _FLIPPED
    return bytes(content)


def _bring_home(copy: Path, places: Sequence[Sequence[Any]]) -> None:
    """What is no longer as it was altered was written since."""
    for index, (number, block) in enumerate(places):
        held = copy.read_bytes()[index * files.BLOCK : (index + 1) * files.BLOCK]
        lie = _altered(number, block)
        if held == lie:
            continue
        if (
            held[_AT] == lie[_AT]
        ):  # a write of another byte of the page has written the false one as well
            held = held[:_AT] + bytes([held[_AT] ^ _FLIPPED]) + held[_AT + 1 :]
        fd = os.open(_device(number), os.O_WRONLY | os.O_DIRECT)
        try:
            with mmap.mmap(-1, files.BLOCK) as page:
                page[:] = held
                os.pwritev(fd, [page], block * files.BLOCK)
        finally:
            os.close(fd)


def _loop(copy: Path) -> str:
    """A loop device over a file, as major:minor."""
    done = subprocess.run(
        ["losetup", "-f", "--show", str(copy)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        msg = (
            f"no loop device could be made over memory: {done.stderr.strip()}; load the module loop"
        )
        raise Refusal(msg)
    name = Path(done.stdout.strip()).name
    return Path("/sys/block", name, "dev").read_text(encoding="ascii").strip()


def _loops_of(copy: Path) -> Iterator[str]:
    for file in Path("/sys/block").glob("loop*/loop/backing_file"):
        if file.read_text(encoding="utf-8").strip().startswith(str(copy)):
            yield file.parts[3]


def _unloop(copy: Path) -> None:
    for name in _loops_of(copy):
        subprocess.run(["losetup", "-d", f"/dev/{name}"], check=False, capture_output=True)
