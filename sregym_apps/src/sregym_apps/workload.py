"""What a load generator measured, read from its log.

A generator works in rounds of one length. At the end of each it writes one line per operation;
other lines are none of our business:

    2026-11-21T22:00:10Z op=hotels requests=600 ok=598 failed=2 p50_ms=8.1 p99_ms=31.2
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_core.interfaces import OperationTraffic, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) (.*\bop=.*)$")

# What a shell would read otherwise than as words between spaces.
_QUOTING = re.compile(r"""["'\\]""")
_WORD = re.compile(r"[^ \t\r\n]+")
# Windows overlap: most lines are read several times.
_LINES_KEPT = 4096

# The times of rounds have whole seconds, so a round may seem to begin up to a second early.
_ROUNDING_S = 1.0


@dataclass(frozen=True)
class RoundLine:
    """How one operation fared in one round.

    Attributes:
        at: Unix time at the end of the round.
        operation: Name of the operation.
        requests: Requests sent.
        ok: Good answers.
        p50_ms: Median latency of the answers, good and bad.
        p99_ms: 99th percentile.
    """

    at: float
    operation: str
    requests: int
    ok: int
    p50_ms: float
    p99_ms: float


def parse_rounds(log: str) -> list[RoundLine]:
    """The lines of rounds in a log, in order; everything else is skipped."""
    return [line for text in log.splitlines() if (line := _parse(text)) is not None]


def summarise(lines: Iterable[RoundLine], now: float, seconds: float, round_s: float) -> Traffic:
    """What users saw in the rounds that lie wholly within the last `seconds`.

    Rounds report percentiles, not answer times, so percentiles over several of them are estimates:
    `p50_ms` is the mean of the medians weighted by requests, `p99_ms` that of the worst line.
    `Traffic.seconds` is the time that the rounds cover.
    """
    first = now - seconds - _ROUNDING_S
    counted = [
        line for line in lines if first <= line.at - round_s and line.at <= now + _ROUNDING_S
    ]
    operations: dict[str, OperationTraffic] = {}
    for line in counted:
        known = operations.get(line.operation, OperationTraffic(0, 0))
        operations[line.operation] = OperationTraffic(
            requests=known.requests + line.requests, ok=known.ok + line.ok
        )
    requests = sum(line.requests for line in counted)
    medians = sum(line.p50_ms * line.requests for line in counted)
    return Traffic(
        seconds=len({line.at for line in counted}) * round_s,
        operations=operations,
        p50_ms=medians / requests if requests else None,
        p99_ms=max(line.p99_ms for line in counted) if requests else None,
    )


def by_round(lines: Iterable[RoundLine], round_s: float) -> list[tuple[float, Traffic]]:
    """What users saw in each round, oldest first, with the time of its end."""
    rounds: dict[float, dict[str, OperationTraffic]] = {}
    for line in lines:
        seen = rounds.setdefault(line.at, {})
        known = seen.get(line.operation, OperationTraffic(0, 0))
        seen[line.operation] = OperationTraffic(known.requests + line.requests, known.ok + line.ok)
    return [(at, Traffic(round_s, seen)) for at, seen in sorted(rounds.items())]


@lru_cache(maxsize=_LINES_KEPT)
def _parse(text: str) -> RoundLine | None:
    found = _LINE.match(text)
    if found is None:
        return None
    try:
        fields = dict(word.split("=", 1) for word in _words(found[2]) if "=" in word)
        return RoundLine(
            at=datetime.fromisoformat(found[1]).timestamp(),
            operation=fields["op"],
            requests=int(fields["requests"]),
            ok=int(fields["ok"]),
            p50_ms=float(fields.get("p50_ms", 0)),
            p99_ms=float(fields.get("p99_ms", 0)),
        )
    except (KeyError, ValueError):
        return None


def _words(text: str) -> list[str]:
    """The words of a line as a shell reads them; it is asked only where there is something to read."""
    return shlex.split(text) if _QUOTING.search(text) else _WORD.findall(text)
