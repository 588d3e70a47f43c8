"""Servers in front of others: what they answer and write when all is well, and when it is not."""

from __future__ import annotations

from typing import Any

import pytest

MODEL = """
application: gate
images:
  - repository: ghcr.io/acme/gate
    tags: ["1.0"]
    size_mib: 48
    env: {PATH: "/app/bin:/bin"}
    binaries: {/app/bin/front: front, /app/bin/web: web, /app/bin/load: load}
    tools: [alpine, curl]
programs:
  front:
    kind: http-proxy
    flavour: FLAVOUR
    version: 1.27.3
    port: 8080
    routes:
      buy: {request: GET /buy, upstream: "http://web:9000", timeout_s: 2, answer: {body: "sold\\n"}}
      about: {request: GET /about, answer: {body: "a shop\\n"}}
  web:
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 9000}}
    operations: {buy: {listener: http, route: GET /buy, cpu_ms: 0.2, answer: {body: "sold\\n"}}}
  load: {kind: load-generator, target: "http://front:8080", rate: 10, mix: {buy: {request: GET /buy, weight: 1}}}
"""
PAGE = (
    "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n"
    "<center><h1>502 Bad Gateway</h1></center>\n<hr><center>nginx/1.27.3</center>\n</body>\n"
    "</html>\n"
)


def gate(make_shop: Any, flavour: str) -> Any:
    shop = make_shop(MODEL.replace("FLAVOUR", flavour))
    for number, name in enumerate(("web", "front", "load"), start=1):
        shop.name(name, str(number))
        shop.start(name, "ghcr.io/acme/gate:1.0", str(number), command=(name,))
        shop.run(5)
    return shop


def break_web(shop: Any) -> None:
    shop.name("web")
    shop.run(5)


def ask(shop: Any, path: str) -> str:
    out: str = shop.shell("web", f"curl -si http://10.244.0.2:8080{path}")[1]
    return out.replace("\r\n", "\n")


def test_nginx_passes_on_and_writes_access_lines(make_shop: Any) -> None:
    shop = gate(make_shop, "nginx")
    head, _, body = ask(shop, "/buy").partition("\n\n")
    assert [line.partition(":")[0] for line in head.splitlines()] == [
        "HTTP/1.1 200 OK", "Server", "Date", "Content-Type", "Content-Length", "Connection",
    ]  # fmt: skip
    assert (head.splitlines()[1], body) == ("Server: nginx/1.27.3", "sold\n")
    texts = shop.texts("front")
    assert texts[0] == "/docker-entrypoint.sh: Configuration complete; ready for start up"
    assert texts[1].endswith('[notice] 1#1: using the "epoll" event method')
    own = [text for text in texts if text.startswith("10.244.0.1 ")]
    assert own[0].partition("] ")[2] == '"GET /buy HTTP/1.1" 200 0 "-" "-"'
    passed = [text for text in texts if text.startswith("10.244.0.3 ")]
    assert 40 <= len(passed) <= 60
    assert passed[0].partition("] ")[2] == '"GET /buy HTTP/1.1" 200 5 "-" "-"'


def test_nginx_says_why_a_gateway_is_bad(make_shop: Any) -> None:
    shop = gate(make_shop, "nginx")
    break_web(shop)
    head, _, body = ask(shop, "/buy").partition("\n\n")
    assert (head.splitlines()[0], body) == ("HTTP/1.1 502 Bad Gateway", PAGE)
    assert ask(shop, "/about").endswith("\n\na shop\n")
    texts = shop.texts("front")
    errors = [text for text in texts if "[error]" in text]
    assert errors
    assert errors[-1].partition("*")[2].partition(" ")[2] == (
        "connect() failed (111: Connection refused) while connecting to upstream, client: "
        '10.244.0.3, server: , request: "GET /buy HTTP/1.1", upstream: '
        '"http://10.96.1.3:9000/buy", host: "web"'
    )
    failed = [text for text in texts if '" 502 157 ' in text]
    assert abs(len(failed) - len(errors)) <= 1
    assert shop.texts("front") == texts


@pytest.mark.parametrize(
    ("flavour", "status", "end"),
    [
        ("openresty", "HTTP/1.1 502 Bad Gateway", '"GET /buy HTTP/1.1" 502 161 "-" "-"'),
        (
            "haproxy",
            "HTTP/1.1 503 Service Unavailable",
            'http-in buy/web 0/0/0/1/1 503 217 - - SC-- 1/1/0/0/0 0/0 "GET /buy HTTP/1.1"',
        ),
        (
            "envoy",
            "HTTP/1.1 503 Service Unavailable",
            '"GET /buy HTTP/1.1" 503 UF - "-" 0 167 1 1 "-" "-" "-" "web" "web:9000"',
        ),
    ],
)
def test_others_have_words_of_their_own(
    make_shop: Any, flavour: str, status: str, end: str
) -> None:
    shop = gate(make_shop, flavour)
    break_web(shop)
    told = [text for text in shop.texts("front") if "[error]" not in text]
    assert told[-1].partition("] ")[2] == end
    assert ask(shop, "/buy").splitlines()[0] == status
