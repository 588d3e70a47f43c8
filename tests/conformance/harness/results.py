"""What a replay found, and how it is told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.twins import Comparison

# Lines of a difference without --show.
FIRST_LINES = 12


@dataclass(frozen=True)
class Failure:
    """One answer that is not the recorded one.

    Attributes:
        number: Which step of the recording, from 0.
        what: The command, or the part that was compared.
        lines: The difference: `-` recorded, `+` embedded.
    """

    number: int
    what: str
    lines: tuple[str, ...]


@dataclass
class Result:
    """How many answers of one recording match.

    Attributes:
        area: The part of the API.
        name: Id of the recording.
        matched: How many do.
        total: How many there are.
        failures: Those that do not.
        both: Its commands run in process and by the binary, where that was asked for.
    """

    area: str
    name: str
    matched: int = 0
    total: int = 0
    failures: list[Failure] = field(default_factory=list)
    both: list[Comparison] = field(default_factory=list)


def share(results: list[Result]) -> float:
    """The part of all answers that match, from 0 to 1."""
    return sum(result.matched for result in results) / sum(result.total for result in results)


def as_json(results: list[Result]) -> str:
    """Counts by area and in all, as one JSON object."""
    areas: dict[str, dict[str, int]] = {}
    for result in results:
        entry = areas.setdefault(result.area, {"matched": 0, "total": 0})
        entry["matched"] += result.matched
        entry["total"] += result.total
    whole = {
        "areas": dict(sorted(areas.items())),
        "matched": sum(entry["matched"] for entry in areas.values()),
        "total": sum(entry["total"] for entry in areas.values()),
    }
    return json.dumps(whole)


def as_text(results: list[Result], show: bool) -> str:
    """First differences of what fails (all of them with `show`), then the table of areas."""
    lines: list[str] = []
    for result in results:
        if not result.failures:
            continue
        lines.append(f"{result.area}/{result.name}: {result.matched} of {result.total} match")
        for failure in result.failures if show else result.failures[:1]:
            command, _, rest = failure.what.partition("\n")
            lines.append(f"  step {failure.number}: $ {command}{' ...' if rest else ''}")
            shown = failure.lines if show else failure.lines[:FIRST_LINES]
            lines += [f"    {line}" for line in shown]
            if left := len(failure.lines) - len(shown):
                lines.append(f"    ... {left} more lines (--show)")
        lines.append("")
    return "\n".join([*lines, *table(results)])


def table(results: list[Result]) -> list[str]:
    """The areas with their counts, as Markdown."""
    whole = json.loads(as_json(results))
    rows = [*whole["areas"].items(), ("all", {k: whole[k] for k in ("matched", "total")})]
    lines = ["| area | matched | total | share |", "|---|---:|---:|---:|"]
    for name, entry in rows:
        share = entry["matched"] / entry["total"] if entry["total"] else 1.0
        lines.append(f"| {name} | {entry['matched']} | {entry['total']} | {share:.1%} |")
    return lines
