"""Bytes that are no characters, numbers that are none, and calls with a wrong number of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson
import pytest

Ask = Callable[[str, Sequence[str]], list[str]]
WRONG = "wrong number of args for"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (r'"\x1b[31m{{.app}}"', "\x1b[31ma"),
        (r'`{{ "\x1b[1m" }}\x1b`', "\x1b[1m\\x1b"),
        (r'`{{ "\u00e9\xc3\xa9\101\"" }}`', 'ééA"'),
        (r'"\xc3\xa9\xff"', "é\ufffd"),
        (r'`{{ "\377" }}`', "\ufffd"),
        (r'`{{ fromJson "[\"\\ud800\"]" }}`', "[\ufffd]"),
        ('`{{ b64dec "/w==" }}`', "\ufffd"),
    ],
)
def test_what_a_string_stands_for(ask_logs: Ask, template: str, text: str) -> None:
    found = ask_logs(f'{{app="a"}} | line_format {template}', ["line"])
    assert found == [text]
    orjson.dumps(found)


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        (r'k="\ud800" m=1', "k=  m=1"),
        (r'k="it\'s" m=1', "k=it's m=1"),
        (r'k="\x1b" m=1', "m=1"),
        ("k\ufffd=1 m=1", "m=1"),
        ("\ufffd m=1", "m=1"),
    ],
)
def test_pairs_with_what_is_no_character(ask_logs: Ask, line: str, labels: str) -> None:
    assert ask_logs('{app="a"} | logfmt | line_format ""', [line]) == [f"{labels} :: "]


def test_a_key_that_is_none_is_said_strictly(ask_logs: Ask) -> None:
    query = '{app="a"} | logfmt --strict | line_format "{{.__error_details__}}"'
    (found,) = ask_logs(query, ["a\ufffd=1"])
    assert found.rpartition(" :: ")[2] == "logfmt syntax error at pos 5 : invalid key"


def test_a_key_may_be_named_in_quotes(ask_logs: Ask) -> None:
    query = '{app="a"} | logfmt x=`"k.v"` | line_format ""'
    assert ask_logs(query, ["k.v=1"]) == ["x=1 :: "]


def test_what_is_no_number_comes_last(ask_value: Ask) -> None:
    lines = ["x=1 v=3", "x=2 v=NaN", "x=3 v=1", "x=4 v=2"]
    inner = 'max_over_time({app="a"} | logfmt | unwrap v [1m]) by (x)'
    assert ask_value(f"sort({inner})", lines) == ["x=3 1", "x=4 2", "x=1 3", "x=2 NaN"]
    assert ask_value(f"sort_desc({inner})", lines) == ["x=1 3", "x=4 2", "x=3 1", "x=2 NaN"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ('replace "a"', f"<replace>: {WRONG} replace: want 3 got 1"),
        ('.app | replace "a"', f"<replace>: {WRONG} replace: want 3 got 2"),
        ("lower", f"<lower>: {WRONG} lower: want 1 got 0"),
        ('lower "A" "B"', f"<lower>: {WRONG} lower: want 1 got 2"),
        ("printf", f"<printf>: {WRONG} printf: want at least 1 got 0"),
        ("round 1.5", f"<round>: {WRONG} round: want at least 2 got 1"),
        ("1.5 | round", f"<round>: {WRONG} round: want at least 2 got 0"),
        ("max", f"<max>: {WRONG} max: want at least 1 got 0"),
        ("now 1", f"<now>: {WRONG} now: want 0 got 1"),
        ("1 | __line__", f"<__line__>: {WRONG} __line__: want 0 got 1"),
        ('printf "%s" lower', f"<lower>: {WRONG} lower: want 1 got 0"),
        ("eq 1", "<eq 1>: error calling eq: missing argument for comparison"),
        (
            'slice "abc" 0 1 2 3',
            '<slice "abc" 0 1 2 3>: error calling slice: too many slice indexes: 4',
        ),
    ],
)
def test_a_wrong_number_of_arguments_is_told_in_gos_words(
    ask_logs: Ask, command: str, told: str
) -> None:
    first = f"{{{{ {command} }}}}"
    query = f'{{app="a"}} | line_format `{first}` | line_format "{{{{.__error_details__}}}}"'
    (found,) = ask_logs(query, ["line"])
    assert found.rpartition(" :: ")[2].partition('executing "line" at ')[2] == told
