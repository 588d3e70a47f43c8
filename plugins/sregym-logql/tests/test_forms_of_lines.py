"""Many lines of one form: each means what it means alone, however it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from sregym_logql import Engine, PipelineError
from sregym_logql.memory import Memory

Ask: TypeAlias = Callable[[str, Sequence[str]], list[str]]

NS = 1_000_000_000
TIMES = 12

# Lines of pairs; the stream has the label `app`.
LOGFMT = [
    'level=info msg="request done" status=200 took=17ms path=/p3',
    "level=info app=other x=1",
    "level=info level=warn x=1",
    "a.b=1 a-b=2 0x=3",
    'level= msg="" x=1',
    "level=info x=1 ",
    "level=info  x=1",
    "level=info\tx=1",
    "level=info bare x=1",
    'level="say \\"yes\\"" x=1',
    "path=C:\\temp x=1",
    "level=info\u00a0x x=caf\u00e9",
    "level=\ufffd x=1",
    'level="\ufffd" x=1',
    'level="a=b" x=1=2',
    'x"=1 level=info',
    'level="open x=1',
    'msg="two\nlines" x=1',
    "\x1b[31mlevel=info x=1",
    "no pairs at all",
    "",
]
STAGES = [
    "logfmt",
    "logfmt --strict",
    "logfmt --keep-empty",
    'logfmt level, app, other="x"',
    'logfmt | level="info"',
    'logfmt | line_format "{{.level}}/{{.nope}}%"',
    'logfmt | label_format level=x, both="{{.level}} {{.x}}"',
    'logfmt | label_format a="{{.x}}", x="{{.level}}", b="{{.x}}"',
    'pattern "<level>=<x> <app>=<_>"',
    'pattern "level=<app> x=<app_extracted>"',
    'pattern "<_>=info <x>"',
    'regexp "(?P<app>x)=(?P<n>[0-9])?"',
    "json",
    'json | line_format "{{.level}}"',
]
JSON = [
    '{"level": "info", "app": "b", "n": 1.5, "in": {"a": 1, "app": true, "0": null}}',
    '{"level": "info", "n": 1.50}',
    '{"n": 1, "n": 2}',
    '{"a": {"b": 1.10}, "a_b": 2}',
    '{"level": "info"',
    "{}",
]


@pytest.mark.parametrize("stages", STAGES)
def test_a_line_means_the_same_among_many_of_its_form(ask_logs: Ask, stages: str) -> None:
    query = f'{{app="a"}} | {stages}'
    lines = [f"app=a :: {line}" for line in [*LOGFMT, *JSON]]

    alone = {line: ask_logs(query, [line]) * TIMES for line in lines}

    assert {line: ask_logs(query, [line] * TIMES) for line in lines} == alone


def test_forms_in_turn(ask_logs: Ask) -> None:
    forms = [
        "level=info x={}",
        'level=warn msg="n {}"',
        "x={} level=error",
        "a={} b=1",
        "c={} d=1",
        "e={}",
    ]
    lines = [form.format(number) for number in range(20) for form in forms]

    alone = [text for line in lines for text in ask_logs('{app="a"} | logfmt', [line])]

    assert sorted(ask_logs('{app="a"} | logfmt', lines)) == sorted(alone[:100])


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ('sum by (level) (count_over_time({app="a"} | logfmt [1m]))', ["level=info 12"]),
        ('sum by (app) (count_over_time({app="a"} | logfmt | x > 0 [1m]))', ["12"]),
        ('sum by (app_extracted) (count_over_time({app="a"} | logfmt [1m]))', ["app_extracted=b 12"]),
        ('max_over_time({app="a"} | logfmt | unwrap x | level="info" [1m]) by (nope)', ["7"]),
        ('max_over_time({app="a"} | logfmt | label_format y=x | unwrap y [1m]) by (level)', ["level=info 7"]),
        ('sum without (x) (count_over_time({app="a"} | logfmt [1m]))', ["app_extracted=b level=info 12"]),
        ('sum by (level) (count_over_time({app="a"} | pattern "level=<level> x=<_>" [1m]))', ["level=info 12"]),
    ],
)  # fmt: skip
def test_only_what_is_asked_for_is_read(
    ask_value: Ask,
    query: str,
    rows: list[str],
) -> None:
    assert (
        ask_value(query.replace("[1m]", "[1m] offset -5s"), ["level=info x=7 app=b"] * TIMES)
        == rows
    )


def test_fields_within_objects_that_are_asked_for(
    ask_value: Ask,
) -> None:
    lines = ['{"level": "info", "in": {"a": {"b": "x"}, "c": 1.50}, "inner": 1}'] * 9
    query = 'sum by (in_a_b) (count_over_time({app="a"} | json [1m]))'

    assert ask_value(query, lines) == ["in_a_b=x 9"]


def test_a_refusal_names_all_labels_of_the_line(
    lines_of: Callable[[Sequence[str]], Memory],
) -> None:
    storage = lines_of(["level=info took=20ms path=/a"] * 8 + ["level=warn took=odd path=/b"])
    query = 'avg_over_time({app="a"} | logfmt | unwrap duration(took) [1m]) by (level)'

    with pytest.raises(PipelineError) as refused:
        Engine(storage).instant(query, 10 * NS)

    assert str(refused.value) == (
        "pipeline error: 'SampleExtractionErr' for series: "
        '\'{__error__="SampleExtractionErr", '
        '__error_details__="time: invalid duration \\"odd\\"", app="a", level="warn", '
        'path="/b", took="odd"}\'.\n'
        "Use a label filter to intentionally skip this error. "
        '(e.g | __error__!="SampleExtractionErr").\n'
        'To skip all potential errors you can match empty errors.(e.g __error__="")\n'
        "The label filter can also be specified after unwrap. "
        '(e.g | unwrap latency | __error__="" )\n'
    )


def test_label_sets_with_commas_are_in_the_order_of_their_text(
    lines_of: Callable[[Sequence[str]], Memory],
) -> None:
    lines = ['a="x,y" b=1', "a=x b=z", 'a="x,a" b=0', "a=x,y b=0"]

    found = Engine(lines_of(lines)).logs('{app="a"} | logfmt', 0, 100 * NS, 10)

    assert [dict(stream.labels) for stream in found.streams] == [
        {"a": "x,a", "app": "a", "b": "0"},
        {"a": "x", "app": "a", "b": "z"},
        {"a": "x,y", "app": "a", "b": "0"},
        {"a": "x,y", "app": "a", "b": "1"},
    ]
