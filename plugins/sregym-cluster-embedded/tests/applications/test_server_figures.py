"""What datastores tell of themselves agrees with what happened to them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import Mount
from sregym_cluster_embedded.userland.command_counts import Peer, command_count, connected, counted
from sregym_cluster_embedded.userland.connections import sockets
from sregym_cluster_embedded.userland.process import process_of
from sregym_server_sql.sessions import process_list


@pytest.fixture
def busy(shop: Any) -> Any:
    """A shop at a hundred requests a second, each of which finds something in MongoDB."""
    shop.open()
    shop.run(20)
    return shop


def status(shop: Any, expression: str) -> Any:
    code, out, err = shop.mongo(f"JSON.stringify({expression})")
    assert (code, err) == (0, "")
    return json.loads(out)


def queries(shop: Any) -> int:
    return int(status(shop, "db.serverStatus().opcounters.query")["$numberLong"])


def test_a_server_counts_what_its_callers_asked(busy: Any) -> None:
    counted = queries(busy)
    requests = status(busy, "db.serverStatus().network.numRequests")
    assert int(requests["$numberLong"]) >= counted > 1000
    busy.run(10)
    later = queries(busy)
    assert later - counted == pytest.approx(1000, abs=4 * 1000**0.5)
    assert queries(busy) == later
    assert busy.mongo("db.serverStatus().opcounters.query")[1] == f"NumberLong({later})\n"


def test_a_fork_counts_on_by_itself(busy: Any) -> None:
    other = busy.fork()
    other.run(10)
    assert queries(other) > queries(busy)
    busy.run(10)
    assert queries(other) == queries(busy)


def test_a_server_that_starts_again_counts_anew(busy: Any) -> None:
    busy.runtime.kill(busy.world, busy.ref("mongodb-stock"))
    busy.run(1)
    mounts = {"/data/db": Mount("volume", "claim-1")}
    env = {"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "root"}
    busy.start("mongodb-stock", "mongo:4.4.6", "1", 1, env=env, mounts=mounts)
    busy.run(10)
    assert 0 < queries(busy) < 1000


def test_databases_are_listed_with_their_sizes(busy: Any) -> None:
    expected = {
        "databases": [
            {"name": "admin", "sizeOnDisk": 102400, "empty": False},
            {"name": "config", "sizeOnDisk": 61440, "empty": False},
            {"name": "local", "sizeOnDisk": 73728, "empty": False},
            {"name": "stock-db", "sizeOnDisk": 40960, "empty": False},
        ],
        "totalSize": 278528,
        "ok": 1,
    }
    assert status(busy, "db.adminCommand({listDatabases: 1})") == expected
    assert status(busy, "db.getMongo().getDBNames()") == ["admin", "config", "local", "stock-db"]
    denied = 'tojson(db.getSiblingDB("stock-db").runCommand("listDatabases"))'
    assert busy.mongo(denied)[1] == (
        '{\n\t"ok" : 0,\n\t"errmsg" : "listDatabases may only be run against the admin database.",\n'
        '\t"code" : 13,\n\t"codeName" : "Unauthorized"\n}\n'
    )


def test_only_who_may_look_at_the_server_does(busy: Any) -> None:
    code, out, err = busy.mongo("db.serverStatus().ok", "admin", "secret")
    assert (code, re.sub(r'lsid: \{ id: UUID\("[0-9a-f-]+"\) \}', "@", out), err) == (
        252,
        "uncaught exception: Error: not authorized on admin to execute command "
        '{ serverStatus: 1, @, $db: "admin" } :\n_getErrorWithCode@src/mongo/shell/utils.js:25:13\n'
        "@(shell eval):1:1\nexiting with code -4\n",
        "",
    )


def test_a_server_of_its_own_has_no_replica_set(busy: Any) -> None:
    assert busy.mongo("rs.status()") == (
        0,
        '{\n\t"ok" : 0,\n\t"errmsg" : "not running with --replSet",\n\t"code" : 76,\n'
        '\t"codeName" : "NoReplicationEnabled"\n}\n',
        "",
    )
    assert busy.mongo("db.isMaster().ismaster") == (0, "true\n", "")


def test_plans_name_the_scan(busy: Any) -> None:
    plan = 'db.getSiblingDB("stock-db").items.find({a: 1}).explain().queryPlanner.winningPlan'
    assert status(busy, plan) == {
        "stage": "COLLSCAN",
        "filter": {"a": {"$eq": 1}},
        "direction": "forward",
    }
    index = 'db.getSiblingDB("stock-db").items.getIndexes()'
    assert status(busy, index) == [{"v": 2, "key": {"_id": 1}, "name": "_id_"}]


def test_the_log_and_the_command_line_can_be_asked_for(busy: Any) -> None:
    assert status(busy, "db.serverCmdLineOpts().parsed") == {
        "net": {"bindIp": "*"},
        "security": {"authorization": "enabled"},
    }
    lines = status(busy, 'db.adminCommand({getLog: "global"}).log')
    assert lines == busy.texts("mongodb-stock")[-len(lines) :]


CACHED = """
application: cached
images:
  - repository: ghcr.io/acme/cached
    tags: ["1.0"]
    size_mib: 48
    env: {PATH: "/app/bin:/bin"}
    binaries: {/app/bin/web: web, /app/bin/load: load, /app/bin/cache: cache, /app/bin/base: base}
    tools: [alpine, redis]
programs:
  web:
    startup: [{listen: http}]
    listeners: {http: {protocol: http, port: 8080}}
    clients:
      cache: {protocol: memcached, address: "cache:11211"}
      base: {protocol: mysql, address: "base:3306", user: root, password: pw, database: shop}
    operations:
      look:
        listener: http
        route: GET /look
        cpu_ms: 0.2
        calls:
          - cache: cache
            hit_rate: 0.75
            miss: [{call: base.find, collection: items}, {call: cache.set}]
  cache: {kind: memcached}
  base: {kind: mysql, version: 8.0.36}
  load: {kind: load-generator, target: "http://web:8080", rate: 100, mix: {look: {request: GET /look, weight: 1}}}
"""


@pytest.fixture
def cached(make_shop: Any) -> Any:
    return opened(make_shop(CACHED))


def opened(shop: Any) -> Any:
    for number, name in enumerate(("cache", "base", "web", "load"), start=1):
        shop.name(name, str(number))
        env = {"MYSQL_ROOT_PASSWORD": "pw", "MYSQL_DATABASE": "shop"}
        shop.start(name, "ghcr.io/acme/cached:1.0", str(number), command=(name,), env=env)
        shop.run(40)
    return shop


def test_a_cache_tells_what_it_found(cached: Any) -> None:
    script = "echo stats | nc cache 11211 | tr -d '\\r'"
    rows = dict(line.split()[1:] for line in cached.shell("web", script)[1].splitlines()[:-1])
    gets, hits, misses = (int(rows[name]) for name in ("cmd_get", "get_hits", "get_misses"))
    assert gets == hits + misses
    assert gets > 3000
    assert misses == pytest.approx(gets / 4, abs=2)
    assert int(rows["cmd_set"]) == pytest.approx(misses, abs=2)
    assert int(rows["bytes_read"]) == 180 * (gets + int(rows["cmd_set"]))


def test_a_mysql_server_counts_the_selects_of_misses(cached: Any) -> None:
    script = "echo stats | nc cache 11211 | grep get_misses | tr -d '\\r' | cut -d' ' -f3"
    missed = int(cached.shell("web", script)[1])
    seen = counted(cached.world, cached.ref("base"))
    assert seen.of("find") == pytest.approx(missed, abs=2)
    assert seen.total == seen.of("find")


@pytest.mark.parametrize("seconds", [0, 20])
def test_parts_of_the_figures_are_those_of_the_whole(cached: Any, seconds: int) -> None:
    cached.run(seconds)
    for name in ("base", "cache"):
        ref = cached.ref(name)
        seen = counted(cached.world, ref)
        assert seen.commands
        for command in (*seen.commands, "nothing"):
            assert command_count(cached.world, ref, command) == seen.of(command)
        assert command_count(cached.world, ref, *seen.commands) == seen.total
        assert connected(cached.world, ref) == seen.held_by() != ()


def test_connections_come_from_the_pods_that_ask(busy: Any) -> None:
    seen = counted(busy.world, busy.ref("mongodb-stock"))
    stock = Peer("10.244.0.2", "admin", "stock-db")
    assert (seen.peers, seen.held_by()) == ((stock,), (stock,) * seen.connections)
    assert seen.connections > 1


def peers(shop: Any, pod: str) -> list[str]:
    """The other ends of what others hold to a pod, as its kernel sees them."""
    found = sockets(shop.world, shop.ref(pod).pod_uid)
    return [f"{one.there.ip}:{one.there.port}" for one in found if one.there.port]


def test_a_server_names_the_ports_that_the_kernel_shows(cached: Any) -> None:
    script = "echo stats conns | nc cache 11211 | grep -v listening | tr -d '\\r'"
    rows = [line.split() for line in cached.shell("web", script)[1].splitlines()[:-1]]
    named = [value.removeprefix("tcp:") for _, name, value in rows if name.endswith(":addr")]
    assert named[1:] == peers(cached, "cache") != []
    server = process_of(cached.world, cached.ref("base"))
    assert server is not None
    _, listed = process_list(cached.world, server, ())
    assert [row[2] for row in listed[:-1]] == peers(cached, "base") != []


def test_the_log_of_mongod_names_a_port_of_its_caller(busy: Any) -> None:
    accepted = [
        json.loads(text)["attr"]["remote"]
        for text in busy.texts("mongodb-stock")
        if '"Connection accepted"' in text and "10.244.0.2:" in text
    ]
    assert accepted == peers(busy, "mongodb-stock")[:1]


def test_redis_lists_its_clients_with_these_ports_too(make_shop: Any) -> None:
    text = CACHED.replace("{kind: memcached}", "{kind: redis, version: 7.2.4}")
    text = text.replace("protocol: memcached", "protocol: keyvalue").replace("11211", "6379")
    shop = opened(make_shop(text))
    rows = shop.shell("cache", "redis-cli client list")[1].splitlines()
    named = [re.findall(r" addr=(\S+)", row)[0] for row in rows]
    assert named[:-1] == peers(shop, "cache") != []
