"""Tables of the device mapper: read, cut, written; and one put in the place of another while in use."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from .facts import read
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECTORS = 8  # of a block of 4 KiB


@dataclass(frozen=True)
class Segment:
    """A line of a table.

    Attributes:
        start: First sector.
        length: Sectors.
        target: `linear`, `error` ...
        words: Arguments of the target.
    """

    start: int
    length: int
    target: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((str(self.start), str(self.length), self.target, *self.words))

    def part(self, start: int, end: int) -> Segment:
        """The sectors from `start` to before `end`, of a linear segment."""
        device, offset = self.words
        moved = str(int(offset) + start - self.start)
        return replace(self, start=start, length=end - start, words=(device, moved))


def parse(text: str) -> tuple[Segment, ...]:
    """A table as `dmsetup table` prints it."""
    lines = (line.split() for line in text.splitlines() if line.strip())
    return tuple(Segment(int(w[0]), int(w[1]), w[2], tuple(w[3:])) for w in lines)


def written(table: Sequence[Segment]) -> str:
    """The same as text."""
    return "".join(f"{segment}\n" for segment in table)


def linear(name: str) -> tuple[Segment, ...]:
    """The table of a device, if it can be cut.

    Raises:
        Refusal: There is no such device, or what it maps is no plain part of another.
    """
    known = sorted(read(path).strip() for path in Path("/sys/block").glob("dm-*/dm/name"))
    if name not in known:
        msg = f"there is no device {name!r} of the device mapper; there are: {', '.join(known) or 'none'}"
        raise Refusal(msg)
    table = parse(dmsetup("table", name))
    for segment in table:
        if segment.target != "linear":
            msg = (
                f"device {name} has a segment of target {segment.target!r}, which cannot be cut; only "
                "linear ones can, so put the volume on a plain logical volume"
            )
            raise Refusal(msg)
    return table


def cut(
    table: Sequence[Segment], blocks: Sequence[Sequence[int]], other: Callable[[Segment], Segment]
) -> tuple[Segment, ...]:
    """A table in which some blocks (first, last) are what `other` makes of these parts."""
    marks = {(first * SECTORS, (last + 1) * SECTORS) for first, last in blocks}
    return tuple(part for segment in table for part in _cut(segment, sorted(marks), other))


def _cut(
    segment: Segment, marks: Sequence[tuple[int, int]], other: Callable[[Segment], Segment]
) -> Iterator[Segment]:
    here, end = segment.start, segment.start + segment.length
    for first, last in marks:
        begin, stop = max(here, first), min(end, last)
        if begin >= stop:
            continue
        if begin > here:
            yield segment.part(here, begin)
        yield other(segment.part(begin, stop))
        here = stop
    if here < end:
        yield segment.part(here, end)


def swap(name: str, table: Sequence[Segment], between: Callable[[], None] | None = None) -> None:
    """Put another table in place: what is under way is finished before, and nothing is lost.

    Args:
        name: Of the device.
        table: The other one.
        between: Called while no reads or writes are under way there.
    """
    dmsetup("load", name, stdin=written(table))
    # No file system needs to stand still: each sector stays where it was.
    dmsetup("suspend", "--nolockfs", name)
    try:
        if between is not None:
            between()
    finally:
        dmsetup("resume", name)


def current(name: str) -> str:
    """The text of the table of a device, as `written` writes it; nothing when there is none."""
    try:
        return written(parse(dmsetup("table", name)))
    except Refusal:
        return ""


def is_of(now: str, made: str) -> bool:
    """Whether a table is the one that was made: the kernel adds arguments that were not given."""
    pairs = list(zip_longest(parse(now), parse(made)))
    return bool(pairs) and all(
        one is not None
        and other is not None
        and (one.start, one.length, one.target) == (other.start, other.length, other.target)
        and one.words[: len(other.words)] == other.words
        for one, other in pairs
    )


def is_suspended(name: str) -> bool:
    """Whether a device stands still."""
    said = dmsetup("info", "-c", "--noheadings", "-o", "suspended", name)
    return said.strip().lower() == "suspended"


def number(name: str) -> str:
    """A device as `MAJOR:MINOR`."""
    return dmsetup("info", "-c", "--noheadings", "-o", "major,minor", name).strip()


def is_there() -> bool:
    """Whether the kernel has a device mapper, after its module has been loaded where there is one."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", "dm-mod"], check=False, capture_output=True)
    dmsetup("--version")
    return "device-mapper" in read(Path("/proc/misc"))


def has_target(target: str) -> bool:
    """Whether the kernel has a target, after its module has been loaded where there is one."""
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", f"dm-{target}"], check=False, capture_output=True)
    return any(
        line.split()[0] == target for line in dmsetup("targets").splitlines() if line.split()
    )


def node(name: str) -> Path:
    """The file of a device, made where no program makes it."""
    path = Path("/dev/mapper", name)
    if not path.exists():
        dmsetup("mknodes", name)
    return path


def dmsetup(verb: str, *words: str, stdin: str = "") -> str:
    """Run `dmsetup`; nothing waits for udev.

    Raises:
        Refusal: It is not there, or refused.
    """
    quiet = ("--noudevsync",) if verb in ("create", "remove", "resume", "suspend") else ()
    try:
        done = subprocess.run(
            ["dmsetup", verb, *quiet, *words],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        msg = "the program dmsetup is not on this machine; install the package dmsetup (or lvm2)"
        raise Refusal(msg) from error
    if done.returncode:
        message = " ".join((done.stderr or done.stdout).split())
        msg = f"dmsetup {verb} {' '.join(words)} was refused: {message}"
        raise Refusal(msg)
    return done.stdout
