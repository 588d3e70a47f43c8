"""Bad, lying, slow and flaky disks: a table of the device mapper in the place of that of a live volume."""

from __future__ import annotations

import errno
import mmap
import os
import shlex
import shutil
import sys
import time
from abc import abstractmethod
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import facts, files, tables, volumes
from .backend import Backend
from .refusal import Refusal
from .tables import SECTORS, Segment
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .backend import Note
    from .journal import Entry

_TRIAL = "batch-trial"
_WINDOW_S = 10


class Mapper(Backend):
    """A target below the blocks that are meant.

    Attributes:
        target: Its name.
        modes: What it serves, `ask["mode"]`.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"disk"})
    target: ClassVar[str]
    modes: ClassVar[frozenset[str]]

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """Whether it can do a disk this."""
        return ask["kind"] in cls.kinds and ask.get("mode") in cls.modes

    def resource(self, ask: Mapping[str, Any]) -> str:
        """The device: one table at a time."""
        return f"disk {ask.get('device') or '(none)'}"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Make a device with such a table, remove it, and look at the one that is meant."""
        if not facts.is_root():
            return (
                "the device mapper needs root here; run as root, or allow sudo without a password"
            )
        try:
            if not tables.is_there():
                return (
                    f"kernel {facts.kernel()} has no device mapper; load the module dm-mod, or take a "
                    "kernel that has it"
                )
            if not tables.has_target(self.target):
                return (
                    f"kernel {facts.kernel()} has no target {self.target!r} of the device mapper; load "
                    f"the module dm-{self.target}, or take a kernel that has it"
                )
            self._tried()
            if ask.get("device"):
                self._after(ask)
                refuse_own_disk(str(ask["device"]))
        except Refusal as refusal:
            return str(refusal)
        return ""

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Swap the table, and drop what the page cache holds of the volume's files."""
        name = str(ask["device"])
        before, after = self._before(ask), self._after(ask)
        note({"device": name, "before": before, "after": tables.written(after)})
        files.drop_pages(name)
        tables.swap(name, after)
        self.arm(name, ask)
        if ask.get("blocks"):  # what was read again meanwhile; elsewhere it would take its time
            files.drop_pages(name)

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read past the page cache where it should bite, and where it should not."""
        seen = self.seen(tables.node(str(ask["device"])), ask)
        if not seen:
            msg = f"injected, but no effect is seen on {ask['device']}, so it was undone"
            raise Refusal(msg)
        return {"seen": seen}

    def undo(self, state: Mapping[str, Any]) -> None:
        """Swap the table back if it is ours; a table of another process stays."""
        if not state:
            return
        name, now = str(state["device"]), tables.current(str(state["device"]))
        if not now:
            return
        if now != state["before"] and tables.is_of(now, str(state["after"])):
            tables.swap(name, tables.parse(str(state["before"])))
            files.drop_pages(name)  # bytes that are wrong may have been read
        elif tables.is_suspended(name):
            tables.dmsetup("resume", name)
        with suppress(Refusal):
            tables.dmsetup("clear", name)

    def repair(self, entry: Entry) -> list[list[str]]:
        """The table of before is put back below the file system, and what was read since forgotten."""
        name, before = str(entry.state["device"]), str(entry.state["before"])
        lines = " ".join(shlex.quote(line) for line in before.splitlines())
        swap = (
            f"printf '%s\\n' {lines} | dmsetup load {name}",
            *(f"dmsetup {verb} --noudevsync {name}" for verb in ("suspend", "resume")),
            "echo 1 > /proc/sys/vm/drop_caches",
        )
        return [["sh", "-c", " && ".join(swap)]]

    def stands(self, entry: Entry) -> bool:
        """Whether the table is ours."""
        state = entry.state
        return bool(state) and tables.is_of(tables.current(state["device"]), state["after"])

    def arm(self, name: str, ask: Mapping[str, Any]) -> None:
        """A message that the target needs besides; nothing by default."""

    @abstractmethod
    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """What stands in the place of a linear segment."""

    @abstractmethod
    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """What an access shows; empty for nothing unusual."""

    def _before(self, ask: Mapping[str, Any]) -> str:
        replaced = ask.get("replaces") or {}
        return str(replaced.get("before") or tables.written(tables.linear(str(ask["device"]))))

    def _after(self, ask: Mapping[str, Any]) -> tuple[Segment, ...]:
        table = tables.parse(self._before(ask))
        if not ask.get("blocks"):
            return tuple(self.below(segment, ask) for segment in table)
        size = sum(segment.length for segment in table) // SECTORS
        for first, last in ask["blocks"]:
            if not 0 <= first <= last < size:
                msg = f"device {ask['device']} has blocks 0 to {size - 1}, not {first} to {last}"
                raise Refusal(msg)
        return tables.cut(table, ask["blocks"], lambda segment: self.below(segment, ask))

    def _tried(self) -> None:
        """Stack a device of this target on one that holds nothing."""
        with suppress(Refusal):
            tables.dmsetup("remove", _TRIAL)
        lower = f"{_TRIAL}-below"
        with suppress(Refusal):
            tables.dmsetup("remove", lower)
        tables.dmsetup("create", lower, stdin="0 64 error\n")
        try:
            whole = Segment(0, 64, "linear", (tables.number(lower), "0"))
            ask = {"blocks": [], "delay_ms": 1, "share": 0.5, "mode": sorted(self.modes)[0]}
            tables.dmsetup("create", _TRIAL, stdin=f"{self.below(whole, ask)}\n")
            tables.dmsetup("remove", _TRIAL)
        finally:
            tables.dmsetup("remove", lower)


class Dust(Mapper):
    """Bad sectors by dm-dust: a write makes a sector whole again, as on a real disk."""

    name: ClassVar[str] = "dm-dust"
    target: ClassVar[str] = "dust"
    modes: ClassVar[frozenset[str]] = frozenset({"bad"})

    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """Blocks are numbered from the beginning of the device below."""
        if int(segment.words[1]) % SECTORS or segment.start % SECTORS:
            msg = "a segment of the volume does not begin at a block of 4 KiB, so dust cannot count"
            raise Refusal(msg)
        return replace(segment, target="dust", words=(*segment.words, str(files.BLOCK)))

    def _after(self, ask: Mapping[str, Any]) -> tuple[Segment, ...]:
        # The whole segment, in which single blocks are bad.
        super()._after(ask)
        return super()._after({**ask, "blocks": []})

    def arm(self, name: str, ask: Mapping[str, Any]) -> None:
        """Say which blocks are bad."""
        for segment in tables.parse(tables.dmsetup("table", name)):
            below, at = int(segment.words[1]), str(segment.start)
            for block in _inside(segment, ask["blocks"]):
                bad = (below + block * SECTORS - segment.start) // SECTORS
                tables.dmsetup("message", name, at, "addbadblock", str(bad))
            tables.dmsetup("message", name, at, "enable")

    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """A bad block fails, its neighbour does not."""
        return unreadable(path, ask["blocks"])

    def stands(self, entry: Entry) -> bool:
        """Whether there are bad blocks still: each can be written anew."""
        if not super().stands(entry):
            return False
        name = entry.state["device"]
        status = tables.dmsetup("status", name)
        counts = [
            tables.dmsetup("message", name, str(segment.start), "countbadblocks")
            for segment in tables.parse(entry.state["after"])
        ]
        return "fail_read_on_bad_block" in status and any(
            ": 0 badblock" not in text for text in counts
        )


class ErrorSegments(Mapper):
    """Bad sectors by segments of target `error`, which each kernel has: writes fail, too."""

    name: ClassVar[str] = "dm-error"
    target: ClassVar[str] = "error"
    modes: ClassVar[frozenset[str]] = frozenset({"bad"})

    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """Nothing is there."""
        return replace(segment, target="error", words=())

    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """A bad block fails, its neighbour does not."""
        return unreadable(path, ask["blocks"])


class Flakey(Mapper):
    """Disks that fail for some seconds again and again."""

    name: ClassVar[str] = "dm-flakey"
    target: ClassVar[str] = "flakey"
    modes: ClassVar[frozenset[str]] = frozenset({"flaky"})

    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """Up and down in whole seconds."""
        up, down = seconds(float(ask["share"]))
        return replace(segment, target="flakey", words=(*segment.words, str(up), str(down)))

    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """A read that fails within a period."""
        period = sum(seconds(float(ask["share"]))) + 1.0
        failed = wait_for(lambda: error_of(path, 0) == errno.EIO, period)
        return f"reads fail within {period:g} s" if failed else ""


class Delay(Mapper):
    """Each access takes longer."""

    name: ClassVar[str] = "dm-delay"
    target: ClassVar[str] = "delay"
    modes: ClassVar[frozenset[str]] = frozenset({"slow"})

    def below(self, segment: Segment, ask: Mapping[str, Any]) -> Segment:
        """The same place, later."""
        late = str(round(float(ask["delay_ms"])))
        return replace(segment, target="delay", words=(*segment.words, late))

    def seen(self, path: Path, ask: Mapping[str, Any]) -> str:
        """How long a read takes."""
        before = time.monotonic()
        read_block(path, 0)
        took_ms = (time.monotonic() - before) * 1000
        return f"a read takes {took_ms:.0f} ms" if took_ms >= 0.8 * float(ask["delay_ms"]) else ""


def refuse_own_disk(device: str, own: Sequence[Path] = ()) -> None:
    """Refuse to touch a disk that this program and its tools lie on.

    Args:
        device: Of the device mapper.
        own: Files that must be readable while it stands still; by default what swapping a table
            takes: the root of all files, Python, this program, `dmsetup`.

    Raises:
        Refusal: One of them lies on it.
    """
    paths = own or _needed()
    number = tables.number(device)
    for path in paths:
        if number in volumes.carriers(path):
            msg = (
                f"device {device} carries {path}, which is needed to swap its table: while it stands "
                "still nothing could be read there, and this machine would hang; choose a volume of "
                "its own"
            )
            raise Refusal(msg)


def _needed() -> list[Path]:
    tool = shutil.which("dmsetup")
    files_of_own = [Path("/"), Path(sys.executable), Path(__file__)]
    return [*files_of_own, *([Path(tool)] if tool else [])]


def _inside(segment: Segment, blocks: Sequence[Sequence[int]]) -> list[int]:
    first, last = segment.start // SECTORS, (segment.start + segment.length) // SECTORS
    meant = {block for begin, end in blocks for block in range(begin, end + 1)}
    return sorted(block for block in meant if first <= block < last)


def seconds(share: float) -> tuple[int, int]:
    """Whole seconds up and down whose share of down is the nearest, in the shortest period."""
    pairs = ((up, down) for down in range(1, _WINDOW_S) for up in range(_WINDOW_S - down + 1))
    return min(pairs, key=lambda pair: (abs(pair[1] / sum(pair) - share), sum(pair)))


def read_block(path: Path, block: int) -> bytes:
    """A block past the page cache."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, files.BLOCK) as page:
            os.preadv(fd, [page], block * files.BLOCK)
            return page[:]
    finally:
        os.close(fd)


def error_of(path: Path, block: int) -> int:
    """The number of the error that a block gives, 0 for none."""
    try:
        read_block(path, block)
    except OSError as error:
        return error.errno or -1
    return 0


def unreadable(path: Path, blocks: Sequence[Sequence[int]]) -> str:
    """The report where bad blocks fail and their neighbour does not; empty where it is not so."""
    bad = {block for first, last in blocks for block in (first, last)}
    inner = {block for first, last in blocks for block in range(first, last + 1)}
    good = next(block for block in range(len(inner) + 1) if block not in inner)
    if all(error_of(path, block) == errno.EIO for block in bad) and not error_of(path, good):
        return f"{len(inner)} blocks give Input/output error, others do not"
    return ""
