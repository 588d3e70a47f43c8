"""`sregym promql`: the same answers from a file, for people and as JSON, and scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sregym_core.cli.entry import run
from sregym_core.errors import ExitCode

SAMPLES = 'up{job="a"} 1 1767258000\nup{job="a"} 0 1767258060.5\n# EOF\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "samples.om"
    path.write_text(SAMPLES)
    return path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("up",), ['up{job="a"} => 0 @[1767258060.5]']),
        (("up", "--at", "2026-01-01T09:00:00Z"), ['up{job="a"} => 1 @[1767258000]']),
        (("1 + 1", "--at", "5"), ["scalar: 2 @[5]"]),
        (("up[5m]",), ['up{job="a"} =>', "1 @[1767258000]", "0 @[1767258060.5]"]),
        (
            ("up", "--start", "1767258000", "--end", "1767258120", "--step", "60"),
            ['up{job="a"} =>', "1 @[1767258000]", "1 @[1767258060]", "0 @[1767258120]"],
        ),
    ],
)
def test_for_people(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected: list[str]
) -> None:
    assert run(["promql", "--samples", str(file), *words]) == 0
    assert capsys.readouterr().out.splitlines() == expected


def test_the_dialect_is_chosen(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "count_over_time(up[60.5])"
    words = ["promql", "--samples", str(file), "--at", "1767258060.5", query]
    script = file.with_name("count.test")
    script.write_text("load 1m\n  m 1+1x9\n\neval instant at 5m count_over_time(m[5m])\n  {} 5\n")
    of_script = ["promql", "--script", str(script)]

    assert run([*words, "--dialect", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == ['{job="a"} => 1 @[1767258060.5]']
    assert run([*of_script, "--dialect", "3"]) == 0
    assert run([*of_script, "--dialect", "2.42"]) != 0
    capsys.readouterr()
    assert run(words) != 0


def test_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["promql", "--samples", str(file), "--json", "sum(up)"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "status": "success",
        "data": {"resultType": "vector", "result": [{"metric": {}, "value": [1767258060.5, "0"]}]},
    }


@pytest.mark.parametrize(
    ("query", "kind", "message"),
    [
        ("up[", "bad_data", "1:4: parse error: missing unit character in duration"),
        ("topk(NaN, up)", "execution", "Scalar value NaN overflows int64"),
    ],
)
def test_refusals_as_json(
    file: Path, capsys: pytest.CaptureFixture[str], query: str, kind: str, message: str
) -> None:
    assert run(["promql", "--samples", str(file), "--json", query]) != 0
    assert json.loads(capsys.readouterr().out) == {
        "status": "error",
        "errorType": kind,
        "error": message,
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("up",), "promql needs EXPR and --samples FILE, or --script FILE"),
        (("up[", "--samples", "FILE"), "1:4: parse error: missing unit character in duration"),
        (
            ("up", "--samples", "FILE", "--at", "soon"),
            "not a time: 'soon': Unix seconds, or 2026-01-01T09:00:00Z",
        ),
        (
            ("up", "--samples", "FILE", "--dialect", "4"),
            "--dialect: no dialect of PromQL: '4'; there are 2.42, 3",
        ),
        (("up", "--samples", "FILE", "--start", "1"), "a range needs --start, --end and --step"),
        (
            ("up", "--samples", "FILE", "--start", "5", "--end", "1", "--step", "1"),
            "--end must not be before --start, and --step must be more than zero",
        ),
    ],
)
def test_refusals_for_people(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert (
        run(["promql", *(str(file) if word == "FILE" else word for word in words)])
        == ExitCode.USAGE
    )
    assert capsys.readouterr().err.splitlines()[0] == f"sregym: {message}"


def test_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "s.test"
    script.write_text(
        "load 1m\n  m 1\n\neval instant at 0 m\n  m 1\n\neval instant at 0 m\n  m 2\n"
    )

    assert run(["promql", "--script", str(script)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{script}:7: m: {{'__name__': 'm'}} at 0 ms: expected 2.0, got 1.0",
        "1 of 2 evaluations are as expected",
    ]


UNREADABLE = (
    "lod 1m\n\nload 1m\n  m 1\n  h {{schema:0}}\n\n"
    "eval instant at 0 m\n  m 1\n\neval instant at 0 h\n\neval instant at noon m\n"
)
NATIVE = "native histograms are not supported: only float samples and classic histograms"


def test_a_script_with_lines_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "s.test"
    script.write_text(UNREADABLE)

    assert run(["promql", "--script", str(script)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{script}:1: cannot be read: not a command: 'lod 1m'",
        f"{script}:5: cannot be read: {NATIVE}",
        f"{script}:12: cannot be read: not a number: 'noon'",
        "1 of 1 evaluations are as expected; 2 left out, which cannot be read or lack samples",
    ]
    assert run(["promql", "--script", str(script), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["total"], found["left_out"]) == (1, 1, 2)
    assert found["unread"] == [
        {"line": 1, "why": "not a command: 'lod 1m'"},
        {"line": 5, "why": NATIVE},
        {"line": 12, "why": "not a number: 'noon'"},
    ]
