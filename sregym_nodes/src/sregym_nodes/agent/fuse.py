"""A disk that is one file, served to the kernel over /dev/fuse: what is behind it, and what is wrong with it.

The kernel's protocol itself is spoken, so a node needs no library. The mount point is a file, too,
so there are no names to look up.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import facts
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEVICE = Path("/dev/fuse")
BLOCK = 4096
_IN, _OUT = struct.Struct("=IIQQIIII"), struct.Struct("=IiQ")
_INIT_IN, _INIT_OUT = struct.Struct("=IIII"), struct.Struct("=IIIIHHIIHHII24x")
_ATTRIBUTES = struct.Struct("=QII QQQQQQ IIII IIIIII")
_OPENED, _READ = struct.Struct("=QII"), struct.Struct("=QQIIQII")
_WRITTEN, _ROOM = struct.Struct("=II"), struct.Struct("=QQQQQIIII24x")
_MOST = 1 << 17
_BUFFER = _MOST + 8192
_BIG_WRITES, _UNCACHED = 1 << 5, 1  # FUSE_BIG_WRITES, FOPEN_DIRECT_IO
_MODE = 0o100600
_AT = 32  # which byte of a block lies
_FLIPPED = 0xFF
_SERVERS = 4


class Disk:
    """One that is served.

    Args:
        behind: A file or a block device.
        rule: File that defines the defect, `until` when; none for a disk that is whole.
    """

    def __init__(self, behind: Path, rule: Path) -> None:
        self._fd = os.open(behind, os.O_RDWR)
        self._size = os.lseek(self._fd, 0, os.SEEK_END)
        self._rule, self._known, self._wrong = rule, (-1, -1), {}  # type: Path, Any, dict[str, Any]
        self._lock = threading.Lock()
        self._answers: Mapping[int, Callable[[bytes], bytes]] = {
            **{26: self._begin, 3: self._attributes, 4: self._attributes, 14: self._opened},
            **{15: self._read, 16: self._write, 20: self._synced, 17: self._room},
            **dict.fromkeys((18, 25, 34, 38), lambda _: b""),
        }

    def mount(self, at: Path) -> int:
        """Let the kernel send its requests under a file that is there; gives the descriptor to serve.

        Raises:
            Refusal: The kernel cannot.
        """
        try:
            fd = os.open(DEVICE, os.O_RDWR)
        except OSError as error:
            msg = f"{DEVICE} cannot be opened: {error.strerror}; load the module fuse, or take a kernel that has it"
            raise Refusal(msg) from error
        options = f"fd={fd},rootmode=100000,user_id=0,group_id=0,allow_other"
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"disk", os.fsencode(at), b"fuse", 6, options.encode()):  # nosuid, nodev
            why = os.strerror(ctypes.get_errno())
            os.close(fd)
            msg = f"a file system of user space cannot be mounted here: {why}"
            raise Refusal(msg)
        return fd

    def serve(self, fd: int) -> None:
        """Answer until it is unmounted."""
        threads = [threading.Thread(target=self._serve, args=(fd,)) for _ in range(_SERVERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _serve(self, fd: int) -> None:
        while True:
            try:
                asked = os.read(fd, _BUFFER)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                return  # unmounted
            _, what, unique, *_ = _IN.unpack_from(asked)
            if what in (2, 36, 42):  # forget or interrupt: no response is expected
                continue
            try:
                answer = self._answers.get(what)
                said, number = (
                    (b"", errno.ENOSYS) if answer is None else (answer(asked[_IN.size :]), 0)
                )
            except OSError as error:
                said, number = b"", error.errno or errno.EIO
            with suppress(OSError):
                os.write(fd, _OUT.pack(_OUT.size + len(said), -number, unique) + said)

    def _begin(self, given: bytes) -> bytes:
        major, minor, ahead, _ = _INIT_IN.unpack_from(given)
        return _INIT_OUT.pack(
            major, min(minor, 31), ahead, _BIG_WRITES, 16, 12, _MOST, 1, 0, 0, 0, 0
        )

    def _attributes(self, _: bytes) -> bytes:
        times = (int(time.time()),) * 3
        return _ATTRIBUTES.pack(
            1, 0, 0, 1, self._size, self._size // 512, *times, 0, 0, 0, _MODE, 1, 0, 0, 0, BLOCK, 0
        )

    def _opened(self, _: bytes) -> bytes:
        return _OPENED.pack(1, _UNCACHED, 0)

    def _read(self, given: bytes) -> bytes:
        _, offset, size, *_ = _READ.unpack_from(given)
        wrong = self._as_it_is()
        _late(wrong)
        if _meets(wrong.get("bad"), offset, size):
            raise OSError(errno.EIO, "")
        return _altered(os.pread(self._fd, size, offset), offset, wrong.get("corrupt"))

    def _write(self, given: bytes) -> bytes:
        _, offset, size, *_ = _READ.unpack_from(given)
        data, wrong = given[_READ.size : _READ.size + size], self._as_it_is()
        _late(wrong)
        if wrong.get("corrupt"):
            data = self._without_lies(data, offset, wrong["corrupt"])
        os.pwrite(self._fd, data, offset)
        if _meets(wrong.get("bad"), offset, size):
            self._heal(offset, size)
        return _WRITTEN.pack(size, 0)

    def _synced(self, _: bytes) -> bytes:
        _late(self._as_it_is())
        os.fsync(self._fd)
        return b""

    def _room(self, _: bytes) -> bytes:
        return _ROOM.pack(self._size // BLOCK, 0, 0, 1, 0, BLOCK, 255, BLOCK, 0)

    def _as_it_is(self) -> Mapping[str, Any]:
        """What is wrong now."""
        with self._lock:
            try:
                status = self._rule.stat()
                now = (status.st_mtime_ns, status.st_ino)
                if now != self._known:
                    self._wrong, self._known = (
                        json.loads(self._rule.read_text(encoding="utf-8")),
                        now,
                    )
            except OSError:
                self._wrong, self._known = {}, (-1, -1)
            return self._wrong if self._wrong.get("until", 0) > facts.now() else {}

    def _heal(self, offset: int, size: int) -> None:
        """A disk puts another sector in the place of a bad one that is written as a whole."""
        written = set(range(-(-offset // BLOCK), (offset + size) // BLOCK))
        with self._lock:
            left = sorted(_each(self._wrong.get("bad") or ()) - written)
            self._wrong = {**self._wrong, "bad": [[block, block] for block in left]}
            save(self._rule, self._wrong)
            status = self._rule.stat()
            self._known = (status.st_mtime_ns, status.st_ino)

    def _without_lies(self, data: bytes, offset: int, blocks: Any) -> bytes:
        """A process that read a false byte and writes its page writes the original byte."""
        true = bytearray(data)
        for place in _places(blocks, offset, len(data)):
            there = os.pread(self._fd, 1, place)
            if there and true[place - offset] == there[0] ^ _FLIPPED:
                true[place - offset] = there[0]
        return bytes(true)


def save(rule: Path, wrong: Mapping[str, Any]) -> None:
    """Let a disk be so from the next access on."""
    part = rule.with_suffix(".part")
    part.write_text(json.dumps(dict(wrong)), encoding="utf-8")
    part.replace(rule)


def _late(wrong: Mapping[str, Any]) -> None:
    """Wait as long as an access takes; in seconds of failure it fails."""
    if wrong.get("delay_ms"):
        threading.Event().wait(float(wrong["delay_ms"]) / 1000)
    up, down = wrong.get("up", 1), wrong.get("down", 0)
    if down and (facts.now() - wrong.get("since", 0)) % (up + down) >= up:
        raise OSError(errno.EIO, "")


def _each(blocks: Any) -> set[int]:
    return {block for first, last in blocks for block in range(first, last + 1)}


def _meets(blocks: Any, offset: int, size: int) -> bool:
    end = offset + size
    return any(first * BLOCK < end and offset < (last + 1) * BLOCK for first, last in blocks or ())


def _places(blocks: Any, offset: int, size: int) -> list[int]:
    """Which bytes of a part lie."""
    places = (block * BLOCK + _AT for block in _each(blocks))
    return [place for place in places if offset <= place < offset + size]


def _altered(data: bytes, offset: int, blocks: Any) -> bytes:
    lies = bytearray(data)
    for place in _places(blocks or (), offset, len(data)):
        lies[place - offset] ^= _FLIPPED
    return bytes(lies)
