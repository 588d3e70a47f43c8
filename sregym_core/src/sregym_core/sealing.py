"""Files that agents must not read while they play, sealed until that is over.

An agent without walls can read a run's folder, where the plan, the undo journals and the records of
earlier attempts would name the fault. Until the end they are encrypted with a key that is in the
memory of the harness and, so that a killed run can be gone on with, in a file of the user's state
folder (`~/.local/state/sregym`, mode 0600), which walls do not show.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import os
import secrets
import zlib
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = b"sealed "
_NONCE, _TAG, _LENGTH = 16, 32, 8
# Sizes are rounded up to it: the length of a name says which of a few it is.
_BLOCK = 1024


@dataclass(frozen=True)
class Seal:
    """A key, and what it is called in the files that it seals.

    Attributes:
        id: Random; the name of the key's file.
        key: 32 random bytes.
    """

    id: str
    key: bytes = field(repr=False)

    @classmethod
    def made(cls) -> Seal:
        """A new one. Where its key cannot be kept in a file, it is lost with this process."""
        seal = cls(secrets.token_hex(8), secrets.token_bytes(32))
        with suppress(OSError, RuntimeError):
            place = _state()
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(place / seal.id, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as stream:
                stream.write(seal.key)
        return seal

    @classmethod
    def of(cls, file: Path) -> Seal | None:
        """The one by which a file is sealed; None when it is not, or the key is not kept here."""
        try:
            return _kept(file.read_bytes())
        except OSError:
            return None

    @classmethod
    def of_bytes(cls, content: bytes) -> Seal | None:
        """The one by which some content is sealed, as `of` for what is in no file."""
        return _kept(content)

    def drop(self) -> None:
        """Forget the key's file: nothing is sealed by it any more."""
        with suppress(OSError, RuntimeError):
            (_state() / self.id).unlink(missing_ok=True)

    def line(self, content: bytes) -> bytes:
        """A line whose content only this seal can open."""
        packed = zlib.compress(content, level=1)
        framed = len(packed).to_bytes(_LENGTH, "big") + packed
        framed += bytes(-len(framed) % _BLOCK)
        nonce = secrets.token_bytes(_NONCE)
        hidden = self._stream(nonce, framed)
        return (
            _MARK
            + self.id.encode()
            + b" "
            + b64encode(nonce + hidden + self._tag(nonce + hidden))
            + b"\n"
        )

    def content(self, line: bytes) -> bytes:
        """What was sealed as a line.

        Raises:
            ValueError: It was sealed by another, or changed since.
        """
        sealed = b64decode(line.split(b" ", 2)[2], validate=True)
        body, tag = sealed[:-_TAG], sealed[-_TAG:]
        if not hmac.compare_digest(tag, self._tag(body)):
            msg = "the line was not sealed by this key"
            raise ValueError(msg)
        framed = self._stream(body[:_NONCE], body[_NONCE:])
        length = int.from_bytes(framed[:_LENGTH], "big")
        return zlib.decompress(framed[_LENGTH : _LENGTH + length])

    def close(self, files: Iterable[Path]) -> None:
        """Seal those of some files that are not sealed."""
        for file in files:
            content = file.read_bytes()
            if not content.startswith(_MARK):
                replace_file(file, self.line(content))

    def reveal(self, files: Iterable[Path]) -> None:
        """Write those of some files plain that are sealed; what cannot be opened stays."""
        for file in files:
            content = file.read_bytes()
            if content.startswith(_MARK):
                with suppress(ValueError, IndexError):
                    replace_file(file, b"".join(map(self.content, content.splitlines())))

    def _stream(self, nonce: bytes, data: bytes) -> bytes:
        """Data combined with as many bytes as only the key gives; done twice, the data again."""
        stream = hashlib.shake_256(b"stream" + self.key + nonce).digest(len(data))
        mixed = int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")
        return mixed.to_bytes(len(data), "big")

    def _tag(self, body: bytes) -> bytes:
        return hmac.digest(hashlib.sha256(b"tag" + self.key).digest(), body, "sha256")


def contents(file: Path) -> bytes:
    """What a file holds, sealed or not.

    Raises:
        UsageError: It is sealed, and not by a key of this user.
        OSError: It cannot be read.
    """
    return opened(file.read_bytes(), str(file))


def opened(content: bytes, where: str) -> bytes:
    """Content as it was before it was sealed; what is not sealed, as it is.

    Args:
        content: Sealed lines, or anything else.
        where: Its place, for errors.

    Raises:
        UsageError: It is sealed, and not by a key of this user.
    """
    if not content.startswith(_MARK):
        return content
    seal = _kept(content)
    try:
        if seal is not None:
            return b"".join(map(seal.content, content.splitlines()))
    except (ValueError, IndexError):
        pass  # told below
    msg = (
        f"{where!r} is sealed until its run is over, and no key in the state folder of this user "
        "opens it; read it as the user and on the machine that began the run"
    )
    raise UsageError(msg)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old or the new one, never half of it."""
    temporary = path.with_suffix(path.suffix + ".part")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def _state() -> Path:
    return Path.home() / ".local" / "state" / "sregym"


def _kept(content: bytes) -> Seal | None:
    try:
        mark, name, _ = content.split(b" ", 2)
        name = binascii.hexlify(binascii.unhexlify(name))  # no path
        key = (_state() / name.decode()).read_bytes()
    except (OSError, RuntimeError, ValueError):
        return None
    return Seal(name.decode(), key) if mark + b" " == _MARK else None
