"""Errors of every day in logs: by who writes and how much it is asked, and by nothing else."""

from __future__ import annotations

from collections import Counter

from sregym_apps.model import BenignError
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.telemetry.benign_errors import benign_streams
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import Flow, LineStream, Segment

DAY = 86_400.0
KNOWN = tuple(
    BenignError.model_validate({"line": text, **rate})
    for text, rate in (
        ("reset by peer", {"every_s": (10, 300)}),
        ("handshake", {"every_s": (10, 300)}),
        ("broken pipe", {"requests": (1000, 20000)}),
    )
)


def ref(pod: str, attempt: int = 0) -> ContainerRef:
    return ContainerRef("shop", pod, f"uid-{pod}", "main", attempt)


def asked(rate: float, seed: int = 7, ok: float = 1.0) -> Segment:
    lost = () if ok == 1.0 else (("no such host", 1 - ok),)
    return Segment(0.0, (Flow("buy", rate, ok, lost, Time()),), (), seed)


def streams(who: ContainerRef, segment: Segment, until: float = DAY) -> list[LineStream]:
    return [*benign_streams(who, KNOWN, segment, until)]


def rates(found: list[LineStream]) -> dict[str, float]:
    return {stream.line.text: stream.rate for stream in found}


def test_a_program_has_two_kinds_of_lines_at_rates_of_its_own() -> None:
    kinds, often = Counter[str](), []
    for number in range(200):
        found = rates(streams(ref(f"web{number}-5f6d8c9b7-x7k2p"), asked(100.0)))
        assert len(found) == 2
        kinds.update(found.keys())
        often += [1 / rate for text, rate in found.items() if text != "broken pipe"]
        assert 1000 <= 100 / found.get("broken pipe", 0.05) <= 20_000
    assert min(kinds.values()) > 100
    assert 10 <= min(often) < 13
    assert 240 < max(often) <= 300


def test_replicas_and_later_lives_write_the_same_kinds_as_often() -> None:
    first = streams(ref("web-5f6d8c9b7-x7k2p"), asked(100.0))
    for other in (ref("web-5f6d8c9b7-zz9qq"), ref("web-77d5d7dcf7-q4ns7", 3)):
        assert rates(streams(other, asked(100.0))) == rates(first)
    assert rates(streams(ref("cart-5f6d8c9b7-x7k2p"), asked(100.0))) != rates(first)
    assert rates(streams(ref("web-5f6d8c9b7-x7k2p"), asked(100.0, seed=8))) != rates(first)


def test_whoever_fails_writes_the_same_as_whoever_does_not() -> None:
    who = ref("web-5f6d8c9b7-x7k2p")
    assert streams(who, asked(100.0, ok=0.2)) == streams(who, asked(100.0))


def test_whom_nobody_asks_writes_nothing() -> None:
    who = ref("web-5f6d8c9b7-x7k2p")
    assert streams(who, asked(0.0)) == []
    assert streams(who, Segment(0.0, (), (), 7)) == []


def test_only_streams_that_have_a_line_until_then_are_there() -> None:
    """Most segments are short, and to render what has no line costs as much as what has."""
    short = [streams(ref(f"web{number}-0"), asked(100.0), 5.0) for number in range(200)]
    assert sum(map(len, short)) < 100
    assert any(short)
