"""Datastores whose disk is full, slow or broken, or in which somebody holds a lock."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded import machines, syscalls
from sregym_cluster_embedded.userland.disk import DataFile, DiskProblem, read_problem
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds import Refusal
from sregym_cluster_embedded.userland.life import end
from sregym_cluster_embedded.userland.locks import Lock, hold
from sregym_cluster_embedded.userland.process import process_of

MISCONF = (
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Commands that may modify the data set are disabled, because this instance is configured "
    "to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). "
    "Please check the Redis logs for details about the RDB error."
)


def changes(kind: str, protocol: str, command: str, **program: Any) -> dict[str, Any]:
    return {
        "cache": {"kind": kind, "port": 8080, **program},
        "web.clients": {
            "cache": {
                "protocol": protocol,
                "address": "cache:8080",
                "timeout_s": 1,
                "database": "d",
            }
        },
        "web.operations.buy.calls": [{"call": f"cache.{command}", "collection": "orders"}],
    }


def market_of(make_market: Any, *arguments: str, **program: Any) -> Any:
    tools = ["debian", "mongo", "redis"]
    return make_market(
        changes(*arguments, **program), programs=("cache", "web", "load"), tools=tools
    )


def node_of(market: Any) -> str:
    process = process_of(market.world, market.refs("cache")[-1])
    assert process is not None
    return process.config.node


def fail(market: Any, call: str = "write", error: str = "ENOSPC", **fields: Any) -> None:
    syscalls.fail(market.world, "x", syscalls.Rule(call, error, node_of(market), **fields))


def failed(market: Any) -> float:
    """The part of users' requests that fail."""
    seen = market.seen(10)
    return float(sum(seen.failed.values()) / seen.requests)


def last_error(market: Any) -> str:
    (flow,) = market.history("web")[-1].flows
    return str(flow.errors[-1][0])


def test_a_full_disk_stops_writes_of_a_server_that_saves_snapshots(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    assert failed(market) == 0
    fail(market)
    market.run(2)
    assert (failed(market), last_error(market)) == (1.0, MISCONF)
    syscalls.heal(market.world, "x")
    market.run(2)
    assert failed(market) == 0


def test_reads_and_servers_without_snapshots_do_not_mind(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "get")
    fail(market)
    market.run(2)
    assert failed(market) == 0


def test_a_part_of_the_calls_that_fail_is_a_part_of_the_requests(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    fail(market, error="EIO", share=0.25)
    market.run(2)
    assert failed(market) == pytest.approx(0.25, abs=0.002)
    syscalls.heal(market.world, "x")
    market.run(2)
    assert failed(market) == 0


def test_a_slow_disk_is_seen_in_the_time_of_the_server(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    before = market.history("cache")[-1].flows[0].time.mean_ms
    machines.change_root(market.world, node_of(market), latency_ms=80.0)
    rule = syscalls.Rule("fsync", "", node_of(market), path="/data/*", delay_s=0.02)
    syscalls.fail(market.world, "slow", rule)
    market.run(5)
    after = market.history("cache")[-1].flows[0].time.mean_ms
    assert after - before == pytest.approx(100, abs=1)


def test_a_database_that_cannot_write_ends_at_its_next_checkpoint(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "insert")
    before = process_of(market.world, market.refs("cache")[0])
    assert before is not None
    assert before.served_at is not None
    fail(market)
    ends_at = before.served_at + 60
    market.run(ends_at - market.world.now + 0.8)
    process = process_of(market.world, before.ref)
    assert process is not None
    assert process.ended_at == pytest.approx(ends_at, abs=0.01)
    told = [json.loads(line.text) for line in process.lines[-3:]]
    assert [(entry["s"], entry["ctx"], entry["msg"]) for entry in told] == [
        ("E", "WTCheckpointThread", "WiredTiger error"),
        ("F", "WTCheckpointThread", "Fatal assertion"),
        ("F", "WTCheckpointThread", "\n\n***aborting after fassert() failure\n\n"),
    ]
    assert told[0]["attr"] == {
        "error": 28,
        "message": "__posix_file_io: WiredTiger.wt: No space left on device",
    }
    market.run(20)
    second = process_of(market.world, market.refs("cache")[-1])
    assert second is not None
    assert json.loads(second.lines[-1].text)["attr"] == {
        "error": "DBPathInUse: Unable to create/open the lock file: /data/db/mongod.lock (No space "
        "left on device). Ensure the user executing mongod is the owner of the lock file and has "
        "the appropriate permissions. Also make sure that another mongod instance is not already "
        "running on the /data/db directory"
    }
    assert statuses(market)[:2] == (100, "Error")


def statuses(market: Any) -> tuple[int, str, int]:
    """Exit code and reason of the last life of the store's container, and its restarts."""
    pods = market.world.store.list("pods", "default")
    pod = next(p for p in pods if p["metadata"]["labels"]["app"] == "cache")
    (status,) = pod["status"]["containerStatuses"]
    ended = status["lastState"].get("terminated") or status["state"]["terminated"]
    return ended["exitCode"], ended["reason"], status["restartCount"]


def test_what_cannot_be_read_is_met_when_a_database_starts_again(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "find")
    fail(market, "read", "EIO", path="/data/db/*")
    assert failed(market) == 0
    end(market.world, market.refs("cache")[-1], 1)
    market.run(15)
    assert statuses(market) == (14, "Error", 2)


@pytest.mark.parametrize(("command", "waits"), [("insert", (1, 1)), ("find", (0, 1))])
def test_who_commits_waits_behind_neighbours_and_who_reads_when_they_displace_files(
    make_market: Any, command: str, waits: tuple[int, int]
) -> None:
    market = market_of(make_market, "mongodb", "mongodb", command)
    assert failed(market) == 0
    for displaced, slow in zip((0.0, 1.0), waits, strict=True):
        machines.change_root(market.world, node_of(market), queued=2000, displaced=displaced)
        market.run(5)
        assert (failed(market) > 0.9) == bool(slow)
    machines.change_root(market.world, node_of(market), queued=0, displaced=0.0)
    market.run(5)
    assert failed(market) == 0


def test_accesses_that_fail_now_and_then_end_a_server(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "find")
    machines.change_root(market.world, node_of(market), failing=0.5)
    market.run(70)
    code, reason, _ = statuses(market)
    assert (code in (14, 100), reason) == (True, "Error")


def test_a_bad_block_fails_the_reads_of_the_file_on_it(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "find")
    machine = machines.machine(market.world, node_of(market))
    process = process_of(market.world, market.refs("cache")[-1])
    assert machine is not None
    assert process is not None
    file = DataFile("pv/data", "/data/db", "WiredTiger.wt")
    first, last = machines.blocks_of(machine.root, "pv/data:WiredTiger.wt", 32 << 20)
    met_at_end = DiskProblem("EIO", offset=(32 << 20) - 4096)
    for block, met in ((last, met_at_end), (first - 1, None), (last + 1, None)):
        machines.change_root(market.world, machine.name, bad_blocks=((block, block),))
        assert read_problem(market.world, process, file) == met


def test_a_broker_whose_only_log_folder_fails_gives_up(make_market: Any) -> None:
    topics = {"orders": {"partitions": 1}}
    market = market_of(make_market, "kafka", "kafka", "produce", topics=topics)
    machines.change_root(market.world, node_of(market), read_only=True)
    market.run(2)
    first = process_of(market.world, market.refs("cache")[0])
    assert first is not None
    assert [line.text.partition("] ")[2] for line in first.lines[-3:]] == [
        "ERROR Error while appending records to __cluster_metadata-0 in dir /var/lib/kafka/data "
        "(org.apache.kafka.storage.internals.log.LogDirFailureChannel)",
        "",
        "ERROR Shutdown broker because all log dirs in /var/lib/kafka/data have failed "
        "(kafka.log.LogManager)",
    ]
    assert first.lines[-2].text == "java.io.IOException: Read-only file system"


def test_writes_wait_while_a_database_is_locked(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "insert")
    mongo = "mongo --port 8080 --quiet --eval"
    locked = {
        "info": "now locked against writes, use db.fsyncUnlock() to unlock",
        "lockCount": 1,
        "seeAlso": "http://dochub.mongodb.org/core/fsynccommand",
        "ok": 1,
    }
    code, out, _ = market.shell("cache", f"{mongo} 'db.fsyncLock()'")
    assert (code, json.loads(out)) == (0, locked)
    market.run(2)
    assert failed(market) == 1.0
    assert json.loads(market.shell("cache", f"{mongo} 'db.currentOp()'")[1])["fsyncLock"] is True
    out = market.shell("cache", f"{mongo} 'db.fsyncUnlock()'")[1]
    assert json.loads(out) == {"info": "fsyncUnlock completed", "lockCount": 0, "ok": 1}
    market.run(2)
    assert failed(market) == 0
    assert market.shell("cache", f"{mongo} 'db.fsyncUnlock()'") == (
        252,
        "uncaught exception: Error: fsyncUnlock called when not locked :\n"
        "_getErrorWithCode@src/mongo/shell/utils.js:25:13\n@(shell eval):1:1\n"
        "exiting with code -4\n",
        "",
    )


def test_reads_go_on_while_writes_wait(make_market: Any) -> None:
    market = market_of(make_market, "mongodb", "mongodb", "find")
    hold(market.world, market.refs("cache")[-1], Lock(7, "d", "orders"))
    market.run(2)
    assert failed(market) == 0
    hold(market.world, market.refs("cache")[-1], Lock(8, "d", "orders", reads=True))
    market.run(2)
    assert failed(market) == 1.0


@pytest.mark.parametrize(
    ("kind", "command", "error", "words"),
    [
        ("mysql", "insert", "ENOSPC", "Error 1114 (HY000): The table 'orders' is full"),
        ("mysql", "insert", "EIO", "Error 1026 (HY000): Error writing file './orders.ibd' (OS errno 5 - Input/output error)"),
        ("mysql", "find", "EIO", "Error 1024 (HY000): Error reading file './orders.ibd' (OS errno 5 - Input/output error)"),
        ("postgres", "insert", "ENOSPC", 'ERROR: could not extend file "base/16384/16385": No space left on device (SQLSTATE 53100)'),
        ("postgres", "find", "EIO", 'ERROR: could not read block 0 in file "base/16384/16385": Input/output error (SQLSTATE 58030)'),
    ],
)  # fmt: skip
def test_sql_servers_refuse_in_their_words(
    make_market: Any, kind: str, command: str, error: str, words: str
) -> None:
    market = sql_market(make_market, kind)
    process = process_of(market.world, market.refs("cache")[-1])
    assert process is not None
    call = "read" if command == "find" else "write"
    rule = syscalls.Rule(call, error, path="/var/lib/*", share=0.5)
    syscalls.fail(market.world, "x", rule)
    user = "root" if kind == "mysql" else "postgres"
    client = Client(protocol=kind, address="cache:8080", user=user, password="", database=kind)  # type: ignore[arg-type]
    refusal = market.world.service(RUNTIME).command(
        market.world, process, client, command, "orders", True
    )
    assert refusal == Refusal("server", words, 0.5 * (0.05 if command == "find" else 1))


def test_a_postgresql_that_cannot_sync_ends_and_does_not_recover(make_market: Any) -> None:
    market = sql_market(make_market, "postgres")
    fail(market, "fsync", "EIO")
    market.run(120)
    last = list(market.world.service(RUNTIME).logs(market.world, market.refs("cache")[0]))[-1]
    assert last.text.partition("] ")[2] == "LOG:  database system is shut down"
    syscalls.heal(market.world, "x")
    market.run(600)
    assert (
        market.shell("cache", "psql -h 127.0.0.1 -p 8080 -U postgres -Atc 'select 1'")[1] == "1\n"
    )


def sql_market(make_market: Any, kind: str) -> Any:
    env = {
        "mysql": {"MYSQL_ALLOW_EMPTY_PASSWORD": "1", "MYSQL_DATABASE": "mysql"},
        "postgres": {"POSTGRES_HOST_AUTH_METHOD": "trust"},
    }[kind]
    return make_market(
        changes(kind, kind, "find"), programs=("cache",), env=env, tools=["debian", kind]
    )


def test_sessions_that_hold_locks_are_shown_and_can_be_ended(make_market: Any) -> None:
    market = sql_market(make_market, "mysql")
    server = market.refs("cache")[-1]
    lock = Lock(12, "mysql", "orders", True, "batch", "10.244.0.9", market.world.now)
    hold(market.world, server, lock)
    market.run(30)
    mysql = "mysql -h 127.0.0.1 -P 8080"
    script = f'{mysql} -N mysql -e "CREATE TABLE other (id INT); SHOW PROCESSLIST"'
    row = market.shell("cache", script)[1].splitlines()[0]
    assert row.split("\t") == [
        "12",
        "batch",
        "10.244.0.9:32780",
        "mysql",
        "Sleep",
        "30",
        "",
        "NULL",
    ]
    insert = f'{mysql} mysql -e "INSERT INTO orders VALUES (1)"'
    waited = (
        "ERROR 1205 (HY000) at line 1: Lock wait timeout exceeded; try restarting transaction\n"
    )
    assert market.shell("cache", insert) == (1, "", waited)
    assert market.shell("cache", f'{mysql} -e "KILL 12"') == (0, "", "")
    unknown = "ERROR 1094 (HY000) at line 1: Unknown thread id: 12\n"
    assert market.shell("cache", f'{mysql} -e "KILL 12"') == (1, "", unknown)


def test_backends_that_hold_locks_are_found_by_query(make_market: Any) -> None:
    market = sql_market(make_market, "postgres")
    server = market.refs("cache")[-1]
    statement = "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE"
    lock = Lock(77, "postgres", "orders", True, "batch", "10.244.0.9", 0.0, statement)
    hold(market.world, server, lock)
    psql = "psql -h 127.0.0.1 -p 8080 -U postgres -At -c"
    idle = (
        "\"SELECT pid, usename, query FROM pg_stat_activity WHERE state = 'idle in transaction'\""
    )
    assert market.shell("cache", f"{psql} {idle}") == (0, f"77|batch|{statement}\n", "")
    locks = '"SELECT relation, mode FROM pg_locks"'
    assert market.shell("cache", f"{psql} {locks}") == (0, "orders|AccessExclusiveLock\n", "")
    end = '"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 77"'
    assert market.shell("cache", f"{psql} {end}") == (0, "t\n", "")
    assert market.shell("cache", f"{psql} {locks}") == (0, "", "")


def test_snapshots_that_fail_stand_in_the_log_and_are_tried_again(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    fail(market)
    market.run(7)
    saved = "redis-cli -p 8080 info persistence | grep last_bgsave_status | tr -d '\\r'"
    assert market.shell("cache", f"redis-cli -p 8080 set a 1; {saved}") == (
        0,
        f"{MISCONF}\n\nrdb_last_bgsave_status:err\n",
        "",
    )
    errors = market.shell("cache", "redis-cli -p 8080 info errorstats | tail -n 1 | tr -d '\\r'")[1]
    name, _, count = errors.strip().partition(":count=")
    assert (name, 600 <= int(count) <= 720) == ("errorstat_MISCONF", True)
    syscalls.heal(market.world, "x")
    market.run(7)
    logs = market.world.service(RUNTIME).logs(market.world, market.refs("cache")[-1])
    said = [re.sub(r"[0-9]{2} [A-Z][a-z]{2} [0-9: .]+ ", "@ ", line.text) for line in logs]
    assert said[-8:] == [
        "1:M @ * 100 changes in 300 seconds. Saving...",
        "1:M @ * Background saving started by pid 25",
        "25:C @ # Write error while saving DB to the disk(rdbSaveRio): No space left on device",
        "1:M @ # Background saving error",
        "1:M @ * 100 changes in 300 seconds. Saving...",
        "1:M @ * Background saving started by pid 25",
        "25:C @ * DB saved on disk",
        "1:M @ * Background saving terminated with success",
    ]
    assert market.shell("cache", saved) == (0, "rdb_last_bgsave_status:ok\n", "")


def test_what_a_user_may_not_run_its_programs_may_not(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    market.shell("cache", "redis-cli -p 8080 ACL SETUSER default -@write")
    market.run(2)
    error = "NOPERM User default has no permissions to run the 'set' command"
    assert (failed(market), last_error(market)) == (1.0, error)
    market.shell("cache", "redis-cli -p 8080 ACL SETUSER default +@all")
    market.run(2)
    assert failed(market) == 0


def test_a_full_store_has_room_again_when_keys_are_deleted(make_market: Any) -> None:
    market = market_of(make_market, "redis", "keyvalue", "set")
    full = "redis-cli -p 8080 CONFIG SET maxmemory 1mb; redis-cli -p 8080 SET bulk $(head -c 200000 /dev/zero | tr '\\0' x)"
    market.shell("cache", full)
    market.run(2)
    told = "OOM command not allowed when used memory > 'maxmemory'."
    assert (failed(market), last_error(market)) == (1.0, told)
    market.shell("cache", "redis-cli -p 8080 DEL bulk")
    market.run(2)
    assert failed(market) == 0
