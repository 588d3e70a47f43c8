"""What was changed on this machine, written down before it is changed.

One file for each change below a folder that the next start of the machine empties, as it undoes the
changes themselves. Everything that is needed to undo one stands there before it is made.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Dict, List  # noqa: UP035 - read at run time by Python 3.9

from . import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

INTENT, APPLIED, ENDED = "intent", "applied", "ended"


@dataclass(frozen=True)
class Entry:
    """One change.

    Attributes:
        ident: Name of its file.
        ask: The request; `key` says which thing it is about.
        owner: Who requested it.
        backend: By which back end.
        state: What the back end needs to undo it.
        phase: `intent`, `applied`, or `ended` when another process undid it, until that is noticed.
        boot: During which start of the machine.
        until: Seconds since that start after which it undoes itself.
        holder: Process that holds it and its start time; nothing before there is one.
        effect: What was seen of it.
    """

    ident: str
    ask: Dict[str, Any]  # noqa: UP006 - likewise
    owner: str
    backend: str
    until: float
    boot: str = field(default_factory=facts.boot_id)
    state: Dict[str, Any] = field(default_factory=dict)  # noqa: UP006
    phase: str = INTENT
    holder: List[int] = field(default_factory=list)  # noqa: UP006
    effect: Dict[str, Any] = field(default_factory=dict)  # noqa: UP006

    @property
    def key(self) -> str:
        """Which thing it is about."""
        return str(self.ask["key"])

    @property
    def is_held(self) -> bool:
        """Whether the process that holds it is there."""
        return bool(self.holder) and facts.started(self.holder[0]) == self.holder[1]


class Journal:
    """The changes of this machine.

    Args:
        folder: Where they are written down.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries = folder / "held"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock: no other process changes anything meanwhile."""
        self._entries.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def entries(self) -> list[Entry]:
        """All, oldest first."""
        found = sorted(self._entries.glob("*.json"), key=lambda path: int(path.stem))
        return [entry for entry in map(self._read, found) if entry is not None]

    def entry(self, ident: str) -> Entry | None:
        """One, or None when it is undone."""
        return self._read(self._entries / f"{ident}.json")

    def next_ident(self) -> str:
        """A name for a new one; no name is used twice in a row."""
        used = [int(path.stem) for path in self._entries.glob("*.json")]
        return str(max(used, default=0) + 1)

    def write(self, entry: Entry) -> None:
        """Write it down so that it is there even if the machine stops the next moment."""
        path = self._entries / f"{entry.ident}.json"
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            json.dump(asdict(entry), file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def change(self, ident: str, **fields: Any) -> Entry:
        """Write one anew with other fields."""
        entry = self.entry(ident)
        if entry is None:
            msg = f"change {ident} is not in the journal"
            raise LookupError(msg)
        changed = replace(entry, **fields)
        self.write(changed)
        return changed

    def remove(self, ident: str) -> None:
        """It is undone."""
        (self._entries / f"{ident}.json").unlink(missing_ok=True)

    def _read(self, path: Path) -> Entry | None:
        try:
            data: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except OSError:
            return None
        return Entry(**data)
