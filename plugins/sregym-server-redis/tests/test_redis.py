"""A Redis server and its client: keys, passwords, limits, data over restarts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.sdk.servers import FILE_BYTES
from sregym_cluster_embedded.sdk.testing import ExitState, Mount

MODEL = """
application: cache
images:
  - repository: redis
    tags: ["7.2"]
    size_mib: 40
    working_dir: /data
    entrypoint: [docker-entrypoint.sh]
    cmd: [redis-server]
    binaries: {/usr/local/bin/docker-entrypoint.sh: redis, /usr/local/bin/redis-server: redis}
    tools: [debian, redis]
programs:
  redis: {kind: redis, version: 7.2.4}
"""
WARNING = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n"


@pytest.fixture
def cache(make_shop: Callable[..., Any]) -> Any:
    return make_shop(MODEL)


def start(cache: Any, *arguments: str, attempt: int = 0, **fields: Any) -> Any:
    mounts = {"/data": Mount("volume", "pv/data"), **fields.pop("mounts", {})}
    cache.name("redis", "9")
    command = ("redis-server", *arguments)
    cache.start("redis", "redis:7.2", "9", attempt, command=command, mounts=mounts, **fields)
    cache.run(2)
    return cache


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("redis-cli ping", (0, "PONG\n", "")),
        ("redis-cli set a 1; redis-cli incr a; redis-cli get a", (0, "OK\n2\n2\n", "")),
        ("redis-cli get none", (0, "\n", "")),
        ("redis-cli lpush l a b; redis-cli lrange l 0 -1; redis-cli get l", (0, "2\nb\na\nWRONGTYPE Operation against a key holding the wrong kind of value\n\n", "")),
        ("redis-cli hset h f v; redis-cli hgetall h; redis-cli type h", (0, "1\nf\nv\nhash\n", "")),
        ("printf 'set x 1\\nget x\\n' | redis-cli", (0, "OK\n1\n", "")),
        ("redis-cli setex t 100 v; redis-cli ttl t; redis-cli ttl none", (0, "OK\n100\n-2\n", "")),
        ("redis-cli set a", (0, "ERR wrong number of arguments for 'set' command\n\n", "")),
        ("redis-cli nosuch a", (0, "ERR unknown command 'nosuch', with args beginning with: 'a' \n\n", "")),
        ("redis-cli config set maxmemory 1mb; redis-cli config get maxmemory; redis-cli set a 1", (0, "OK\nmaxmemory\n1048576\nOK\n", "")),
        ("redis-cli config set maxmemory 1; redis-cli set a 1; redis-cli get a", (0, "OK\nOOM command not allowed when used memory > 'maxmemory'.\n\n\n", "")),
        ("redis-cli replicaof other 6379; redis-cli set a 1", (0, "OK\nREADONLY You can't write against a read only replica.\n\n", "")),
        ("redis-cli -a x ping", (0, "PONG\n", WARNING + "AUTH failed: ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?\n")),
        ("redis-cli -h idle ping", (1, "", "Could not connect to Redis at idle:6379: Connection refused\n")),
        ("redis-cli -h nothing ping", (1, "", "Could not connect to Redis at nothing:6379: Name or service not known\n")),
        ("redis-cli info server | head -2 | tail -1 | tr -d '\\r'", (0, "redis_version:7.2.4\n", "")),
        ("redis-cli -n 1 set k v; redis-cli dbsize; redis-cli -n 1 dbsize", (0, "OK\n0\n1\n", "")),
    ],
)  # fmt: skip
def test_commands(cache: Any, script: str, expected: tuple[int, str, str]) -> None:
    cache.name("idle")
    assert start(cache).shell("redis", script) == expected


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("mset a", "ERR wrong number of arguments for 'mset' command"),
        ("mset a 1 b", "ERR wrong number of arguments for 'mset' command"),
        ("rename none b", "ERR no such key"),
        ("hset h f", "ERR wrong number of arguments for 'hset' command"),
        ("auth", "ERR wrong number of arguments for 'auth' command"),
        ("auth a b c", "ERR syntax error"),
        ("select", "ERR wrong number of arguments for 'select' command"),
        ("select x", "ERR value is not an integer or out of range"),
        ("select 16", "ERR DB index is out of range"),
        ("select -1", "ERR DB index is out of range"),
        ("config", "ERR wrong number of arguments for 'config' command"),
        ("config get", "ERR wrong number of arguments for 'config|get' command"),
        ("config set maxmemory", "ERR wrong number of arguments for 'config|set' command"),
        ("config noSuch", "ERR unknown subcommand 'noSuch'. Try CONFIG HELP."),
        ("config rewrite", "ERR The server is running without a config file"),
        (
            "config set nosuch 1",
            "ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'",
        ),
        (
            "config set maxmemory lots",
            "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value",
        ),
    ],
)
def test_what_is_refused_says_why(cache: Any, command: str, answer: str) -> None:
    # As the real one, redis-cli ends with 0 all the same.
    assert start(cache).shell("redis", f"redis-cli {command}") == (0, f"{answer}\n\n", "")


def test_a_password_is_demanded(cache: Any) -> None:
    start(cache, "--requirepass", "secret")
    answers = [
        cache.shell("redis", script)
        for script in ("redis-cli get a", "redis-cli -a wrong get a", "REDISCLI_AUTH=secret redis-cli ping")
    ]  # fmt: skip
    wrong = "AUTH failed: WRONGPASS invalid username-password pair or user is disabled.\n"
    refused = "NOAUTH Authentication required.\n\n"
    assert answers == [(0, refused, ""), (0, refused, WARNING + wrong), (0, "PONG\n", "")]


def test_data_outlives_the_process_and_forks_go_apart(cache: Any) -> None:
    start(cache).shell("redis", "redis-cli set a 1")
    twin = cache.fork()
    twin.shell("redis", "redis-cli set a 2")
    cache.runtime.kill(cache.world, cache.ref("redis"))
    start(cache, attempt=1)
    values = [each.shell("redis", "redis-cli get a")[1] for each in (cache, twin)]
    assert values == ["1\n", "2\n"]


def test_what_it_keeps_counts_against_its_limit(cache: Any) -> None:
    start(cache, memory_limit_bytes=20 << 20)
    value = "head -c 4194304 /dev/zero | tr '\\0' x >/tmp/v;"
    write = "redis-cli -x SET {} </tmp/v >/dev/null;"
    cache.shell("redis", value + write.format("a") + write.format("b"))
    cache.run(5)
    assert cache.ended("redis") is None
    cache.shell("redis", "redis-cli DEL a;" + value + write.format("c"))
    cache.run(5)
    assert cache.ended("redis") is None
    cache.shell("redis", value + write.format("d"))
    cache.run(5)
    assert cache.ended("redis") == ExitState(137, "OOMKilled")


def test_a_setting_that_cannot_be_ends_the_server(cache: Any) -> None:
    config = Mount("files", "cfg", {"redis.conf": "port 6379\nmaxmemory lots\n"})
    start(cache, "/etc/redis/redis.conf", mounts={"/etc/redis": config})
    assert cache.ended("redis") == ExitState(1, "Error")
    assert cache.texts("redis") == [
        "*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***",
        "Reading the configuration file, at line 2",
        ">>> 'maxmemory lots'",
        "argument must be a memory value",
    ]


@pytest.mark.parametrize(
    ("arguments", "configured", "saved"),
    [
        (
            (),
            "1:C @ # Warning: no config file specified, using the default config. In order to specify a config file use redis-server /path/to/redis.conf",
            ["1:M @ * Saving the final RDB snapshot before exiting.", "1:M @ * DB saved on disk"],
        ),
        (("--save", ""), "1:C @ * Configuration loaded", []),
    ],
)
def test_the_log_from_start_to_end(
    cache: Any, arguments: tuple[str, ...], configured: str, saved: list[str]
) -> None:
    start(cache, *arguments)
    cache.runtime.terminate(cache.world, cache.ref("redis"))
    stamps = r"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3}"
    assert [re.sub(stamps, "@", text) for text in cache.texts("redis")] == [
        "1:C @ * oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo",
        "1:C @ * Redis version=7.2.4, bits=64, commit=00000000, modified=0, pid=1, just started",
        configured,
        "1:M @ * monotonic clock: POSIX clock_gettime",
        "1:M @ * Running mode=standalone, port=6379.",
        "1:M @ * Server initialized",
        "1:M @ * Ready to accept connections tcp",
        f"1:signal-handler ({int(cache.world.epoch + cache.world.now)}) Received SIGTERM scheduling shutdown...",
        "1:M @ * User requested shutdown...",
        *saved,
        "1:M @ # Redis is now ready to exit, bye bye...",
    ]


def test_a_snapshot_that_the_disk_has_altered_is_not_loaded(cache: Any) -> None:
    disk = machines.Disk("root", 100 << 30)
    first, last = machines.blocks_of(disk, "pv/data::dump.rdb", FILE_BYTES)
    machines.add(cache.world, machines.Machine("node1", 0, 16 << 20, (disk,)))
    start(cache)
    cache.shell("redis", "redis-cli set a 1; redis-cli save")
    cache.stop("redis")
    machines.change_root(cache.world, "node1", altered_blocks=((first, last),))
    start(cache, attempt=1)
    assert cache.ended("redis").exit_code == 1
    told = [text.partition(" # ")[2] for text in cache.texts("redis")[-2:]]
    assert [re.sub("[0-9a-f]{16}", "@", text) for text in told] == [
        "Wrong RDB checksum expected: (@) but got (@). Aborting now.",
        "Fatal error loading the DB, check server logs: short read or unsupported RDB version",
    ]
