"""Where an index is read from: the file of this package, another file, or an address."""

from __future__ import annotations

import hashlib
import re
import time
import urllib.error
import urllib.request
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError
from sregym_core.errors import UsageError
from sregym_core.model.defect import field_path
from sregym_core.model.validation import invalid_fields

from sregym_index.form import Index

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.model.defect import Location

SHIPPED = "the index that sregym-index brings"
# An index of some thousand plugins has less.
MOST_BYTES = 8_000_000
TIMEOUT_S = 15.0
DAY_S = 24 * 3600.0


class Reader:
    """Reads indexes.

    Args:
        state: Folder in which copies from the network are kept; none keeps none.
        note: Told what is not as fresh as it could be.
        now: Seconds since 1970.
    """

    def __init__(
        self,
        state: Path | None,
        note: Callable[[str], object],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder = state / "index" if state else None
        self._note = note
        self._now = now

    def read(self, place: str, *, refresh: bool = False) -> tuple[Index, str]:
        """An index, and what errors call it.

        Args:
            place: A file or an address (`https://`, `http://`); empty for the one that is shipped.
            refresh: Whether a copy that is kept is left aside.

        Raises:
            UsageError: It cannot be read, or is none.
        """
        if not place:
            text = (files("sregym_index") / "index.yaml").read_text(encoding="utf-8")
            return parsed(text, SHIPPED), SHIPPED
        if place.startswith(("https://", "http://")):
            return self._from_network(place, refresh=refresh), place
        try:
            return parsed(Path(place).read_text(encoding="utf-8"), place), place
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            message = f"cannot read the index {place}: {why}; name a YAML file or an address, or leave --index out"
            raise UsageError(message) from error

    def _from_network(self, address: str, *, refresh: bool) -> Index:
        kept = self._kept(address)
        age = self._now() - kept.stat().st_mtime if kept and kept.is_file() else None
        if kept and age is not None and age < DAY_S and not refresh:
            return parsed(kept.read_text(encoding="utf-8"), address)
        try:
            text = _fetched(address)
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", None) or error
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            if kept is None or age is None:
                message = (
                    f"cannot fetch the index {address}: {why}; "
                    "name a file with --index, or leave it out for the one that is installed"
                )
                raise UsageError(message) from error
            self._note(
                f"cannot fetch {address}: {why}; its copy of {age / DAY_S:.0f} days ago is used"
            )
            return parsed(kept.read_text(encoding="utf-8"), address)
        index = parsed(text, address)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            fresh = kept.with_suffix(".new")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(kept)
        return index

    def _kept(self, address: str) -> Path | None:
        name = hashlib.blake2b(address.encode(), digest_size=16).hexdigest()
        return self._folder / f"{name}.yaml" if self._folder else None


def parsed(text: str, place: str) -> Index:
    """An index from its text.

    Raises:
        UsageError: It is none; each defect is told with its field.
    """
    try:
        content: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        message = f"{place}{line} is not YAML: {getattr(error, 'problem', None) or error}"
        raise UsageError(message) from error
    try:
        return Index.model_validate(content)
    except ValidationError as error:
        found = invalid_fields(error, Index, content)
        wrong = "; ".join(_defect(location, what, content) for location, what in found)
        raise UsageError(f"{place} is no index of plugins: {wrong}") from error


def _defect(location: Location, what: str, content: Any) -> str:
    """A defect with the distribution whose entry has it, and the field."""
    if len(location) < 2 or location[0] != "plugins":
        if location:
            return f"{field_path(location)}: {what}"
        return re.sub("^must ", "an index must ", what)
    entry = content["plugins"][location[1]]
    name = entry.get("distribution") if isinstance(entry, dict) else None
    where = [str(name or f"entry {int(location[1]) + 1}"), field_path(location[2:])]
    return f"{' '.join(filter(None, where))}: {what}"


def _fetched(address: str) -> str:
    request = urllib.request.Request(address, headers={"Accept": "application/yaml, */*"})  # noqa: S310 - http(s) alone gets here
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
        content: bytes = answer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        message = f"it has more than {MOST_BYTES:,} bytes"
        raise ValueError(message)
    return content.decode("utf-8")
