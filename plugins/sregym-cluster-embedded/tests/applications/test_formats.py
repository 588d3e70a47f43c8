"""Each format of lines as the real library writes it."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.model import Line, Log
from sregym_cluster_embedded import userland
from sregym_cluster_embedded.subsystem import build_spec
from sregym_cluster_embedded.userland.formats import render
from sregym_cluster_embedded.world import World

# 2026-11-18 11:06:00 UTC, and a moment after it.
EPOCH, AT = 1_795_000_000 - 1_795_000_000 % 60, 12.34567

LINES = [
    ("plain", {"text": "as it is"}, "as it is"),
    ("go-log", {"text": "listening"}, "2026/11/18 11:06:12 listening"),
    ("json", {"text": "x", "fields": {"a": "1"}}, '{"time":"2026-11-18T11:06:12.345Z","level":"info","msg":"x","a":"1"}'),
    ("logfmt", {"text": "two words", "level": "warn"}, 'ts=2026-11-18T11:06:12.345Z level=warn msg="two words"'),
    ("zerolog-json", {"text": "x", "level": "error", "caller": "a.go:1"}, '{"level":"error","time":"2026-11-18T11:06:12Z","caller":"a.go:1","message":"x"}'),
    ("zerolog-console", {"text": "x", "caller": "a.go:1", "fields": {"k": "v"}}, "2026-11-18T11:06:12Z INF a.go:1 > x k=v"),
    ("consul", {"text": "agent: Started", "fields": {"n": "1"}}, "2026-11-18T11:06:12.345Z [INFO]  agent: Started: n=1"),
    ("mongod-json", {"text": "x", "fields": {"c": "NETWORK", "id": "23016", "port": "27017"}}, '{"t":{"$date":"2026-11-18T11:06:12.345+00:00"},"s":"I",  "c":"NETWORK", "id":23016,   "ctx":"initandlisten","msg":"x","attr":{"port":"27017"}}'),
    ("kafka", {"text": "no", "level": "warn", "caller": "kafka.network.Processor"}, "[2026-11-18 11:06:12,345] WARN no (kafka.network.Processor)"),
    ("postgres", {"text": "LOG:  gone", "fields": {"pid": "77"}}, "2026-11-18 11:06:12.345 UTC [77] LOG:  gone"),
    ("mysql", {"text": "Aborted.", "level": "warn", "fields": {"thread": "9", "code": "MY-010914"}}, "2026-11-18T11:06:12.345670Z 9 [Warning] [MY-010914] [Server] Aborted."),
    ("plain", {"text": "x", "format": "go-log"}, "2026/11/18 11:06:12 x"),
    ("nginx", {"text": "GET / HTTP/1.1"}, '- - - [18/Nov/2026:11:06:12 +0000] "GET / HTTP/1.1" 200 0 "-" "-"'),
    ("nginx", {"text": "GET /x HTTP/1.1", "fields": {"client": "10.0.0.1", "status": "502", "bytes": "157", "agent": "curl/8.5.0"}}, '10.0.0.1 - - [18/Nov/2026:11:06:12 +0000] "GET /x HTTP/1.1" 502 157 "-" "curl/8.5.0"'),
    ("log4j", {"text": "started", "caller": "org.shop.Main"}, "2026-11-18 11:06:12,345 [main] INFO  org.shop.Main - started"),
    ("log4j", {"text": "no", "level": "error", "caller": "o.s.Main", "fields": {"thread": "pool-1"}}, "2026-11-18 11:06:12,345 [pool-1] ERROR o.s.Main - no"),
    ("spring-boot", {"text": "Started", "caller": "org.shop.orders.OrdersApplication"}, "2026-11-18T11:06:12.345Z  INFO 1 --- [           main] org.shop.orders.OrdersApplication        : Started"),
    ("spring-boot", {"text": "no", "level": "error", "caller": "org.springframework.boot.web.embedded.tomcat.TomcatWebServer", "fields": {"thread": "http-nio-8080-exec-1"}}, "2026-11-18T11:06:12.345Z ERROR 1 --- [nio-8080-exec-1] o.s.b.w.embedded.tomcat.TomcatWebServer  : no"),
    ("zap", {"text": "Query server started", "caller": "app/server.go:226", "fields": {"port": "16685", "addr": ":16685", "configuration": '{"MaxTraces":0}'}}, '{"level":"info","ts":1794999972.34567,"caller":"app/server.go:226","msg":"Query server started","port":16685,"addr":":16685","configuration":{"MaxTraces":0}}'),
    ("klog", {"text": "started", "caller": "server.go:10"}, "I1118 11:06:12.345670       1 server.go:10] started"),
    ("klog", {"text": "Failed", "level": "error", "caller": "a.go:2", "fields": {"err": "EOF"}}, 'E1118 11:06:12.345670       1 a.go:2] "Failed" err="EOF"'),
    ("slog", {"text": "Product Found", "level": "error", "fields": {"n": "10", "id": "66V"}}, '{"time":"2026-11-18T11:06:12.345670Z","level":"ERROR","msg":"Product Found","n":10,"id":"66V"}'),
    ("pino", {"text": "Transaction complete.", "fields": {"hostname": "pay-1", "digits": "0454", "amount": '{"units":8}'}}, '{"level":"info","time":1794999972345,"pid":1,"hostname":"pay-1","digits":"0454","amount":{"units":8},"msg":"Transaction complete."}'),
    ("monolog", {"text": "Calculated quote", "caller": "quote", "fields": {"total": "12"}}, '[2026-11-18T11:06:12.345670+00:00] quote.INFO: Calculated quote {"total":12} []'),
    ("monolog", {"text": "slow", "caller": "quote", "level": "warn"}, "[2026-11-18T11:06:12.345670+00:00] quote.WARNING: slow [] []"),
    ("env-logger", {"text": "listening", "caller": "shipping"}, "[2026-11-18T11:06:12Z INFO  shipping] listening"),
    ("python", {"text": "no", "level": "warn", "caller": "server.py:7", "fields": {"service": "llm"}}, "2026-11-18 11:06:12,345 WARNING [main] [server.py:7] [trace_id=0 span_id=0 resource.service.name=llm trace_sampled=False] - no"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "line", "expected"), LINES)
def test_formats(form: Any, line: dict[str, Any], expected: str) -> None:
    world = World(build_spec([userland.subsystem()]), 0, EPOCH)
    (written,) = render(world, Log(format=form), Line(**line), {}, AT)
    assert (written.text, written.stream, written.at) == (expected, "stdout", AT)


def test_what_is_raw_has_no_format() -> None:
    world = World(build_spec([userland.subsystem()]), 0, EPOCH)
    trace = 'Exception in thread "main" java.lang.Error\n\tat Main.main(Main.java:3)'
    lines = render(world, Log(format="log4j"), Line(text=trace, raw=True), {}, AT)
    assert [line.text for line in lines] == trace.split("\n")


def test_each_line_of_postgres_has_its_time() -> None:
    world = World(build_spec([userland.subsystem()]), 0, EPOCH)
    line = Line(text="LOG:  a\nFATAL:  b", fields={"pid": "7"})
    lines = render(world, Log(format="postgres"), line, {}, AT)
    head = "2026-11-18 11:06:12.345 UTC [7]"
    assert [one.text for one in lines] == [f"{head} LOG:  a", f"{head} FATAL:  b"]


def test_what_dotnet_says_stands_below_who_says_it() -> None:
    world = World(build_spec([userland.subsystem()]), 0, EPOCH)
    line = Line(text="no\n ---> inner", level="error", caller="Cart.Store")
    lines = render(world, Log(format="dotnet"), line, {}, AT)
    assert [one.text for one in lines] == ["fail: Cart.Store[0]", "      no", "       ---> inner"]
