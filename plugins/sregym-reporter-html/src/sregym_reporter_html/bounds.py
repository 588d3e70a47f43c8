"""What of a record goes into the page: enough to follow an episode, and bounded.

The whole transcript stands in the episode's `record.json`; a page that holds all of it cannot be
sent to anybody. What is left out is said in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import EpisodeRecord, TimelineEntry, ToolCall

# Characters of one text, and of all outputs of one episode together.
TEXT_CAP = 1_500
OUTPUT_CAP = 1_000
OUTPUTS_CAP = 3_000
COMMAND_CAP = 160
CALLS_CAP = 20
ENTRIES_CAP = 30


@dataclass(frozen=True)
class Call:
    """A tool call as it is shown."""

    at_s: float
    command: str
    output: str


@dataclass(frozen=True)
class Episode:
    """A record with what is shown of its long parts.

    Attributes:
        record: The record.
        calls: The first calls, without submissions.
        calls_left_out: How many more there were.
        entries: The first and the last events.
        entries_left_out: How many lie between; they would stand before `entries[cut]`.
        cut: Index of the first entry after the gap.
    """

    record: EpisodeRecord
    calls: tuple[Call, ...]
    calls_left_out: int
    entries: tuple[TimelineEntry, ...]
    entries_left_out: int
    cut: int


def bounded(record: EpisodeRecord) -> Episode:
    """The record with its long parts cut to their bounds."""
    made = [call for call in record.transcript if call.tool != "submit"]
    calls = []
    left = OUTPUTS_CAP
    for call in made[:CALLS_CAP]:
        output = shortened(call.output, min(OUTPUT_CAP, max(left, 0)), call.truncated)
        left -= len(output)
        calls.append(Call(call.at_s, shortened(_command(call), COMMAND_CAP), output))
    entries, gap = _ends(record.timeline, ENTRIES_CAP)
    return Episode(
        record=record,
        calls=tuple(calls),
        calls_left_out=max(0, len(made) - CALLS_CAP),
        entries=entries,
        entries_left_out=gap,
        cut=len(entries) // 2,
    )


def shortened(text: str, cap: int = TEXT_CAP, more: bool = False) -> str:
    """The beginning of a text, with the number of characters that are left out.

    Args:
        text: Any text.
        cap: Characters that are shown.
        more: Whether the text was cut before, so that its length is unknown.
    """
    if len(text) <= cap and not more:
        return text
    cut = len(text) - cap
    what = f"{cut} more characters" if cut > 0 and not more else "more"
    return f"{text[:cap]}\N{HORIZONTAL ELLIPSIS} [{what}]"


def _command(call: ToolCall) -> str:
    command = call.arguments.get("command")
    if command is not None:
        return str(command)
    return " ".join([call.tool, *map(str, call.arguments.values())])


def _ends(entries: Sequence[TimelineEntry], cap: int) -> tuple[tuple[TimelineEntry, ...], int]:
    if len(entries) <= cap:
        return tuple(entries), 0
    half = cap // 2
    return (*entries[:half], *entries[-half:]), len(entries) - 2 * half
