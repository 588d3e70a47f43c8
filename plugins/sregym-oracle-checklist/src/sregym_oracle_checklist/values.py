"""Values that a change has on either side, and how texts tell them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(r"[A-Za-z0-9_./:@%-]*[A-Za-z0-9_%]")
_NUMBER = re.compile(
    r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s*(%|[kmgt]i?b?|ms|s|m|min|h)?(?![\w])", re.IGNORECASE
)
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*(%|ms|[munkgt]i?b?|s|min|h)?", re.IGNORECASE)
_UNITS = {
    "m": 1e-3, "ms": 1e-3, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40, "k": 1e3, "g": 1e9, "min": 60, "h": 3600,
}  # fmt: skip
_MOVE = re.compile(
    r"(?<!come )(?<!comes )(?<!came )(?<!coming )\bfrom (\S.{0,120}?),? (?:to|into) (\S.{0,120})|\bwas (\S.{0,120}?),? (?:and|but) is (?:now )?(\S.{0,120})"
    r"|(\S{1,80}) ?(?:->|→|=>) ?(\S{1,80})",
    re.IGNORECASE,
)
_LEFT_SIDE = re.compile(r"[\w./-]+=(?=[\w'\"])")
# A digit is told with what it counts: `minAvailable 1`.
_SMALL = re.compile(r"\b([A-Za-z]{3,})[ :=]+(\d)(?![\w.])")
_UNIT = re.compile(r"[kmgt]i?b(?:ps|its?)?", re.IGNORECASE)
# What may stand on a side of an arrow that tells a change.
_VALUE = re.compile(
    r"[\d=:`'\"]|^(?:none|unset|null|nil|empty|absent|missing|gone|nothing|on|off|true|false|yes|no)\b",
    re.IGNORECASE,
)
# A number without its unit is taken for a value only if it is not one that every text has.
_TELLING = 2


# `1/2` pods are ready.
_RATIO = re.compile(r"(?<![\w./])\d{1,3}/\d{1,3}(?![\w./])")
# A node called `ip-10-200-87-32` is no value of 200, nor `cart-db-200`.
_NAME = re.compile(r"(?<![\w.-])[a-z]\w*(?:-[\w.]+)*-\d+(?:-[\w.]+)*(?![\w-])", re.IGNORECASE)


def numbers(text: str) -> frozenset[tuple[str, str]]:
    """Numbers with the first letter of their unit: `10 MiB` and `10Mi` are the same."""
    plain = _NAME.sub(" ", _RATIO.sub(" ", text))
    return frozenset((n.replace(",", ""), (u or "").lower()[:1]) for n, u in _NUMBER.findall(plain))


def identifiers(text: str) -> frozenset[str]:
    """What looks like a name, path, address or value and not like a word, lower case."""
    return frozenset(
        token.lower()
        for token in (found.strip(".:-/") for found in _TOKEN.findall(text))
        if len(token) > 2 and (re.search(r"[\d_/.:=-]", token) or re.search("[a-z][A-Z]", token))
    )


def _telling_parts(names: frozenset[str], there: str) -> frozenset[str]:
    """Parts of addresses, image names and assignments by which they are called: `v2.1-rc` of `shop:v2.1-rc`."""
    parts = (part for name in names for part in re.split(r"[/:=@]", name))
    return frozenset(
        part
        for part in parts
        if len(part) > _TELLING and re.search(r"[-_.\d]", part) and part not in there.lower()
    )


class Values:
    """Values that one side of a change has and the other has not."""

    def __init__(self, here: str, there: str, known: str) -> None:
        # Of an assignment where nothing was before the left side is no value: `kubernetes.io/hostname=extra-node`.
        assigned = here if there.strip() else _LEFT_SIDE.sub(" ", here)
        self._names = frozenset(
            v for v in identifiers(assigned) if v not in known and not _UNIT.fullmatch(v)
        )
        self._names -= identifiers(there)
        self._names |= frozenset(v for v in _telling_parts(self._names, there) if v not in known)
        self._numbers = numbers(here) - numbers(there)
        self._named_by = {m[2]: m[1].lower() for m in _SMALL.finditer(here)}

    def __bool__(self) -> bool:
        return bool(self._names or self._numbers)

    def in_text(self, text: str) -> bool:
        """Whether the text gives one of them."""
        low = text.lower()
        if any(re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", low) for n in self._names):
            return True
        have = numbers(low)
        return any(
            (n in have or ((n[0], "") in have and len(n[0]) > _TELLING))
            and (n[1] or self._named_by.get(n[0], "") in low)
            for n in self._numbers
        )


def of_change(before: str, after: str) -> frozenset[str]:
    """What a change from one value to another is called."""
    if not after:
        return frozenset({"removed"} if before else ())
    if not before:
        return frozenset({"added"})
    sizes = [size(value) for value in (before, after)]
    if sizes[0] is None or sizes[1] is None:
        return frozenset({"wrong"})
    return frozenset({"low"} if sizes[1] < sizes[0] else {"high"})


def size(value: str) -> float | None:
    """A quantity as a number; None for everything else."""
    match = _QUANTITY.fullmatch(value.strip())
    return float(match[1]) * _UNITS.get((match[2] or "").lower(), 1.0) if match else None


def moves(text: str) -> list[tuple[str, str]]:
    """Old and new side of each change that a text tells: `from A to B`, `was A and is B`, `A -> B`."""
    found = []
    for move in _MOVE.finditer(text):
        old, new = (side for side in move.groups() if side is not None)
        # `no such claim -> Pending` tells what follows, and no change of a value.
        if move[5] is None or (_VALUE.search(old) and _VALUE.search(new)):
            found.append((old, new))
    return found


def finder(raw: str, values: Values) -> Callable[[str], bool]:
    """What finds one side of a change in a text; nothing is found by the words for it.

    Args:
        raw: The side as it stands in the ground truth, maybe empty.
        values: What tells it from the other side.
    """
    # Emphasis is taken out of texts before they are read.
    told = (
        re.escape(raw.replace("*", "").strip())
        or "unset|nothing|none|empty|missing|absent|gone|removed|deleted|dropped"
    )
    whole = re.compile(rf"(?<![\w-])(?:{told})(?![\w-])", re.IGNORECASE)

    def found(text: str) -> bool:
        return values.in_text(text) or whole.search(text.replace("*", "")) is not None

    return found
