"""A memcached server, talked to with nc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

MODEL = """
application: cache
images:
  - repository: memcached
    tags: ["1.6"]
    size_mib: 31
    cmd: [memcached]
    binaries: {/usr/bin/memcached: memcached}
    tools: [alpine]
programs:
  memcached: {kind: memcached}
"""


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("set a 0 0 1\\r\\nx\\r\\nget a b\\r\\n", "STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n"),
        ("get a\\r\\n", "END\r\n"),
        ("add a 0 0 2\\r\\nx\\r\\n", "CLIENT_ERROR bad data chunk\r\nERROR\r\n"),
        ("set a 5 0 3\\r\\nabc\\r\\nget a\\r\\n", "STORED\r\nVALUE a 5 3\r\nabc\r\nEND\r\n"),
        ("set a 0 -1 3\\r\\nabc\\r\\nget a\\r\\n", "STORED\r\nEND\r\n"),
        ("set a 0 0 1 noreply\\r\\nx\\r\\nget a\\r\\n", "VALUE a 0 1\r\nx\r\nEND\r\n"),
        ("set a x 0 1\\r\\n", "CLIENT_ERROR bad command line format\r\n"),
        ("set a 0 0\\r\\n", "ERROR\r\n"),
        ("set a 0 0 2000000\\r\\nx\\r\\n", "SERVER_ERROR object too large for cache\r\n"),
        ("set a 0 0 1\\r\\nx\\r\\nadd a 0 0 1\\r\\ny\\r\\nappend a 0 0 1\\r\\nz\\r\\nget a\\r\\n", "STORED\r\nNOT_STORED\r\nSTORED\r\nVALUE a 0 2\r\nxz\r\nEND\r\n"),
        ("set a 0 0 1\\r\\nx\\r\\ncas a 0 0 1 9\\r\\ny\\r\\ngets a\\r\\n", "STORED\r\nEXISTS\r\nVALUE a 0 1 1\r\nx\r\nEND\r\n"),
        ("set n 0 0 1\\r\\n5\\r\\nincr n 3\\r\\ndecr n 100\\r\\nincr n x\\r\\nincr m 1\\r\\n", "STORED\r\n8\r\n0\r\nCLIENT_ERROR invalid numeric delta argument\r\nNOT_FOUND\r\n"),
        ("set a 0 0 1\\r\\nx\\r\\nincr a 1\\r\\n", "STORED\r\nCLIENT_ERROR cannot increment or decrement non-numeric value\r\n"),
        ("touch a 1\\r\\ntouch a x\\r\\ngat x a\\r\\n", "NOT_FOUND\r\nCLIENT_ERROR invalid exptime argument\r\nCLIENT_ERROR invalid exptime argument\r\n"),
        ("set a 0 0 3\\r\\nabc\\r\\nstats cachedump 1 9\\r\\nflush_all\\r\\nget a\\r\\n", "STORED\r\nITEM a [3 b; 0 s]\r\nEND\r\nOK\r\nEND\r\n"),
        ("stats cachedump\\r\\nstats nosuch\\r\\nstats sizes\\r\\nstats reset\\r\\n", "CLIENT_ERROR bad command line\r\nERROR\r\nSTAT sizes_status disabled\r\nEND\r\nRESET\r\n"),
        ("shutdown\\r\\n\\r\\nGET / HTTP/1.1\\r\\nversion\\r\\n", "ERROR: shutdown not enabled\r\nERROR\r\n"),
        ("delete a\\r\\nversion\\r\\nnosuch\\r\\n", "NOT_FOUND\r\nVERSION 1.6.7\r\nERROR\r\n"),
    ],
)  # fmt: skip
def test_lines_of_the_protocol(make_shop: Callable[..., Any], sent: str, expected: str) -> None:
    shop = make_shop(MODEL)
    shop.name("cache", "3")
    shop.start("cache", "memcached:1.6", "3")
    shop.run(1)
    assert shop.shell("cache", f"printf '{sent}' | nc cache 11211") == (0, expected, "")


def test_limits_of_the_command_line_are_shown(make_shop: Callable[..., Any]) -> None:
    shop = make_shop(MODEL)
    shop.name("cache", "3")
    shop.start("cache", "memcached:1.6", "3", command=("memcached", "-m", "32", "-c", "10"))
    shop.run(1)
    script = "echo stats | nc cache 11211 | grep -E 'max_conn|limit' | tr -d '\\r'"
    shown = "STAT max_connections 10\nSTAT limit_maxbytes 33554432\n"
    assert shop.shell("cache", script) == (0, shown, "")


def test_items_and_the_room_they_take_are_told(make_shop: Callable[..., Any]) -> None:
    shop = make_shop(MODEL)
    shop.name("cache", "3")
    shop.start("cache", "memcached:1.6", "3")
    shop.run(1)
    sent = "set a 0 0 3\\r\\nabc\\r\\ncache_memlimit 32\\r\\nstats slabs\\r\\nstats\\r\\n"
    kept = "grep -E '(chunk_size|used_chunks|limit_maxbytes|bytes|curr_items|get_flushed) '"
    script = (
        f"printf '{sent}' | nc cache 11211 | tr -d '\\r' | {kept} | grep -v _buf_ | grep -v obj"
    )
    assert shop.shell("cache", script)[1].splitlines() == [
        "STAT 1:chunk_size 96", "STAT 1:used_chunks 1", "STAT get_flushed 0",
        "STAT limit_maxbytes 33554432", "STAT hash_bytes 524288", "STAT bytes 63", "STAT curr_items 1",
    ]  # fmt: skip


def test_what_expires_is_gone_after_its_time(make_shop: Callable[..., Any]) -> None:
    shop = make_shop(MODEL)
    shop.name("cache", "3")
    shop.start("cache", "memcached:1.6", "3")
    shop.run(1)
    shop.shell("cache", "printf 'set a 0 5 1\\r\\nx\\r\\n' | nc cache 11211")
    look = "printf 'get a\\r\\n' | nc cache 11211"
    before = shop.shell("cache", look)[1]
    shop.run(6)
    assert (before, shop.shell("cache", look)[1]) == ("VALUE a 0 1\r\nx\r\nEND\r\n", "END\r\n")
