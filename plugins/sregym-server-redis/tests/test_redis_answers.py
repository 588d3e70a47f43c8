"""What redis-cli prints, line by line as Redis 7.0.15 and its client print it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import ExitState, Mount

DATA = Path(__file__).parent / "data"
MODEL = """
application: cache
images:
  - repository: redis
    tags: ["7.0"]
    size_mib: 40
    working_dir: /data
    entrypoint: [docker-entrypoint.sh]
    cmd: [redis-server]
    binaries: {/usr/local/bin/docker-entrypoint.sh: redis, /usr/local/bin/redis-server: redis}
    tools: [debian, redis, nc]
  - repository: redis
    tags: ["6.2"]
    size_mib: 40
    entrypoint: [redis-server]
    binaries: {/usr/local/bin/redis-server: older}
    tools: [debian, redis]
programs:
  redis: {kind: redis, version: 7.0.15}
  older: {kind: redis, version: 6.2.4}
"""
UNSAFE = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.\n"
WRONG = "WRONGPASS invalid username-password pair or user is disabled."
CONFIG = "ERR CONFIG SET failed (possibly related to argument '{}') - {}\n\n"
BOB = "redis-cli acl setuser bob on '>pw' '~cart:*' +get +ping; redis-cli --user bob --pass pw --no-auth-warning"
DIGEST = "#30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4"


@pytest.fixture
def cache(started: Any) -> Any:
    return started.fork()


@pytest.fixture(scope="module")
def started(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    start(shop)
    return shop


def start(shop: Any, image: str = "redis:7.0", attempt: int = 0) -> None:
    shop.name("redis", "9")
    mounts = {"/data": Mount("volume", "pv/data")}
    shop.start("redis", image, "9", attempt, command=("redis-server",), mounts=mounts)
    shop.run(2)


@pytest.mark.parametrize(
    ("script", "out", "err"),
    [
        ("redis-cli rpush l a b >/dev/null; redis-cli --no-raw lrange l 0 -1", '1) "a"\n2) "b"\n', ""),
        ("redis-cli hset h f v >/dev/null; redis-cli --json hgetall h; redis-cli -3 hgetall h", '{"f":"v"}\nf v\n', ""),
        ("redis-cli --no-raw get none; redis-cli --no-raw keys 'x*'", "(nil)\n(empty array)\n", ""),
        ("redis-cli set a 'x\"y' >/dev/null; redis-cli --csv mget a none", '"x\\"y",NULL\n', ""),
        ("redis-cli set n 7 >/dev/null; redis-cli --no-raw incr n", "(integer) 8\n", ""),
        ("redis-cli sadd s a >/dev/null; redis-cli -e get s; echo $?", "1\n", "WRONGTYPE Operation against a key holding the wrong kind of value\n"),
        ("redis-cli set a 1 EX 0", "ERR invalid expire time in 'set' command\n\n", ""),
        ("redis-cli set a 1 NX XX", "ERR syntax error\n\n", ""),
        ("redis-cli set a 5 EX 100; redis-cli expire a 200 NX; redis-cli ttl a", "OK\n0\n100\n", ""),
        ("redis-cli zadd z 1.5 b 1 a; redis-cli zrange z 0 -1 withscores", "2\na\n1\nb\n1.5\n", ""),
        ("redis-cli zadd z x b", "ERR value is not a valid float\n\n", ""),
        ("redis-cli set k v; redis-cli object encoding k; redis-cli memory usage k", "OK\nembstr\n56\n", ""),
        ("redis-cli config get maxmemory maxclients", "maxmemory\n0\nmaxclients\n10000\n", ""),
        ("redis-cli config set maxmemory-policy foo", CONFIG.format("maxmemory-policy", "argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction"), ""),
        ("redis-cli config set timeout -1", CONFIG.format("timeout", "argument must be between 0 and 2147483647 inclusive"), ""),
        ("redis-cli config set timeout abc", CONFIG.format("timeout", "argument couldn't be parsed into an integer"), ""),
        ("redis-cli config set appendonly maybe", CONFIG.format("appendonly", "argument must be 'yes' or 'no'"), ""),
        ("redis-cli config set databases 3", CONFIG.format("databases", "can't set immutable config"), ""),
        ("redis-cli config set save foo", CONFIG.format("save", "Invalid save parameters"), ""),
        ("redis-cli config set hz 5 hz 6", CONFIG.format("hz", "duplicate parameter"), ""),
        ("redis-cli config set slave-read-only no; redis-cli config get replica-read-only", "OK\nreplica-read-only\nno\n", ""),
        ("redis-cli client foo", "ERR unknown subcommand 'foo'. Try CLIENT HELP.\n\n", ""),
        ("redis-cli client setname 'a b'", "ERR Client names cannot contain spaces, newlines or special characters.\n\n", ""),
        ("redis-cli acl list", "user default on nopass ~* &* +@all\n", ""),
        (f"{BOB} set cart:1 x", "OK\nNOPERM this user has no permissions to run the 'set' command\n\n", ""),
        (f"{BOB} get other", "OK\nNOPERM this user has no permissions to access one of the keys used as arguments\n\n", ""),
        (f"{BOB} ping; redis-cli acl list", f"OK\nPONG\nuser bob on {DIGEST} ~cart:* resetchannels -@all +get +ping\nuser default on nopass ~* &* +@all\n", ""),
        ("redis-cli acl setuser bob foo", "ERR Error in ACL SETUSER modifier 'foo': Syntax error\n\n", ""),
        ("redis-cli acl setuser bob +nosuch", "ERR Error in ACL SETUSER modifier '+nosuch': Unknown command or category name in ACL\n\n", ""),
        ("redis-cli config set requirepass pw; redis-cli info; redis-cli -a no ping", "OK\nNOAUTH Authentication required.\nNOAUTH Authentication required.\n\n", f"{UNSAFE}AUTH failed: {WRONG}\n"),
        ("redis-cli config set requirepass pw; redis-cli -u redis://default:pw@127.0.0.1/1 dbsize", "OK\n0\n", UNSAFE),
        ("redis-cli -n 99 ping", "PONG\n", "SELECT 99 failed: ERR DB index is out of range\n"),
        ("printf 'multi\\nset t 1\\nlpush t x\\nexec\\n' | redis-cli --no-raw", "OK\nQUEUED\nQUEUED\n1) OK\n2) (error) WRONGTYPE Operation against a key holding the wrong kind of value\n", ""),
        ("printf 'multi\\nnosuch\\nexec\\n' | redis-cli", "OK\nERR unknown command 'nosuch', with args beginning with: \n\nEXECABORT Transaction discarded because of previous errors.\n\n", ""),
        ("printf 'set q \"open\\n' | redis-cli", "Invalid argument(s)\n", ""),
        ("printf v | redis-cli -x set k; redis-cli -r 2 strlen k", "OK\n1\n1\n", ""),
        ("printf 'SET a 1\\r\\nGET\\r\\n' | redis-cli --pipe", "All data transferred. Waiting for the last reply...\nLast reply received from server.\nerrors: 1, replies: 2\n", "ERR wrong number of arguments for 'get' command\n"),
        ("printf '*0\\r\\n*2\\r\\n$4\\r\\nECHO\\r\\n$2\\r\\né\\r\\nPING\\r\\n' | nc 127.0.0.1 6379", "$2\r\né\r\n+PONG\r\n", ""),
        ("printf 'SET a 1\\nGET \"a\\n' | redis-cli --pipe; redis-cli get a", "All data transferred. Waiting for the last reply...\nLast reply received from server.\nerrors: 1, replies: 2\n1\n", "ERR Protocol error: unbalanced quotes in request\n"),
        ("printf '*1\\r\\n$4\\r\\nPING\\r\\n' | nc 127.0.0.1 6379", "+PONG\r\n", ""),
        ("redis-cli --nosuch", "", "Unrecognized option or bad number of args for: '--nosuch'\n"),
        ("redis-cli -p abc ping", "", "Could not connect to Redis at 127.0.0.1:0: Connection refused\n"),
        ("timeout 1 redis-cli subscribe ch; echo $?", "subscribe\nch\n1\n124\n", ""),
        ("redis-cli cluster info; redis-cli debug sleep 1", "ERR This instance has cluster support disabled\nERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.\n\n", ""),
        ("redis-cli info | tr -d '\\r' | grep '^#' | tr '\\n' ' '", "# Server # Clients # Memory # Persistence # Stats # Replication # CPU # Modules # Errorstats # Cluster # Keyspace ", ""),
        ("redis-cli set k v EX 60; redis-cli -n 2 set k v; redis-cli info keyspace", "OK\nOK\n# Keyspace\r\ndb0:keys=1,expires=1,avg_ttl=60000\r\ndb2:keys=1,expires=0,avg_ttl=0\r\n", ""),
    ],
)  # fmt: skip
def test_what_is_printed(cache: Any, script: str, out: str, err: str) -> None:
    assert cache.shell("redis", script)[1:] == (out, err)


def test_what_takes_most_is_found(cache: Any) -> None:
    script = "redis-cli mset a 1 long 22222 >/dev/null; redis-cli sadd s x y >/dev/null; redis-cli --bigkeys"
    assert cache.shell("redis", script) == (
        0,
        "\n# Scanning the entire keyspace to find biggest keys as well as\n"
        "# average sizes per key type.  You can use -i 0.1 to sleep 0.1 sec\n"
        "# per 100 SCAN commands (not usually needed).\n\n"
        "[00.00%] Biggest string found so far '\"a\"' with 1 bytes\n"
        "[00.00%] Biggest string found so far '\"long\"' with 5 bytes\n"
        "[00.00%] Biggest set    found so far '\"s\"' with 2 members\n\n"
        "-------- summary -------\n\n"
        "Sampled 3 keys in the keyspace!\n"
        "Total key length in bytes is 6 (avg len 2.00)\n\n"
        "Biggest string found '\"long\"' has 5 bytes\n"
        "Biggest    set found '\"s\"' has 2 members\n\n"
        "0 lists with 0 items (00.00% of keys, avg size 0.00)\n"
        "0 hashs with 0 fields (00.00% of keys, avg size 0.00)\n"
        "2 strings with 6 bytes (66.67% of keys, avg size 3.00)\n"
        "0 streams with 0 entries (00.00% of keys, avg size 0.00)\n"
        "1 sets with 2 members (33.33% of keys, avg size 2.00)\n"
        "0 zsets with 0 members (00.00% of keys, avg size 0.00)\n",
        "",
    )


def test_a_full_server_lets_keys_go_as_its_policy_says(cache: Any) -> None:
    script = (
        "redis-cli set old v; redis-cli config set maxmemory 1; redis-cli set new v;"
        "redis-cli get old; redis-cli config set maxmemory-policy volatile-lru; redis-cli set new v;"
        "redis-cli config set maxmemory-policy allkeys-lru; redis-cli set new v; redis-cli get old;"
        "redis-cli info stats | grep evicted_keys | tr -d '\\r'"
    )
    full = "OOM command not allowed when used memory > 'maxmemory'.\n\n"
    said = f"OK\nOK\n{full}v\nOK\n{full}OK\n{full}\nevicted_keys:1\n"
    assert cache.shell("redis", script) == (0, said, "")


def test_a_setting_that_is_set_back_is_no_change(cache: Any) -> None:
    before = cache.runtime.durable_state(cache.world)
    cache.shell("redis", "redis-cli set a 1; redis-cli del a; redis-cli config set hz 50")
    changed = cache.runtime.durable_state(cache.world)
    cache.shell("redis", "redis-cli config set hz 10")
    assert changed == {"redis at pv/data:": '{"keys":{},"settings":{"hz":"50"}}'}
    assert (before, cache.runtime.durable_state(cache.world)) == ({}, {})


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("nosuch a b", "ERR unknown command `nosuch`, with args beginning with: `a`, `b`, "),
        ("config set nosuch 1", "ERR Unsupported CONFIG parameter: nosuch"),
        ("config set timeout x", "ERR Invalid argument 'x' for CONFIG SET 'timeout' - argument couldn't be parsed into an integer"),
        ("client foo", "ERR Unknown subcommand or wrong number of arguments for 'foo'. Try CLIENT HELP."),
    ],
)  # fmt: skip
def test_older_servers_say_it_otherwise(
    make_shop: Callable[..., Any], command: str, answer: str
) -> None:
    shop = make_shop(MODEL)
    start(shop, "redis:6.2")
    assert shop.shell("redis", f"redis-cli {command}") == (0, f"{answer}\n\n", "")


def test_the_log_tells_what_was_loaded_and_of_a_shutdown_by_a_client(cache: Any) -> None:
    cache.shell("redis", "redis-cli set a 1; redis-cli shutdown")
    assert cache.ended("redis") == ExitState(0, "Completed")
    first = cache.texts("redis")
    start(cache, attempt=1)
    stamps = r"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3}"
    said = [re.sub(stamps, "@", text) for text in (*first[-4:], *cache.texts("redis"))]
    assert said == [
        "1:M @ # User requested shutdown...",
        "1:M @ * Saving the final RDB snapshot before exiting.",
        "1:M @ * DB saved on disk",
        "1:M @ # Redis is now ready to exit, bye bye...",
        "1:C @ # oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo",
        "1:C @ # Redis version=7.0.15, bits=64, commit=00000000, modified=0, pid=1, just started",
        "1:C @ # Warning: no config file specified, using the default config. In order to specify a config file use redis-server /path/to/redis.conf",
        "1:M @ * monotonic clock: POSIX clock_gettime",
        "1:M @ * Running mode=standalone, port=6379.",
        "1:M @ # Server initialized",
        "1:M @ * Loading RDB produced by version 7.0.15",
        "1:M @ * RDB age 1 seconds",
        "1:M @ * RDB memory usage when created 0.92 Mb",
        "1:M @ * Done loading RDB, keys loaded: 1, keys expired: 0.",
        "1:M @ * DB loaded from disk: 0.000 seconds",
        "1:M @ * Ready to accept connections",
    ]


def test_commands_are_refused_as_recorded(cache: Any) -> None:
    lines = (DATA / "redis_refusals.txt").read_text(encoding="utf-8").splitlines()[1:]
    different = []
    cache.shell("redis", "redis-cli lpush l 1 2 3")
    for command, refusal in zip(lines[::2], lines[1::2], strict=True):
        answer = cache.shell("redis", f"redis-cli {command}")
        if answer != (0, f"{refusal.strip()}\n\n", ""):
            different.append((command, refusal.strip(), answer))
    assert different == []
