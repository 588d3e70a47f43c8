"""Filters of labels, templates, drop and keep: stages over a few lines -> all that comes out."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_logql import Engine

A = "level=info status=200 took=20ms size=1KB ip=10.0.0.7 n=a"
B = "level=error status=500 took=1.5s size=20MB ip=10.0.1.9 n=b"
C = "level=warn status=404 took=300us size=10 n=c"
D = "level=info status=odd took=odd size=odd n=d"
LOGFMT = (A, B, C, D)

# A condition, and the names of the lines that it lets pass.
CONDITIONS = [
    ('level="info"', "a d"),
    ('level!="info"', "b c"),
    ('level=~"in.*|warn"', "a c d"),
    ('level=~"in"', ""),
    ('level!~"in.*"', "b c"),
    ('nope=""', "a b c d"),
    ('nope!=""', ""),
    ('nope="x"', ""),
    ("status = 200", "a d!"),
    ("status == 200", "a d!"),
    ("status != 200", "b c d!"),
    ("status > 404", "b d!"),
    ("status >= 404", "b c d!"),
    ("status < 404", "a d!"),
    ("status <= 404.0", "a c d!"),
    ("status > -1", "a b c d!"),
    ("status > 4e2", "b c d!"),
    ("nope > 1", ""),
    ("took > 10ms", "a b d!"),
    ("took >= 1s500ms", "b d!"),
    ("took < 1ms", "c d!"),
    ("took == 20ms", "a d!"),
    ("took != 20ms", "b c d!"),
    ("took <= 1.5s", "a b c d!"),
    ("size > 1KB", "b d!"),
    ("size >= 1KB", "a b d!"),
    ("size < 1KiB", "a c d!"),
    ("size == 10B", "c d!"),
    ('ip = ip("10.0.0.7")', "a"),
    ('ip = ip("10.0.0.0/16")', "a b"),
    ('ip != ip("10.0.0.0/24")', "b"),
    ('ip = ip("10.0.0.1-10.0.0.9")', "a"),
    ('level="info" and status=200', "a d!"),
    ('level="info", status=200', "a d!"),
    ('level="info" status=200', "a d!"),
    ('level="info" | status=200', "a d!"),
    ('level="error" or level="warn"', "b c"),
    ('n="a" or n="b" and level="info"', "a"),
    ('(n="a" or n="b") and level="info"', "a"),
    ('(n="b" or n="d") and level="info"', "d"),
    ('level="info" and n="d" or n="b"', "b d"),
    ('level="info" and (n="d" or n="b")', "d"),
    ('level="info", n="d" or n="b"', "d"),
    ('n="b" or level="info", n="d"', "b d"),
    ('status>=400 and status<500 and __error__=""', "c"),
    ('took>1s or size>1MB | __error__=""', "b"),
    ("level=`info`", "a d"),
]

NOW = 1_000_000_000
# A template, the line, and the line that it makes.
TEMPLATES = [
    ("{{ addf .a 1.5 | subf .b 1.5 | mulf .c | divf .d }}", "a=1.5 b=5 c=10.5 d=20.2", "3.8476190476190477"),
    ("{{ round (addf .a 1.5 | subf .b | mulf .c | divf .d) 5 .2}}", "a=1.5 b=3.5 c=10.5 d=20.4", "3.88572"),
    ("{{ addf 0.1 0.2 }} {{ div -7 2 }} {{ mod -7 2 }} {{ add .a 1 }}", "a=x", "0.3 -3 -1 1"),
    ('{{ (fromJson .a).b.c }} {{ fromJson "x" }} {{ index (fromJson "[1,2]") 1 }}', 'a="{\\"b\\":{\\"c\\":1.5}}"', "1.5 <no value> 2"),
    ('{{ if eq (lower .a) .b }}same{{end}} {{ "}}" }}', "a=X b=x", "same }}"),
    ('{{ printf "%d %s %5.2f %05d %x %v %q" (int "3") .a 3.14159 (int 7) (int 255) .a .a }}', "a=z", '3 z  3.14 00007 ff z "z"'),
    ('{{ printf "%d %s" .a }}|{{ printf "%s" .a .a }}', "a=z", "%!d(string=z) %!s(MISSING)|z%!(EXTRA string=z)"),
    ('{{ print 1 2 .a }} {{ println .a 1 }}', "a=z", "1 2z z 1\n"),
    ('{{ slice .a 1 3 }} {{ title .b }} {{ html "<a>" }} {{ urlquery "a b" }}', 'a=abcdef b="fooBAR baz"', "bc FooBAR Baz &lt;a&gt; a+b"),
    ('{{ unixToTime "1679577215" | date "2006-01-02" }} {{ 1234567.0 }} {{ 0.00001 }}', "", "2023-03-23 1.234567e+06 1e-05"),
    ("100% {{.a}}", "a=z", "100% z"),
    ("{{.level}} {{.status}}", A, "info 200"),
    ("{{ .level }}-{{.nope}}-", A, "info--"),
    ("plain", A, "plain"),
    ("{{__line__}}!", "a=1", "a=1!"),
    ("{{__timestamp__}}", "a=1", "1970-01-01 00:00:01 +0000 UTC"),
    ('{{__timestamp__ | date "2006-01-02T15:04:05.000Z"}}', "a=1", "1970-01-01T00:00:01.000Z"),
    ('{{date "02 Jan 06 3:04PM" __timestamp__}}', "a=1", "01 Jan 70 12:00AM"),
    ("{{__timestamp__ | unixEpoch}}", "a=1", "1"),
    ("{{__timestamp__ | unixEpochMillis}}", "a=1", "1000"),
    ("{{__timestamp__ | unixEpochNanos}}", "a=1", "1000000000"),
    ('{{toDate "2006-01-02" .d | unixEpoch}}', "d=2021-11-02", "1635811200"),
    ('{{.d | toDateInZone "2006-01-02T15:04:05" "Europe/Berlin" | unixEpoch}}', "d=2021-11-02T01:00:00", "1635811200"),
    ("{{.level | ToUpper}} {{ToLower .x}}", "level=info x=ABC", "INFO abc"),
    ("{{upper .a}}{{.a | lower}}{{title .a}}", "a=x", "XxX"),
    ('{{Replace .a "x" "y" 1}} {{Replace .a "x" "y" -1}}', "a=xxx", "yxx yyy"),
    ('{{replace "x" "y" .a}} {{.a | replace "x" "z"}}', "a=xax", "yay zaz"),
    ('{{Trim .a "x"}} {{TrimLeft .a "x"}} {{TrimRight .a "x"}}', "a=xax", "a ax xa"),
    ('{{TrimPrefix .a "x"}} {{TrimSuffix .a "x"}}', "a=xax", "ax xa"),
    ('{{TrimSpace .a}}|{{trim .a}}|{{trimAll "-" .b}}', 'a=" y " b=--z-', "y|y|z"),
    ('{{trimPrefix "x" .a}} {{trimSuffix "x" .a}}', "a=xax", "ax xa"),
    ("{{trunc 2 .a}} {{trunc -2 .a}}", "a=hello", "he lo"),
    ("{{substr 1 3 .a}} {{substr -1 2 .a}} {{substr 2 -1 .a}}", "a=hello", "el he llo"),
    ('{{if contains "el" .a}}y{{else}}n{{end}}', "a=hello", "y"),
    ('{{hasPrefix "he" .a}} {{hasSuffix "he" .a}}', "a=hello", "true false"),
    ('{{if eq .level "error"}}E{{else if eq .level "warn"}}W{{else}}-{{end}}', C, "W"),
    ('{{if and (eq .a "1") (ne .b "1")}}both{{end}}', "a=1 b=2", "both"),
    ('{{if or (eq .a "2") (eq .b "2")}}some{{end}}', "a=1 b=2", "some"),
    ("{{if not .nope}}none{{end}}", "a=1", "none"),
    ("{{if .a}}has{{end}}{{if .nope}}not{{end}}", "a=1", "has"),
    ("{{with .a}}<{{.}}>{{end}}{{with .nope}}x{{else}}y{{end}}", "a=1", "<1>y"),
    ("{{add 1 2 3}} {{sub 5 2}} {{mul 2 3 4}} {{div 7 2}} {{mod 7 4}}", "a=1", "6 3 24 3 3"),
    ("{{addf 1.5 2}} {{subf 5.5 2}} {{mulf 1.5 2}} {{divf 7 2}}", "a=1", "3.5 3.5 3 3.5"),
    ("{{max 1 3 2}} {{min 1 3 2}} {{maxf 1.5 3}} {{minf 1.5 3}}", "a=1", "3 1 3 1.5"),
    ("{{ceil 1.2}} {{floor 1.8}} {{round 1.256 2}} {{round .a 0}}", "a=2.5", "2 1 1.26 3"),
    ("{{add (int .a) 1}} {{mulf (float64 .a) 1.5}}", "a=4", "5 6"),
    ('{{default "-" .nope}} {{.a | default "-"}}', "a=x", "- x"),
    ('{{regexReplaceAll "(a)(b)" .a "${2}${1}"}}', "a=abab", "baba"),
    ('{{regexReplaceAllLiteral "a." .a "$1"}}', "a=abac", "$1$1"),
    ('{{count "a" .a}}', "a=banana", "3"),
    ('{{printf "%-5s|%3d|%.2f" .a 7 1.239}}', "a=ab", "ab   |  7|1.24"),
    ("{{alignLeft 5 .a}}|{{alignRight 5 .a}}|{{alignRight 2 .a}}", "a=abc", "abc  |  abc|bc"),
    ("{{repeat 3 .a}} {{indent 2 .a}}", "a=x", "xxx   x"),
    ("{{b64enc .a}} {{b64dec .b}}", 'a=hello b="aGVsbG8="', "aGVsbG8= hello"),
    ("{{urlencode .a}} {{urldecode .b}}", 'a="x y&z" b=x%20y', "x+y%26z x y"),
    ("{{bytes .a}} {{duration .b}} {{duration_seconds .b}}", "a=2KB b=1m30s", "2000 90 90"),
    ("{{range $k, $v := fromJson __line__}}{{$v}};{{end}}", '{"x":"1","y":"2"}', "1;2;"),
    ('{{range fromJson "[1,2]"}}<{{.}}>{{end}}', "a=1", "<1><2>"),
    ("{{$x := .a}}{{$x}}{{$x}}", "a=1", "11"),
    ("{{- .a -}} {{.b}}", "a=1 b=2", "12"),
    ("{{/* nothing */}}{{.a}}", "a=1", "1"),
    ("{{ gt 2 1 }} {{ le 2 1 }} {{ len .a }}", "a=xyz", "true false 3"),
]  # fmt: skip

# Stages behind logfmt, the line, and the labels that come out.
LABELS = [
    ("| label_format b=a", "a=1", "b=1"),
    ('| label_format b="{{.a}}{{.a}}"', "a=1", "a=1 b=11"),
    ('| label_format b=a, c="x"', "a=1", "b=1 c=x"),
    ("| label_format b=a,a=c", "a=1 c=3", "a=3 b=1"),
    ("| label_format x=y", "a=1", "a=1"),
    ('| label_format b="{{.a}}", c="{{.b}}"', "a=1 b=0", "a=1 b=1 c=0"),
    ('| label_format a=""', "a=1", "a="),
    ('| label_format app="new"', "a=1", "a=1 app=new"),
    ("| drop a", "a=1 b=2", "b=2"),
    ("| drop a, b", "a=1 b=2 c=3", "c=3"),
    ('| drop a="1", b="1"', "a=1 b=2", "b=2"),
    ('| drop a=~"1|2", b!="2"', "a=1 b=2", "b=2"),
    ("| drop app", "a=1", "a=1"),
    ("| keep a, app", "a=1 b=2", "a=1"),
    ('| keep app, a="1", b="1"', "a=1 b=2", "a=1"),
    ('| keep app, b!~"1"', "a=1 b=2", "b=2"),
    ("| drop __error__, __error_details__", "status=x", "status=x"),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_conditions(ask_logs: Any, condition: str, expected: str) -> None:
    found = ask_logs(f'{{app="a"}} | logfmt | {condition} | keep app, n', LOGFMT)
    names = [
        row.split(" :: ")[0].split("n=")[1] + ("!" if "__error__=LabelFilterErr" in row else "")
        for row in found
    ]
    assert " ".join(names) == expected


@pytest.mark.parametrize(("template", "line", "expected"), TEMPLATES)
def test_templates(ask_logs: Any, template: str, line: str, expected: str) -> None:
    query = f'{{app="a"}} | logfmt | line_format `{template}` | keep app'
    assert ask_logs(query, [line]) == [expected]


@pytest.mark.parametrize(("stages", "line", "expected"), LABELS)
def test_labels(ask_logs: Any, stages: str, line: str, expected: str) -> None:
    (found,) = ask_logs(f'{{app="a"}} | logfmt {stages}', [line])
    labels = found.removesuffix(line).removesuffix(" :: ")
    assert labels.replace("app= ", "") == expected


ERRORS = [
    ('| line_format `{{.foo Replace "x"}}` | keep app', "x", '__error__=TemplateFormatErr __error_details__=template: line:1:2: executing "line" at <.foo>: foo is not a method but has arguments :: x'),
    ('| label_format b=`a\n {{ "x" | divf (add 1 2) }}` | keep app', "x", '__error__=TemplateFormatErr __error_details__=template: label:2:10: executing "label" at <divf (add 1 2)>: error calling divf: decimal division by 0 :: x'),
    ("| json | __error__!=``", "x", "__error__=JSONParserErr __error_details__=Value looks like object, but can't find closing '}' symbol :: x"),
    ("| logfmt | a > 1", "a=x", '__error__=LabelFilterErr __error_details__=strconv.ParseFloat: parsing "x": invalid syntax a=x :: a=x'),
    ("| logfmt | a > 1s", "a=5", '__error__=LabelFilterErr __error_details__=time: missing unit in duration "5" a=5 :: a=5'),
    ("| logfmt | a > 1s", "a=5d", '__error__=LabelFilterErr __error_details__=time: unknown unit "d" in duration "5d" a=5d :: a=5d'),
    ("| logfmt | a > 1s", "a=x", '__error__=LabelFilterErr __error_details__=time: invalid duration "x" a=x :: a=x'),
    ("| logfmt | a > 1KB", "a=5XB", "__error__=LabelFilterErr __error_details__=unhandled size name: xb a=5XB :: a=5XB"),
    ("| logfmt | a > 1KB", "a=x", '__error__=LabelFilterErr __error_details__=strconv.ParseFloat: parsing "": invalid syntax a=x :: a=x'),
    ('| json | a > 1 | __error__="JSONParserErr"', "x",),
    ('| line_format `{{div 1 0}}` | keep app', "x", "__error__=TemplateFormatErr __error_details__=template: line:1:2: executing \"line\" at <div 1 0>: error calling div: runtime error: integer divide by zero :: x"),
]  # fmt: skip


@pytest.mark.parametrize("row", ERRORS, ids=lambda row: f"{row[0]} {row[1]}")
def test_errors_are_labels(ask_logs: Any, row: tuple[str, ...]) -> None:
    stages, line, *expected = row
    assert ask_logs(f'{{app="a"}} {stages}', [line]) == expected


def test_the_present_is_the_moment_of_the_question(lines_of: Any) -> None:
    template = '{{ now | date \\"2006-01-02T15:04:05\\" }} {{ unixEpoch now }} {{ js .a }}'
    stages = f'| logfmt | line_format "{template}" | label_format at="{{{{ now | unixEpoch }}}}"'
    storage = lines_of(["a=x<y>'"])
    for moment in (1_767_258_000, 1_767_258_060):
        engine = Engine(storage, now_ns=moment * 10**9)
        (stream,) = engine.logs(f'{{app="a"}} {stages}', 0, 10**12).streams
        (entry,) = stream.entries
        second = (moment - 1_767_258_000) // 60
        assert entry.line == f"2026-01-01T09:0{second}:00 {moment} x\\u003Cy\\u003E\\'"
        assert dict(stream.labels)["at"] == str(moment)
