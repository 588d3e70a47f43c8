"""What cannot be read or meant is refused with the error text of Loki, place included."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_logql import Engine, LogqlError, PipelineError
from sregym_logql.parsing import parse

S = "syntax error: unexpected "
RATE = 'rate({a="b"}[1m])'
SYNTAX = [
    ("", 1, 1, f"{S}$end"),
    ("   ", 1, 4, f"{S}$end"),
    ("{", 1, 2, f"{S}$end, expecting IDENTIFIER or }}"),
    ('{a="b"', 1, 7, f"{S}$end, expecting }} or ,"),
    ('{a="b",}', 1, 8, f"{S}}}, expecting IDENTIFIER"),
    ('{a "b"}', 1, 4, f"{S}STRING, expecting = or =~ or !~ or !="),
    ("{a=b}", 1, 4, f"{S}IDENTIFIER, expecting STRING"),
    ("{a='b'}", 1, 4, f"{S}IDENTIFIER, expecting STRING"),
    ("{a=1}", 1, 4, f"{S}NUMBER, expecting STRING"),
    ('{="b"}', 1, 2, f"{S}=, expecting IDENTIFIER or }}"),
    ('{a="b"} |', 1, 10, f"{S}$end"),
    ('{a="b"} | foo', 1, 14, f"{S}$end"),
    ('{a="b"} | foo bar', 1, 15, f"{S}IDENTIFIER"),
    ('{a="b"} |= foo', 1, 12, f"{S}IDENTIFIER, expecting STRING or ip"),
    ('{a="b"} |= "x" or 1', 1, 19, f"{S}NUMBER, expecting STRING or ip"),
    ('{a="b"} | json | status >= "x"', 1, 28, f"{S}STRING"),
    ('{a="b"} | json | status >= ip("1.2.3.4")', 1, 28, f"{S}ip"),
    ('{a="b"} | line_format foo', 1, 23, f"{S}IDENTIFIER, expecting STRING"),
    ('{a="b"} | label_format x', 1, 25, f"{S}$end, expecting ="),
    ('{a="b"} | label_format x=1', 1, 26, f"{S}NUMBER, expecting IDENTIFIER or STRING"),
    ('{a="b"} | regexp', 1, 17, f"{S}$end, expecting STRING"),
    ('{a="b"} | drop', 1, 15, f"{S}$end, expecting IDENTIFIER"),
    ('{a="b"} | unwrap x', 1, 11, f"{S}unwrap"),
    ('{a="b"} {c="d"}', 1, 9, f"{S}{{"),
    ('{a="b"}[5m]', 0, 8, f"{S}RANGE"),
    ('{a="b"}\n  | json\n  | foo', 3, 8, f"{S}$end"),
    ("unk(1)", 1, 1, f"{S}IDENTIFIER"),
    ('rate({a="b"})', 1, 13, f"{S})"),
    ('rate({a="b"}[5m]', 1, 17, f"{S}$end, expecting )"),
    ('rate({a="b"}[5m] offset)', 1, 24, f"{S}), expecting DURATION"),
    ('rate({a="b"}[5m]) by (x) y', 1, 26, f"{S}IDENTIFIER"),
    ("rate(5m)", 0, 6, f"{S}DURATION, expecting NUMBER or {{ or ("),
    ('min({a="b"}[5m])', 0, 12, f"{S}RANGE"),
    ('stddev({a="b"})', 1, 15, f"{S})"),
    ('sum({a="b"})', 1, 12, f"{S})"),
    (f"sum({RATE}", 1, 22, f"{S}$end"),
    (f"sum by app ({RATE})", 1, 1, f"{S}IDENTIFIER"),
    (f"sum by (app ({RATE})", 1, 13, f"{S}(, expecting , or )"),
    (f"topk(x, {RATE})", 1, 6, f"{S}IDENTIFIER"),
    (f'label_replace({RATE},"")', 1, 35, f"{S}), expecting ,"),
    (f"{RATE} > ", 1, 21, f"{S}$end"),
    (f"{RATE} + on x {RATE}", 1, 24, f"{S}IDENTIFIER, expecting ("),
    ("vector()", 1, 8, f"{S}), expecting NUMBER"),
    ("1 1", 1, 3, f"{S}NUMBER"),
    (")", 1, 1, f"{S})"),
    ('{a="b', 1, 4, "literal not terminated"),
    ("{a=`b}", 1, 4, "literal not terminated"),
    ("{a='bc'}", 1, 4, "illegal char literal"),
    ('{a=~"\\d+"}', 1, 5, "invalid char escape"),
    ('{a="\\ud800"}', 1, 4, "invalid syntax"),
    ('{a="\\U00110000"}', 1, 4, "invalid syntax"),
    ('{a="\\400"}', 1, 4, "invalid syntax"),
    ('rate({a="b"}[5)', 0, 13, "missing closing ']' in duration"),
    ('rate({a="b"}[5minutes])', 0, 13, 'unknown unit "minutes" in duration "5minutes"'),
    ('rate({a="b"}[])', 0, 13, "empty duration string"),
    ('rate({a="b"}[5])', 0, 13, 'not a valid duration string: "5"'),
    ('rate({a="b"}[5s1m])', 0, 13, 'not a valid duration string: "5s1m"'),
]

NEEDS_UNWRAP = (
    *("sum", "avg", "min", "max", "stddev", "stdvar", "first", "last"),
)  # fmt: skip
MEANING = [
    ('{a="b"} | json x="two words"', """stage '| json x="two words"' : cannot parse expression [two words]: syntax error: unexpected FIELD"""),
    ('{a="b"} | json y="a", x="a[b]"', """stage '| json y="a",x="a[b]"' : cannot parse expression [a[b]]: syntax error: unexpected FIELD, expecting STRING or INDEX"""),
    ('{a="b"} | json x="a["', """stage '| json x="a["' : cannot parse expression [a[]: syntax error: unexpected $end, expecting STRING or INDEX"""),
    ('{a="b"} | json x="a..b"', """stage '| json x="a..b"' : cannot parse expression [a..b]: syntax error: unexpected DOT, expecting FIELD"""),
    ('{a="b"} | json x=""', """stage '| json x=""' : cannot parse expression []: syntax error: unexpected $end, expecting LSB or FIELD"""),
    ('{a="b"} | regexp "(?P<x>.)(?P<x>.)"', "invalid regexp parser: duplicate extracted label name 'x'"),
    ("{}", 'queries require at least one regexp or equality matcher that does not have an empty-compatible value. For instance, app=~".*" does not meet this requirement, but app=~".+" will'),
    ('{a=~".*"}', 'queries require at least one regexp or equality matcher that does not have an empty-compatible value. For instance, app=~".*" does not meet this requirement, but app=~".+" will'),
    ('{a!="x"}', 'queries require at least one regexp or equality matcher that does not have an empty-compatible value. For instance, app=~".*" does not meet this requirement, but app=~".+" will'),
    ('{a=~"("}', "error parsing regexp: missing closing ): `^(?:()$`"),
    ('{a="b"} |~ "a("', 'stage \'|~ "a("\' : error parsing regexp: missing closing ): `a(`'),
    ('{a="b"} | regexp "x"', "invalid regexp parser: at least one named capture must be supplied"),
    ('{a="b"} | regexp "(?P<x>"', "invalid regexp parser: error parsing regexp: missing closing ): `(?P<x>`"),
    ('{a="b"} | pattern "x"', "invalid pattern parser: at least one capture is required"),
    ('{a="b"} | pattern "<_> x"', "invalid pattern parser: at least one capture is required"),
    ('{a="b"} | pattern "<a><b>"', "invalid pattern parser: found consecutive capture '<a><b>': invalid expression"),
    ('{a="b"} | pattern "<a> <a>"', "invalid pattern parser: duplicate capture name (a): invalid expression"),
    ('{a="b"} |> "<x> y"', "stage '|> \"<x> y\"' : named captures are not allowed: found '<x>'"),
    ('{a="b"} |= ip("10.0.0.x")', 'stage \'|= ip("10.0.0.x")\' : ip: invalid pattern: "10.0.0.x"'),
    ('{a="b"} |= ip("10.0.0.1 - 10.0.0.9")', 'stage \'|= ip("10.0.0.1 - 10.0.0.9")\' : ip: invalid pattern: "10.0.0.1 - 10.0.0.9"'),
    ('{a="b"} |= ip("10.0.0.9-10.0.0.1")', 'stage \'|= ip("10.0.0.9-10.0.0.1")\' : ip: invalid pattern: "10.0.0.9-10.0.0.1"'),
    ('{a="b"} | x = ip("10.0.0.7/255.255.0.0")', 'stage \'| x=ip("10.0.0.7/255.255.0.0")\' : ip: invalid pattern: "10.0.0.7/255.255.0.0"'),
    ('{a="b"} |~ ip("10.0.0.1")', 'stage \'|~ ip("10.0.0.1")\' : ip: invalid operation'),
    ('{a="b"} !> ip("10.0.0.1")', 'stage \'!> ip("10.0.0.1")\' : ip: invalid operation'),
    ('{a="b"} | logfmt x="a b"', """stage '| logfmt x="a b"' : cannot parse expression [a b]: syntax error: unexpected KEY"""),
    ('{a="b"} | logfmt x=""', """stage '| logfmt x=""' : cannot parse expression []: syntax error: unexpected $end, expecting STRING or KEY"""),
    ('{a="b"} | logfmt x="a-b"', """stage '| logfmt x="a-b"' : cannot parse expression [a-b]: unexpected char -"""),
    ('{a="b"} | logfmt é="a"', """stage '| logfmt é="a"' : invalid extracted label name 'é'"""),
    ('{a="b"} | json é="a"', """stage '| json é="a"' : invalid extracted label name 'é'"""),
    ('{a="b"} |~ "\\xff"', """stage '|~ "\\xff"' : error parsing regexp: invalid UTF-8: `\ufffd`"""),
    ('{a="b"} | line_format `{{ "\\d" }}`', 'stage \'| line_format "{{ \\"\\\\d\\" }}"\' : invalid line template: template: line:1: invalid syntax'),
    ('{a="b"} | line_format "{{.x"', "stage '| line_format \"{{.x\"' : invalid line template: template: line:1: unclosed action"),
    ('{a="b"} | line_format "{{foo .x}}"', "stage '| line_format \"{{foo .x}}\"' : invalid line template: template: line:1: function \"foo\" not defined"),
    ('{a="b"} | line_format "{{if .x}}"', "stage '| line_format \"{{if .x}}\"' : invalid line template: template: line:1: unexpected EOF"),
    ('{a="b"} | label_format x="{{foo}}"', "stage '| label_format x=\"{{foo}}\"' : invalid template for label 'x': template: label:1: function \"foo\" not defined"),
    ('{a="b"} | label_format x=y,x=z', "stage '| label_format x=y,x=z' : multiple label name 'x' not allowed in a single format operation"),
    ('{a="b"} | label_format __error__=y', "stage '| label_format __error__=y' : __error__ cannot be formatted"),
    ('rate({a="b"}[1m]) by (x)', "grouping not allowed for rate aggregation"),
    ('absent_over_time({a="b"}[1m]) by (x)', "grouping not allowed for absent_over_time aggregation"),
    ('sum_over_time({a="b"} | unwrap x [1m]) by (x)', "grouping not allowed for sum_over_time aggregation"),
    ('count_over_time({a="b"} | unwrap x [1m])', "invalid aggregation count_over_time with unwrap"),
    ('bytes_rate({a="b"} | unwrap x [1m])', "invalid aggregation bytes_rate with unwrap"),
    ('rate_counter({a="b"}[1m])', "invalid aggregation rate_counter without unwrap"),
    *((f'{op}_over_time({{a="b"}}[1m])', f"invalid aggregation {op}_over_time without unwrap") for op in NEEDS_UNWRAP),
    ('quantile_over_time({a="b"} | unwrap x [1m])', "parameter required for operation quantile_over_time"),
    ('rate(2, {a="b"}[1m])', "parameter 2 not supported for operation rate"),
    (f"sum(3, {RATE})", "unsupported parameter for operation sum(3,"),
    (f"topk({RATE})", "parameter required for operation topk"),
    (f"bottomk(1.2, {RATE})", "invalid parameter bottomk(1.2,"),
    (f"topk(0, {RATE})", "invalid parameter (must be greater than 0) topk(0"),
    (f"sort by (a) ({RATE})", "sort and sort_desc doesn't allow grouping by "),
    (f"approx_topk(1, {RATE}) by (a)", "grouping not allowed for approx_topk aggregation"),
    (f'{{a="b"}} + {RATE}', "unexpected type for left leg of binary operation (+): *syntax.MatchersExpr"),
    (f'{RATE} and ({{a="b"}} | json)', "unexpected type for right leg of binary operation (and): *syntax.PipelineExpr"),
    (f"1 and {RATE}", "unexpected literal for left leg of logical/set binary operation (and): 1.000000"),
    (f"{RATE} or 2.5", "unexpected literal for right leg of logical/set binary operation (or): 2.500000"),
    (f'label_replace({RATE}, "a", "b", "c", "(")', "invalid regex in label_replace: error parsing regexp: missing closing ): `^(?:()$`"),
    ('{a="b"} |= "' + "x" * 5120 + '"', "input size too long (5133 > 5120)"),
    ("(" * 2000 + "1" + ")" * 2000, "the query is nested too deeply"),
    ("1" + "+0" * 2000, "the query is nested too deeply"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "line", "column", "words"), SYNTAX)
def test_syntax(query: str, line: int, column: int, words: str) -> None:
    with pytest.raises(LogqlError) as caught:
        parse(query)
    assert str(caught.value) == f"parse error at line {line}, col {column}: {words}"


@pytest.mark.parametrize(("query", "words"), MEANING, ids=lambda text: text[:60])
def test_meaning(query: str, words: str) -> None:
    with pytest.raises(LogqlError) as caught:
        parse(query)
    assert str(caught.value) == f"parse error : {words}"


def test_the_syntax_behind_counts_before_the_meaning() -> None:
    with pytest.raises(LogqlError) as caught:
        parse('{a=~"("} | json |')
    assert str(caught.value) == f"parse error at line 1, col 18: {S}$end"


def test_numbers_and_lines_are_asked_for_by_their_own_ways(lines_of: Any) -> None:
    engine = Engine(lines_of(["x"]))
    with pytest.raises(LogqlError) as caught:
        engine.instant('{app="a"}', 10)
    assert str(caught.value) == (
        "log queries are not supported as an instant query type, please change your query to a "
        "range query type"
    )
    with pytest.raises(LogqlError) as caught:
        engine.logs("vector(1)", 0, 10)
    assert str(caught.value) == "only log selector is supported"
    with pytest.raises(LogqlError) as caught:
        engine.range("vector(1)", 0, 11_001, 1)
    assert str(caught.value) == (
        "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of "
        "the step parameter"
    )


def test_metric_queries_do_not_count_what_they_cannot_read(lines_of: Any) -> None:
    engine = Engine(lines_of(["took=soon"]))
    with pytest.raises(PipelineError) as caught:
        engine.instant('sum_over_time({app="a"} | logfmt | unwrap took [10s])', 5_000_000_000)
    assert str(caught.value) == (
        "pipeline error: 'SampleExtractionErr' for series: "
        '\'{__error__="SampleExtractionErr", __error_details__="strconv.ParseFloat: parsing '
        '\\"soon\\": invalid syntax", app="a", took="soon"}\'.\n'
        "Use a label filter to intentionally skip this error. (e.g | __error__!="
        '"SampleExtractionErr").\n'
        'To skip all potential errors you can match empty errors.(e.g __error__="")\n'
        "The label filter can also be specified after unwrap. (e.g | unwrap latency | "
        '__error__="" )\n'
    )


def test_too_many_series(lines_of: Any) -> None:
    engine = Engine(lines_of([f"n={n}" for n in range(5)]), most_series=4)
    with pytest.raises(LogqlError) as caught:
        engine.instant('count_over_time({app="a"} | logfmt [10s])', 5_000_000_000)
    assert str(caught.value) == (
        "maximum number of series (4) reached for a single query; consider reducing query "
        "cardinality by adding more specific stream selectors, reducing the time range, or "
        "aggregating results with functions like sum(), count() or topk()"
    )


def test_more_numbers_than_memory_holds(lines_of: Any) -> None:
    engine = Engine(lines_of([f"n={n}" for n in range(1000)]))
    second = 1_000_000_000
    with pytest.raises(LogqlError) as caught:
        engine.range(
            'topk(1, count_over_time({app="a"} | logfmt [1h]))', 0, 11_000 * second, second
        )
    assert str(caught.value) == (
        "maximum number of series (500) reached for a single query; consider reducing query "
        "cardinality by adding more specific stream selectors, reducing the time range, or "
        "aggregating results with functions like sum(), count() or topk()"
    )
