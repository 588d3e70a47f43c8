"""Where a campaign's records are: a folder, or any place that fsspec knows.

    campaign.json        the plan
    begun/e00001-1       a try with a language model was begun: what it spent is not known until it ends
    records/e00001-1     a try that ended, with its record
    aside/e00001-1       what stood there and could not be read
    writer               who writes

One file a try, written whole or not at all: whatever ends the process, no try is half there and none
is there twice. Until all is over the files are sealed, since agents without walls could read them.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sregym_core.errors import UsageError
from sregym_core.model.validation import explain
from sregym_core.sealing import Seal, opened, replace_file

from sregym_campaign.plan import Plan
from sregym_campaign.tries import Try

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = "campaign.json"
_WRITER = "writer"
# A writer elsewhere gives a sign so often, and is taken for dead after so long without one.
BEAT_S = 10.0
DEAD_S = 60.0


@dataclass(frozen=True)
class Damaged:
    """A record that could not be read.

    Attributes:
        file: Its name.
        why: What is wrong with it.
    """

    file: str
    why: str


class Store:
    """The records of one campaign.

    Args:
        url: A folder, or a URL of fsspec.

    Raises:
        UsageError: There is no such protocol, or what it needs is not installed.
    """

    def __init__(self, url: str) -> None:
        from fsspec.core import url_to_fs

        self.url = url
        try:
            self._fs, self._root = url_to_fs(url)
        except (ValueError, ImportError, OSError) as error:
            msg = f"records cannot go to {url!r}: {error}"
            raise UsageError(msg) from error
        self.local = "file" in (
            (self._fs.protocol,) if isinstance(self._fs.protocol, str) else self._fs.protocol
        )
        self._seal: Seal | None = None
        self._lock: int | None = None
        self._me = secrets.token_hex(8)
        self._beaten = -BEAT_S
        self._claimed = False

    # ------------------------------------------------------------------ one writer

    def claim(self) -> None:
        """Become the one who writes.

        Raises:
            UsageError: Another process does, or nothing can be written there.
        """
        try:
            if self.local:
                for folder in ("records", "begun", "aside"):
                    Path(self._path(folder)).mkdir(parents=True, exist_ok=True)
                self._lock = os.open(self._path(_WRITER), os.O_RDWR | os.O_CREAT, 0o600)
                # Not inherited by workers, and gone with this process however it ends.
                fcntl.lockf(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            self._claim_elsewhere()
        except BlockingIOError as error:
            raise self._taken() from error
        except OSError as error:
            msg = f"records cannot be written to {self.url!r}: {error.strerror or error}"
            raise UsageError(msg) from error

    def _claim_elsewhere(self) -> None:
        found = self._get(_WRITER)
        if found is not None:
            with suppress(ValueError, KeyError):
                other = json.loads(found)
                if other["id"] != self._me and _now() - float(other["beat"]) < DEAD_S:
                    raise self._taken()
        self._beaten = -BEAT_S
        self.beat()
        # Of two that came in the same moment, the one that wrote last goes on; the other one learns
        # of it here or, where it had looked already, with its next sign of life.
        if self._writer() != self._me:
            raise self._taken()
        self._claimed = True

    def _writer(self) -> str:
        """Id of the writer, as it stands there; empty for none."""
        with suppress(ValueError, KeyError):
            return str(json.loads(self._get(_WRITER) or b"{}")["id"])
        return ""

    def _taken(self) -> UsageError:
        return UsageError(f"another process writes to {self.url!r}; wait until it has ended")

    def beat(self) -> None:
        """Give a sign of life, where nothing else tells of it.

        Raises:
            UsageError: Another process writes there: it began in the same moment, or took this one
                for dead. What was written so far is kept.
        """
        if self.local or time.monotonic() - self._beaten < BEAT_S:
            return
        if self._claimed and self._writer() not in ("", self._me):
            raise self._taken()
        self._beaten = time.monotonic()
        sign = {"id": self._me, "host": socket.gethostname(), "pid": os.getpid(), "beat": _now()}
        self._put(_WRITER, json.dumps(sign).encode())

    def release(self) -> None:
        """Let others write."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        elif not self.local and self._writer() == self._me:
            self._claimed = False
            with suppress(OSError):
                self._fs.rm_file(self._path(_WRITER))

    # ------------------------------------------------------------------ the plan

    def plan(self) -> Plan | None:
        """What is kept here; None for nothing.

        Raises:
            UsageError: It is damaged, or sealed with another key.
        """
        content = self._get(_HEAD)
        if content is None:
            return None
        self._seal = Seal.of_bytes(content)
        try:
            return Plan.model_validate_json(opened(content, f"{self.url}/{_HEAD}"))
        except ValidationError as error:
            wrong = explain(error, Plan, None)
            raise UsageError(f"'{self.url}/{_HEAD}' is damaged: {wrong}") from error

    def write_plan(self, plan: Plan) -> None:
        """Keep it; sealed, unless it is finished."""
        content = plan.model_dump_json(indent=None).encode() + b"\n"
        if not plan.finished and self._seal is None:
            self._seal = Seal.made()
        self._put(_HEAD, content if plan.finished else self._sealed(content))

    # ------------------------------------------------------------------ tries

    def note_begun(self, name: str) -> None:
        """Keep that a try was begun."""
        self._put(f"begun/{name}", b"\n")

    def begun(self) -> set[str]:
        """Names of all tries that were noted as begun."""
        return set(self._names("begun"))

    def add(self, one: Try) -> None:
        """Keep a try that ended."""
        content = json.loads(one.model_dump_json())
        text = json.dumps({"digest": _digest(content), "try": content}).encode() + b"\n"
        self._put(f"records/{one.id}", self._sealed(text))

    def tries(self) -> Iterator[Try | Damaged]:
        """All that were kept, in the order of their names, and what cannot be read."""
        for name in sorted(self._names("records")):
            yield self._try(name)

    def _try(self, name: str) -> Try | Damaged:
        try:
            text = opened(self._get(f"records/{name}") or b"", name)
            whole = json.loads(text)
            if whole["digest"] != _digest(whole["try"]):
                return Damaged(name, "its content is not what was written")
            one = Try.model_validate(whole["try"])
        except UsageError as error:
            return Damaged(name, str(error))
        except (ValueError, KeyError, TypeError) as error:
            why = "it is cut off or overwritten" if isinstance(error, ValueError) else str(error)
            return Damaged(name, why)
        return one if one.id == name else Damaged(name, f"it is that of {one.id}")

    def set_aside(self, damaged: Damaged) -> None:
        """Move a file to where it is not counted."""
        content = self._get(f"records/{damaged.file}")
        self._put(f"aside/{damaged.file}", content or b"")
        self._fs.rm_file(self._path(f"records/{damaged.file}"))

    def redact(self, plan: Plan) -> Plan:
        """Seal all again, since more is played in a finished campaign; gives the plan as it is then."""
        unfinished = plan.model_copy(update={"finished": False})
        self.write_plan(unfinished)
        for name in self._names("records"):
            place = f"records/{name}"
            self._put(place, self._sealed(opened(self._get(place) or b"", name)))
        return unfinished

    def reveal(self, plan: Plan) -> None:
        """Write all plain, the plan last: its state tells that all is."""
        for name in self._names("records"):
            place = f"records/{name}"
            content = self._get(place) or b""
            with suppress(UsageError):
                plain = opened(content, name)
                if plain != content:
                    self._put(place, plain)
        self.write_plan(plan)
        if self._seal is not None:
            self._seal.drop()
            self._seal = None

    def write(self, name: str, content: str) -> str:
        """Put a file beside the records; gives its address."""
        self._put(name, content.encode())
        return f"{self.url.rstrip('/')}/{name}"

    # ------------------------------------------------------------------ files

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _sealed(self, content: bytes) -> bytes:
        return content if self._seal is None else self._seal.line(content)

    def _get(self, name: str) -> bytes | None:
        try:
            content: bytes = self._fs.cat_file(self._path(name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return content

    def _put(self, name: str, content: bytes) -> None:
        if self.local:
            replace_file(Path(self._path(name)), content)
        else:
            self._fs.pipe_file(self._path(name), content)

    def _names(self, folder: str) -> list[str]:
        self._fs.invalidate_cache()
        try:
            found = self._fs.ls(self._path(folder), detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        names = [path.rstrip("/").rpartition("/")[2] for path in found]
        return [name for name in names if not name.endswith(".part")]


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _now() -> float:
    """Seconds that machines agree about."""
    return time.time()
