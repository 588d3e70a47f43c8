"""Whether two records of episodes are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_core.model import EpisodeRecord


def comparable(record: EpisodeRecord) -> str:
    """A record as text, without what the wall clock put in."""
    plain = record.model_copy(
        update={
            "wall_s": 0.0,
            "timeline": tuple(e.model_copy(update={"wall_s": 0.0}) for e in record.timeline),
            "transcript": tuple(
                call.model_copy(update={"wall_s": 0.0, "took_s": 0.0}) for call in record.transcript
            ),
        }
    )
    return plain.model_dump_json()


def where_different(first: EpisodeRecord, second: EpisodeRecord) -> str:
    """The first place at which they differ, in both."""
    one, two = comparable(first), comparable(second)
    at = next(
        (i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )
    return f"...{one[max(0, at - 30) : at + 40]}... against ...{two[max(0, at - 30) : at + 40]}..."
