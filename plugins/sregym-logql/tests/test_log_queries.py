"""Selectors, filters and parsers: query over a few lines -> all lines with all labels."""

from __future__ import annotations

from typing import Any

import pytest

STREAMS = (
    "app=web env=prod :: one",
    "app=web env=dev :: two",
    "app=api env=prod :: three",
    "app=db :: four",
)
SELECTORS = [
    ('{app="web"}', ["app=web env=prod :: one", "app=web env=dev :: two"]),
    ('{app="web", env="dev"}', ["app=web env=dev :: two"]),
    ('{ app = "web" , env = "dev" }', ["app=web env=dev :: two"]),
    ('{app="web", env!="dev"}', ["app=web env=prod :: one"]),
    ('{app=~"web|db"}', ["app=web env=prod :: one", "app=web env=dev :: two", "app=db :: four"]),
    ('{app=~"w.*", env!~"p.*"}', ["app=web env=dev :: two"]),
    ('{app=~".+", env=""}', ["app=db :: four"]),
    ('{app=~".+", env!=""}', ["app=web env=prod :: one", "app=web env=dev :: two", "app=api env=prod :: three"]),
    ('{app=~"we"}', []),
    ("{app=`web`, env=~`d\\w+`}", ["app=web env=dev :: two"]),
    ('({app="db"})', ["app=db :: four"]),
    ('# what is it?\n{app="db"} # nothing else', ["app=db :: four"]),
    ('{\n  app="web",\n  env="dev" # only there\n}\n|= "two"', ["app=web env=dev :: two"]),
]  # fmt: skip

TEXTS = ("GET /a 200", "POST /a 500", "GET /b 404", "héllo (x) 10.0.0.7", "err: 10.0.1.9 down")
LINE_FILTERS = [
    ('|= "GET"', TEXTS[0], TEXTS[2]),
    ('!= "GET"', TEXTS[1], TEXTS[3], TEXTS[4]),
    ('|~ "^GET"', TEXTS[0], TEXTS[2]),
    ('|~ "[45]\\\\d\\\\d$"', TEXTS[1], TEXTS[2]),
    ("|~ `[45]\\d\\d$`", TEXTS[1], TEXTS[2]),
    ('!~ "GET|POST"', TEXTS[3], TEXTS[4]),
    ('|~ "(?i)post"', TEXTS[1]),
    ('|= "get"',),
    ('|= "GET" |= "/a"', TEXTS[0]),
    ('|= "/a" != "500" |~ "2.."', TEXTS[0]),
    ('|= "POST" or "/b"', TEXTS[1], TEXTS[2]),
    ('|= "POST" or "/b" or "down"', TEXTS[1], TEXTS[2], TEXTS[4]),
    ('|= "/a" |= "POST" or "/b"', TEXTS[1]),
    ('!= "GET" or "POST"', TEXTS[3], TEXTS[4]),
    ('!~ "^G" or "^P"', TEXTS[3], TEXTS[4]),
    ('|~ "^G" or "down$"', TEXTS[0], TEXTS[2], TEXTS[4]),
    ('|= ""', *TEXTS),
    ('!= ""',),
    ('|= "(x)"', TEXTS[3]),
    ('|= "h\\u00e9llo"', TEXTS[3]),
    ('|= ip("10.0.0.7")', TEXTS[3]),
    ('|= ip("10.0.0.0/24")', TEXTS[3]),
    ('|= ip("10.0.0.0-10.0.1.255")', TEXTS[3], TEXTS[4]),
    ('!= ip("10.0.0.0/16")', TEXTS[0], TEXTS[1], TEXTS[2]),
    ('|> "<_> /a <_>"', TEXTS[0], TEXTS[1]),
    ('|> "GET <_>"', TEXTS[0], TEXTS[2]),
    ('|> "<_>down"', TEXTS[4]),
    ('|> "<_> /a"',),
    ('!> "<_> /a <_>"', TEXTS[2], TEXTS[3], TEXTS[4]),
    ('|> "GET <_>" or "POST <_>"', TEXTS[0], TEXTS[1], TEXTS[2]),
    ('!> "GET <_>" or "POST <_>"', TEXTS[3], TEXTS[4]),
]

# Query behind the selector, line, labels that come out of it, the line that comes out of it.
PARSERS = [
    ("| json", '{"a":"x","b":2}', "a=x b=2", None),
    ("| json", '{"a":1.50,"b":-3e5,"c":0.25}', "a=1.50 b=-3e5 c=0.25", None),
    ("| json", '{"t":true,"f":false,"n":null,"e":""}', "e= f=false t=true", None),
    ("| json", '{"a":{"b":{"c":"deep"},"d":1}}', "a_b_c=deep a_d=1", None),
    ("| json", '{"list":[1,2],"a":"x"}', "a=x", None),
    ("| json", '{"app":"other","x-y.z":"1","2nd":"b"}', "_2nd=b app_extracted=other x_y_z=1", None),
    ("| json", '{"a":"tab\\there \\u00e9"}', "a=tab\there é", None),
    ("| json", "plain", "__error__=JSONParserErr __error_details__=Value looks like object, but can't find closing '}' symbol", None),
    ("| json", '{"a":', "__error__=JSONParserErr __error_details__=Malformed JSON error", None),
    ("| json", "{n}", "__error__=JSONParserErr __error_details__=Value looks like object, but can't find closing '}' symbol", None),
    ("| json", '{"a":"x", "b"', "__error__=JSONParserErr __error_details__=Malformed JSON error a=x", None),
    ("| json", '{"a":{"b":1},"c":[1', "__error__=JSONParserErr __error_details__=Value looks like array, but can't find closing ']' symbol a_b=1", None),
    ("| json", '{"a":"open', "__error__=JSONParserErr __error_details__=Value looks like string, but can't find closing '\"' symbol", None),
    ("| json", '{"a":yes}', "__error__=JSONParserErr __error_details__=Unknown value type", None),
    ("| json", '{"a":1 "b":2}', "__error__=JSONParserErr __error_details__=Value looks like object, but can't find closing '}' symbol a=1", None),
    ("| json", '{"a":1', "__error__=JSONParserErr __error_details__=Value looks like array, but can't find closing ']' symbol a=1", None),
    ("| json", '{"a":"x","n":1.0} and more', "a=x n=1.0", None),
    ("| json", '{"a":"\ufffdx","b":1}', "a= x b=1", None),
    ("| logfmt", "a=\ufffdx", "a= x", None),
    ('| json o="pod.at"', '{"pod":{"at":{"ref":"x", "params": [1, 2]}}}', 'o={"ref":"x", "params": [1, 2]}', None),
    ('| json a="a", n="none", app="z"', '{"a":"x", "b', "a=x n=", None),
    ('| json first="a"', '{"a":"x","b":2}', "first=x", None),
    ("| json a, b", '{"a":"x","b":2,"c":3}', "a=x b=2", None),
    ('| json s="r.servers[0]", h="r.headers[\\"User-Agent\\"]"', '{"r":{"servers":["s1","s2"],"headers":{"User-Agent":"curl"}}}', "h=curl s=s1", None),
    ('| json s="servers", o="obj"', '{"servers":["s1",2],"obj":{"k":1.50}}', 'o={"k":1.50} s=["s1",2]', None),
    ('| json x="nope"', '{"a":"x"}', "x=", None),
    ('| json app="who"', '{"who":"me"}', "app_extracted=me", None),
    ('| json x="a"', "plain", "__error__=JSONParserErr", None),
    ("| logfmt", 'a=x b="two words" c=3', "a=x b=two words c=3", None),
    ("| logfmt", 'a="say \\"hi\\"\\n" b=', 'a=say "hi"\n', None),
    ("| logfmt", "alone a=1 b", "a=1", None),
    ("| logfmt --keep-empty", "alone a=1 b= cat", "a=1 alone= b= cat=", None),
    ("| logfmt", "app=other x-y=1", "app_extracted=other x_y=1", None),
    ("| logfmt", "no pairs here", "", None),
    ("| logfmt", 'a=1 b=x"y z" c=3', "a=1 c=3", None),
    ("| logfmt", 'a="one"b=2 c="" d=e=f', "a=one b=2", None),
    ("| logfmt --keep-empty", 'a="" =x b="c d"', "a= b=c d", None),
    ("| logfmt --strict", 'a="one"b=2', "a=one b=2", None),
    ("| logfmt --strict", "a=1 b==2 c=3", "__error__=LogfmtParserErr __error_details__=logfmt syntax error at pos 7 : unexpected '=' a=1", None),
    ("| logfmt --strict", '{"a":1}', "__error__=LogfmtParserErr __error_details__=logfmt syntax error at pos 2 : unexpected '\"'", None),
    ("| logfmt --strict", 'a="\\q" b=1', "__error__=LogfmtParserErr __error_details__=logfmt syntax error at pos 7 : invalid quoted value", None),
    ("| logfmt", 'a="\\q" b="say \\"x\\""', 'b=say "x"', None),
    ("| logfmt --strict", 'a="one two" b=2', "a=one two b=2", None),
    ("| logfmt --strict", "a=1 b=2", "a=1 b=2", None),
    ("| logfmt --strict", 'a=1 b="open', "__error__=LogfmtParserErr __error_details__=logfmt syntax error at pos 12 : unterminated quoted value a=1", None),
    ('| logfmt h="host", s="status"', "host=x status=200 other=1", "h=x s=200", None),
    ("| logfmt host, nope", "host=x status=200", "host=x nope=", None),
    ('| logfmt --strict h="host"', "host=x", "h=x", None),
    ('| regexp "(?P<m>\\\\w+) (?P<p>/\\\\S*)"', "GET /a 200", "m=GET p=/a", None),
    ("| regexp `(?P<m>\\w+) (?P<p>/\\S*)`", "nothing", "", None),
    ("| regexp `(?P<a>x)|(?P<b>y)`", "y", "a= b=y", None),
    ("| regexp `(?P<app>\\w+)`", "me too", "app_extracted=me", None),
    ('| pattern "<m> <p> <_>"', "GET /a 200", "m=GET p=/a", None),
    ('| pattern "<m> <p> <s>"', "GET /a", "m=GET p=/a", None),
    ('| pattern "[<level>] <msg>"', "[warn] all is well", "level=warn msg=all is well", None),
    ('| pattern "[<level>] <msg>"', "warn: x", "", None),
    ('| pattern "<ip> - <_> \\"<m> <_>\\" <s>"', '1.2.3.4 - bob "GET /" 200', "ip=1.2.3.4 m=GET s=200", None),
    ('| pattern "<a>-<b>-"', "1-2-3", "a=1 b=2", None),
    ("| unpack", '{"k":"v","n":1,"_entry":"the line"}', "k=v", "the line"),
    ("| unpack", '{"k":"v"}', "", None),
    ("| unpack", '{"k":"v","app":"b","_entry":"e"} more', "app_extracted=b k=v", "e"),
    ("| unpack", "[1]", "__error__=JSONParserErr __error_details__=expecting json object(6), but it is not", None),
    ("| unpack | logfmt", '{"k":"v","_entry":"a=1"}', "a=1 k=v", "a=1"),
    ("| json | logfmt", '{"a":"x"}', "a=x", None),
    ("| decolorize", "\x1b[31mred\x1b[0m \x1b[1;32mok\x1b[0m", "", "red ok"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), SELECTORS)
def test_selectors(ask_logs: Any, query: str, expected: list[str]) -> None:
    assert ask_logs(query, STREAMS) == expected


@pytest.mark.parametrize("row", LINE_FILTERS, ids=lambda row: row[0])
def test_line_filters(ask_logs: Any, row: tuple[str, ...]) -> None:
    query, *expected = row
    assert ask_logs(f'{{app="a"}} {query}', TEXTS) == expected


@pytest.mark.parametrize(("stage", "line", "labels", "after"), PARSERS)
def test_parsers(ask_logs: Any, stage: str, line: str, labels: str, after: str | None) -> None:
    text = line if after is None else after
    expected = f"{labels} :: {text}" if labels else text
    assert ask_logs(f'{{app="a"}} {stage}', [line]) == [expected]


def test_labels_that_look_alike_as_text_are_of_different_streams() -> None:
    from sregym_logql import Engine, Entry
    from sregym_logql.memory import Memory
    from sregym_logql.response_json import logs_data

    lines = ['{"a":"1,b=2"}', '{"a":"1","b":"2"}', '{"b":"2","a":"1"}']
    entries = [((("app", "a"),), Entry(at, line)) for at, line in enumerate(lines)]
    answer = Engine(Memory(entries)).logs('{app="a"} | json', 0, 9, forward=True)
    assert logs_data(answer)["result"] == [
        {"stream": {"a": "1", "app": "a", "b": "2"}, "values": [["1", lines[1]], ["2", lines[2]]]},
        {"stream": {"a": "1,b=2", "app": "a"}, "values": [["0", lines[0]]]},
    ]


def test_a_line_that_is_not_there_has_no_labels(ask_logs: Any) -> None:
    assert ask_logs('{app="a"} | json', []) == []


def test_newest_first_and_no_more_than_asked() -> None:
    from sregym_logql import Engine, Entry
    from sregym_logql.memory import Memory

    labels = (("app", "a"),)
    second = 1_000_000_000
    engine = Engine(Memory([(labels, Entry(n * second, str(n))) for n in range(1000)]))

    def texts(limit: int, *, forward: bool) -> list[str]:
        found = engine.logs('{app="a"}', 10 * second, 900 * second, limit, forward=forward)
        return [entry.line for stream in found.streams for entry in stream.entries]

    assert texts(3, forward=False) == ["899", "898", "897"]
    assert texts(3, forward=True) == ["10", "11", "12"]
    assert texts(5000, forward=False) == [str(n) for n in range(899, 9, -1)]
    assert texts(5000, forward=True) == [str(n) for n in range(10, 900)]
