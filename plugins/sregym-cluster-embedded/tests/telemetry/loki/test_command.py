"""`sregym logql`: the same answers from a file, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sregym_core.cli.entry import run

LINES = [
    {"ts": 1767258000, "labels": {"app": "a"}, "line": "n=1"},
    {"ts": "1767258001000000000", "labels": {"app": "a"}, "line": "n=2"},
    {"ts": "2026-01-01T09:00:02.5Z", "labels": {"app": "b"}, "line": "n=3"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES) + "\n")
    return path


CASES = [
    (('{app="a"}',), ['1767258001000000000 {app="a"} n=2', '1767258000000000000 {app="a"} n=1']),
    (
        ('{app="a"}', "--direction", "forward", "--limit", "1"),
        ['1767258000000000000 {app="a"} n=1'],
    ),
    (('{app=~".+"}', "--start", "1767258002"), ['1767258002500000000 {app="b"} n=3']),
    (('{app=~".+"}', "--end", "2026-01-01T09:00:01Z"), ['1767258000000000000 {app="a"} n=1']),
    (
        ("sum(count_over_time({app=~`.+`}[1m]))", "--at", "1767258001"),
        ["{} => 2 @[1767258001]"],
    ),
    (
        (
            'sum_over_time({app="a"} | logfmt | unwrap n [1m])',
            *("--start", "1767258000", "--end", "1767258002", "--step", "1"),
        ),
        ['{app="a"} =>', "1 @[1767258000]", "3 @[1767258001]", "3 @[1767258002]"],
    ),
]


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_for_people(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected: list[str]
) -> None:
    assert run(["logql", "--lines", str(file), *words]) == 0
    assert capsys.readouterr().out.splitlines() == expected


def test_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["logql", "--lines", str(file), "--json", '{app="b"} | logfmt']) == 0
    assert json.loads(capsys.readouterr().out) == {
        "status": "success",
        "data": {
            "resultType": "streams",
            "result": [
                {"stream": {"app": "b", "n": "3"}, "values": [["1767258002500000000", "n=3"]]}
            ],
        },
    }


def test_refused_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["logql", "--lines", str(file), "--json", "{"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "status": "error",
        "errorType": "bad_data",
        "error": "parse error at line 1, col 2: syntax error: unexpected $end, "
        "expecting IDENTIFIER or }",
    }


BAD = [
    (("{",), "parse error at line 1, col 2: syntax error: unexpected $end, expecting IDENTIFIER or }"),
    (("vector(1)", "--at", "noon"), "not a time: 'noon': Unix seconds or nanoseconds, or 2026-01-01T09:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), BAD)
def test_refused(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert run(["logql", "--lines", str(file), *words]) == 4
    assert capsys.readouterr().err == f"sregym: {said}\n"


def test_lines_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"ts": 1, "labels": {}, "line": "x"}\nnothing\n')
    assert run(["logql", "--lines", str(path), "vector(1)"]) == 4
    assert capsys.readouterr().err == (
        f'sregym: {path}: line 2: not an object with "ts", "labels" and "line": '
        "Expecting value: line 1 column 1 (char 0)\n"
    )
