"""Connections that bash holds: written to, read from, with the server's messages."""

from __future__ import annotations

from typing import Any

import pytest

MODEL = """
application: cached
images:
  - repository: memcached
    tags: ["1.6.7"]
    size_mib: 31
    cmd: [memcached]
    binaries: {/usr/local/bin/memcached: memcached}
    tools: [debian]
programs:
  memcached: {kind: memcached}
"""


@pytest.fixture
def cache(make_shop: Any) -> Any:
    shop = make_shop(MODEL)
    shop.name("cache", "1")
    shop.start("cache", "memcached:1.6.7", "1")
    shop.run(5)
    return shop


def bash(cache: Any, script: str) -> Any:
    return cache.runtime.exec(cache.world, cache.ref("cache"), ("bash", "-c", script), "")


def test_a_conversation_over_a_descriptor(cache: Any) -> None:
    script = "exec 3<>/dev/tcp/cache/11211; printf 'version\\r\\nquit\\r\\n' >&3; cat <&3"
    done = bash(cache, script)
    assert (done.exit_code, done.stdout, done.stderr, done.duration_s) == (
        0,
        "VERSION 1.6.7\r\n",
        "",
        0.0,
    )


def test_a_server_that_keeps_the_connection_is_waited_for(cache: Any) -> None:
    script = "exec 3<>/dev/tcp/localhost/11211; echo version >&3; timeout 2 cat <&3; echo $?"
    done = bash(cache, script)
    assert (done.stdout, done.duration_s) == ("VERSION 1.6.7\r\n124\n", 2.0)


def test_lines_are_read_one_by_one(cache: Any) -> None:
    script = (
        "exec 5<>/dev/tcp/cache/11211; printf 'set a 0 0 1\\r\\nx\\r\\nget a\\r\\n' >&5; "
        "read first <&5; read second <&5; echo $first; echo $second"
    )
    assert bash(cache, script).stdout.replace("\r", "") == "STORED\nVALUE a 0 1\n"


def test_who_cannot_be_reached_is_told_at_once(cache: Any) -> None:
    cache.name("none")
    done = bash(cache, "exec 3<>/dev/tcp/none/11211; echo $?")
    assert done.stderr == (
        "bash: connect: Connection refused\nbash: line 1: /dev/tcp/none/11211: Connection refused\n"
    )
