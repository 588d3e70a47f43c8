from __future__ import annotations

from datetime import UTC, datetime

from sregym_apps.workload import RoundLine, parse_rounds, summarise
from sregym_core.interfaces import OperationTraffic, Traffic

LOG = """\
Running 10s test @ http://web:8080
  20 threads and 20 connections
2026-11-21T22:00:10Z op=buy requests=600 ok=598 failed=2 p50_ms=8.0 p90_ms=12.0 p99_ms=30.5 errors="http 500=2"
2026-11-21T22:00:10Z op=look requests=400 ok=400 failed=0 p50_ms=4.0 p90_ms=5.0 p99_ms=9.0 errors=""
2026-11-21T22:00:20.250Z op=buy requests=600 ok=0 failed=600 errors="connect=600"
2026-11-21T22:00:20Z op=look requests=many ok=0
2026-11-21T22:00:20Z op=look requests=1 ok=0 errors="unfinished
2026-11-21T22:00:20Z requests=1 ok=0
unable to connect to web:8080 Connection refused
"""


def at(second: float) -> float:
    return datetime(2026, 11, 21, 22, 0, tzinfo=UTC).timestamp() + second


def test_lines_of_rounds_are_read_and_all_others_skipped() -> None:
    assert parse_rounds(LOG) == [
        RoundLine(at(10), "buy", requests=600, ok=598, p50_ms=8.0, p99_ms=30.5),
        RoundLine(at(10), "look", requests=400, ok=400, p50_ms=4.0, p99_ms=9.0),
        RoundLine(at(20.25), "buy", requests=600, ok=0, p50_ms=0.0, p99_ms=0.0),
    ]


def test_words_of_a_line_are_read_as_a_shell_reads_them() -> None:
    log = "\n".join(
        f"2026-11-21T22:00:10Z op={operation} requests=1 ok=1"
        for operation in ("plain\ta=b", "'in quotes'", r"with\ space", "no\u00a0break", '""')
    )
    assert [one.operation for one in parse_rounds(log)] == [
        "plain", "in quotes", "with space", "no\u00a0break", ""
    ]  # fmt: skip


def line(second: float, operation: str, requests: int, ok: int, p50: float = 5.0) -> RoundLine:
    return RoundLine(at(second), operation, requests, ok, p50_ms=p50, p99_ms=3 * p50)


def test_rounds_are_summed_per_operation() -> None:
    lines = [
        line(10, "buy", 600, 590, 8.0),
        line(10, "look", 200, 200, 4.0),
        line(20, "buy", 400, 100, 2.0),
    ]

    assert summarise(lines, now=at(25), seconds=30, round_s=10) == Traffic(
        seconds=20.0,
        operations={"buy": OperationTraffic(1000, 690), "look": OperationTraffic(200, 200)},
        p50_ms=(600 * 8.0 + 200 * 4.0 + 400 * 2.0) / 1200,
        p99_ms=24.0,
    )


def test_only_rounds_that_lie_wholly_in_the_window_count() -> None:
    lines = [line(second, "buy", 100, int(second)) for second in (10, 20, 30, 40)]

    assert summarise(lines, now=at(35), seconds=20, round_s=10) == Traffic(
        seconds=10.0, operations={"buy": OperationTraffic(100, 30)}, p50_ms=5.0, p99_ms=15.0
    )


def test_without_rounds_nothing_is_known() -> None:
    assert summarise([], now=at(35), seconds=20, round_s=10) == Traffic(seconds=0.0)
