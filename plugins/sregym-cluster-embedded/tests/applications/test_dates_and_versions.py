"""Dates as BusyBox and GNU take them, versions that servers name, who the main process is."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("date -u +%FT%TZ", (0, "2025-11-21T21:20:01Z\n", "")),
        ("date -d @0 +%s", (0, "0\n", "")),
        ("date -d '2020-01-02 03:04:05'", (0, "Thu Jan  2 03:04:05 UTC 2020\n", "")),
        ("date -d 2020-01-02 +%s", (0, "1577923200\n", "")),
        ("date -Iseconds", (0, "2025-11-21T21:20:01+00:00\n", "")),
        ("date +%3N", (0, "000\n", "")),
        ("date -d '1 hour ago'", (1, "", "date: invalid date '1 hour ago'\n")),
    ],
)
def test_dates_of_busybox(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    shop.start_box("sleep", "36000")
    shop.run(1)
    assert shop.shell("box", script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("date -d '1 hour ago' +%H", (0, "20\n", "")),
        ("date -d 'yesterday' +%d", (0, "20\n", "")),
        ("date -d '2 days' +%d", (0, "23\n", "")),
        ("date -d '2020-01-02T03:04:05Z' +%s", (0, "1577934245\n", "")),
        ("date -d 'soon'", (1, "", "date: invalid date 'soon'\n")),
        ("date -r /nowhere", (1, "", "date: /nowhere: No such file or directory\n")),
    ],
)
def test_dates_of_gnu(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    shop.start_mongo()
    shop.run(1)
    assert shop.shell("mongodb-stock", script) == expected


def test_an_entry_point_becomes_its_program(shop: Any) -> None:
    shop.start_mongo()
    shop.run(5)
    assert shop.shell("mongodb-stock", "tr '\\0' ' ' < /proc/1/cmdline")[1] == (
        "mongod --bind_ip_all "
    )
    assert shop.shell("mongodb-stock", "mongod --version | head -1")[1] == "db version v4.4.6\n"
    assert shop.shell("mongodb-stock", "kill 1") == (0, "", "")
    shop.run(5)
    assert shop.ended("mongodb-stock") is not None


def test_a_server_in_go_writes_the_headers_of_its_library(open_shop: Any) -> None:
    open_shop.start_box("sleep", "36000")
    lines = open_shop.shell("web", "curl -si localhost:8080/healthz")[1].splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "HTTP/1.1 200 OK",
        "Content-Type",
        "Date",
        "Content-Length",
    ]
    before = open_shop.texts("web")
    assert open_shop.shell("stock", "curl -s -o /dev/null 10.244.0.4:8080/healthz")[0] == 0
    assert open_shop.texts("web") == before


def test_http_at_a_port_of_grpc_is_garbage(open_shop: Any) -> None:
    assert open_shop.shell("web", "curl -sS 10.244.0.2:8081") == (
        1,
        "",
        "curl: (1) Received HTTP/0.9 when not allowed\n",
    )


def test_busybox_says_what_it_can_do(shop: Any) -> None:
    shop.start_box("sleep", "36000")
    shop.run(1)
    code, out, err = shop.shell("box", "busybox")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary."
    assert lines[-1].startswith("\t")
    assert shop.shell("box", "busybox --list | head -3") == (0, "[\nash\nawk\n", "")
    assert shop.shell("box", "busybox echo a") == (0, "a\n", "")
