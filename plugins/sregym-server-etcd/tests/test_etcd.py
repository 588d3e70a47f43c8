"""etcd: keys, members and endpoints by etcdctl, data that outlive the process, its log."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: keys
images:
  - repository: quay.io/coreos/etcd
    tags: ["v3.5.16"]
    size_mib: 21
    entrypoint: [/usr/local/bin/etcd]
    binaries: {/usr/local/bin/etcd: etcd}
    tools: [busybox, curl, etcd]
programs:
  etcd: {kind: etcd, version: 3.5.16, data_dir: /data}
"""
FLAGS = (
    "/usr/local/bin/etcd",
    "--data-dir=/data",
    "--listen-client-urls=http://0.0.0.0:2379",
    "--advertise-client-urls=http://etcd:2379",
)
WARNING = (
    '{"level":"warn","ts":"%s","logger":"etcd-client","caller":"v3@v3.5.16/retry_interceptor.go:63",'
    '"msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc000346000/%s","attempt":0,'
    '"error":"rpc error: code = DeadlineExceeded desc = latest balancer error: last connection error: '
    'connection error: desc = \\"transport: Error while dialing: %s\\""}\n'
)


@pytest.fixture
def keys(make_shop: Callable[..., Any]) -> Any:
    return make_shop(MODEL)


def start(keys: Any, *flags: str, attempt: int = 0, **fields: Any) -> Any:
    keys.name("etcd", "9")
    mounts = {"/data": Mount("volume", "pv/data")}
    command = (*FLAGS, *flags)
    keys.start("etcd", "quay.io/coreos/etcd:v3.5.16", "9", attempt, command=command, mounts=mounts, **fields)  # fmt: skip
    keys.run(3)
    return keys


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("etcdctl put a 1; etcdctl put a 2; etcdctl get a", (0, "OK\nOK\na\n2\n", "")),
        ("etcdctl get none", (0, "", "")),
        ("etcdctl put /x/b 2 >/dev/null; etcdctl put /x/a 1 >/dev/null; etcdctl get /x/ --prefix", (0, "/x/a\n1\n/x/b\n2\n", "")),
        ("etcdctl put /x/a 1 >/dev/null; etcdctl get --prefix /x/ --keys-only", (0, "/x/a\n\n", "")),
        ("etcdctl put a 1 >/dev/null; etcdctl get a --print-value-only", (0, "1\n", "")),
        ("etcdctl put a 1; etcdctl put a 3; etcdctl get a -w json", (0, 'OK\nOK\n{"header":{"cluster_id":14841639068965178418,"member_id":10276657743932975437,"revision":3,"raft_term":2},"kvs":[{"key":"YQ==","create_revision":2,"mod_revision":3,"version":2,"value":"Mw=="}],"count":1}\n', "")),
        ("etcdctl put a 1; etcdctl put b 1; etcdctl del a c; etcdctl get b", (0, "OK\nOK\n2\n", "")),
        ("etcdctl put a; etcdctl get a | wc -l; etcdctl del a; etcdctl del a", (0, "OK\n2\n1\n0\n", "")),
        ("echo v | etcdctl put a; etcdctl get '' --prefix --limit=1 --order=DESCEND", (0, "OK\na\nv\n\n", "")),
        ("etcdctl member list", (0, "8e9e05c52164694d, started, default, http://localhost:2380, http://etcd:2379, false\n", "")),
        ("etcdctl endpoint status", (0, "127.0.0.1:2379, 8e9e05c52164694d, 3.5.16, 20 kB, true, false, 2, 3, 3, \n", "")),
        ("etcdctl alarm list; etcdctl version", (0, "etcdctl version: 3.5.16\nAPI version: 3.5\n", "")),
        ("etcdctl defrag", (0, "Finished defragmenting etcd member[127.0.0.1:2379]. took 12.305167ms\n", "")),
        ("etcdctl compaction 9", (1, "", "Error: etcdserver: mvcc: required revision is a future revision\n")),
        ("etcdctl get", (128, "", "Error: get command needs one argument as key and an optional argument as range_end\n")),
        ("etcdctl put", (128, "", "Error: put command needs 1 argument and input from stdin or 2 arguments\n")),
        ("etcdctl del", (128, "", "Error: del command needs one argument as key and an optional argument as range_end\n")),
        ("etcdctl compaction", (128, "", "Error: compaction command needs 1 argument\n")),
        ("etcdctl put a 1 >/dev/null; etcdctl put a 2 --prev-kv; etcdctl del a --prev-kv", (0, "OK\na\n1\n1\na\n2\n", "")),
        ("etcdctl put a 1 >/dev/null; etcdctl get a -w fields | tail -n 8", (0, '"Key" : "a"\n"CreateRevision" : 2\n"ModRevision" : 2\n"Version" : 1\n"Value" : "1"\n"Lease" : 0\n"More" : false\n"Count" : 1\n', "")),
        ("etcdctl lease grant abc", (128, "", 'Error: bad TTL (strconv.ParseInt: parsing "abc": invalid syntax)\n')),
        ("etcdctl lease grant", (128, "", "Error: lease grant command needs TTL argument\n")),
        ("etcdctl lease revoke", (128, "", "Error: lease revoke command needs lease ID as argument\n")),
        ("etcdctl lease revoke xyz", (128, "", 'Error: bad lease ID arg (strconv.ParseInt: parsing "xyz": invalid syntax), expecting ID in Hex\n')),
        ("etcdctl lease list; etcdctl lease timetolive 1234; etcdctl lease revoke 1234", (1, "found 0 leases\nlease 0000000000001234 already expired\n", "Error: failed to revoke lease (etcdserver: requested lease not found)\n")),
        ("etcdctl put a 1 --lease=12", (1, "", "Error: etcdserver: requested lease not found\n")),
        ("etcdctl lease keep-alive --once 12; etcdctl alarm disarm; etcdctl user list; etcdctl auth status", (0, "lease 0000000000000012 expired or revoked.\nAuthentication Status: false\nAuthRevision: 1\n", "")),
        ("etcdctl --cacert /none get a", (128, "", "Error: open /none: no such file or directory\n")),
        ("etcdctl endpoint hashkv | cut -d, -f1", (0, "127.0.0.1:2379\n", "")),
        ("etcdctl nosuch", (1, "", "Error: unknown command \"nosuch\" for \"etcdctl\"\nRun 'etcdctl --help' for usage.\n")),
        ("curl -s localhost:2379/version", (0, '{"etcdserver":"3.5.16","etcdcluster":"3.5.0"}', "")),
        ("curl -s http://etcd:2379/health", (0, '{"health":"true","reason":""}', "")),
    ],
)  # fmt: skip
def test_commands(keys: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert start(keys).shell("etcd", script) == expected


def test_tables(keys: Any) -> None:
    out = start(keys).shell("etcd", "etcdctl member list -w table; etcdctl endpoint health -w table")[1]  # fmt: skip
    took = out.splitlines()[-2].split("|")[3].strip()
    assert out == (
        "+------------------+---------+---------+-----------------------+------------------+------------+\n"
        "|        ID        | STATUS  |  NAME   |      PEER ADDRS       |   CLIENT ADDRS   | IS LEARNER |\n"
        "+------------------+---------+---------+-----------------------+------------------+------------+\n"
        "| 8e9e05c52164694d | started | default | http://localhost:2380 | http://etcd:2379 |      false |\n"
        "+------------------+---------+---------+-----------------------+------------------+------------+\n"
        "+----------------+--------+------------+-------+\n"
        "|    ENDPOINT    | HEALTH |    TOOK    | ERROR |\n"
        "+----------------+--------+------------+-------+\n"
        f"| 127.0.0.1:2379 |   true | {took} |       |\n"
        "+----------------+--------+------------+-------+\n"
    )


def test_endpoints_are_healthy_or_not(keys: Any) -> None:
    start(keys).name("idle")
    code, out, err = keys.shell("etcd", "etcdctl --endpoints=http://etcd:2379,idle:2379 endpoint health")  # fmt: skip
    took = out.partition("took = ")[2]
    assert (code, out) == (1, f"http://etcd:2379 is healthy: successfully committed proposal: took = {took}")  # fmt: skip
    moment = json.loads(err.splitlines()[0])["ts"]
    assert err == (
        WARNING
        % (moment, "idle:2379", "dial tcp 10.0.0.2:2379: connect: connection refused")
        + "idle:2379 is unhealthy: failed to commit proposal: context deadline exceeded\n"
        "Error: unhealthy cluster\n"
    ).replace("10.0.0.2", err.partition("dial tcp ")[2].partition(":")[0])


def test_what_does_not_answer_is_tried_for_five_seconds(keys: Any) -> None:
    code, out, err = start(keys).shell("etcd", "etcdctl --endpoints=nothing:2379 get a")
    record = json.loads(err.splitlines()[0])
    why = record["error"].partition("dialing: ")[2].rstrip('"')
    assert (code, out) == (1, "")
    assert why.startswith("dial tcp: lookup nothing on ")
    assert (
        err == WARNING % (record["ts"], "nothing:2379", why) + "Error: context deadline exceeded\n"
    )


def test_data_outlive_the_process_and_forks_go_apart(keys: Any) -> None:
    start(keys).shell("etcd", "etcdctl put a 1")
    twin = keys.fork()
    twin.shell("etcd", "etcdctl put a 2")
    keys.runtime.kill(keys.world, keys.ref("etcd"))
    start(keys, attempt=1)
    values = [each.shell("etcd", "etcdctl get a --print-value-only; etcdctl endpoint status")[1] for each in (keys, twin)]  # fmt: skip
    assert values == [
        "1\n127.0.0.1:2379, 8e9e05c52164694d, 3.5.16, 25 kB, true, false, 3, 7, 7, \n",
        "2\n127.0.0.1:2379, 8e9e05c52164694d, 3.5.16, 25 kB, true, false, 2, 5, 5, \n",
    ]


def test_the_log_of_a_first_and_of_a_second_start(keys: Any) -> None:
    start(keys, "--name=k1", "--initial-advertise-peer-urls=http://etcd:2380")
    first = [json.loads(text) for text in keys.texts("etcd")]
    keys.runtime.kill(keys.world, keys.ref("etcd"))
    start(keys, "--name=k1", "--initial-advertise-peer-urls=http://etcd:2380", attempt=1)
    second = [json.loads(text)["msg"] for text in keys.texts("etcd")]
    assert [record["msg"] for record in first[:6]] == [
        "Running: ",
        "configuring peer listeners",
        "configuring client listeners",
        "starting an etcd server",
        "opened backend db",
        "starting local member",
    ]
    assert first[-1] | {"ts": ""} == {
        "level": "info",
        "ts": "",
        "caller": "embed/serve.go:187",
        "msg": "serving client traffic insecurely; this is strongly discouraged!",
        "traffic": "grpc+http",
        "address": "[::]:2379",
    }
    assert second[:2] == ["Running: ", "server has been already initialized"]
    assert [text for text in second if "became leader" in text] == [
        f"{first[5]['local-member-id']} became leader at term 3"
    ]
    assert sorted(record["ts"] for record in first) == [record["ts"] for record in first]


def test_keys_go_with_their_lease(keys: Any) -> None:
    start(keys)
    granted = keys.shell("etcd", "etcdctl lease grant 60")[1]
    number = granted.split()[1]
    assert granted == f"lease {number} granted with TTL(60s)\n"
    keys.shell("etcd", f"etcdctl put a 1 --lease={number}; etcdctl put b 2")
    keys.run(20)
    left = f"etcdctl lease timetolive {number} --keys; etcdctl lease keep-alive --once {number}"
    assert keys.shell("etcd", left)[1] == (
        f"lease {number} granted with TTL(60s), remaining(40s), attached keys([a])\n"
        f"lease {number} keepalived with TTL(60)\n"
    )
    keys.run(50)
    look = "etcdctl get '' --prefix --keys-only | grep -v '^$'; etcdctl lease list | head -n 1"
    before = keys.shell("etcd", look)[1]
    keys.run(11)
    assert (before, keys.shell("etcd", look)[1]) == (
        "a\nb\nfound 1 leases\n",
        "b\nfound 0 leases\n",
    )
    other = keys.shell("etcd", "etcdctl lease grant 60")[1].split()[1]
    revoked = (
        f"etcdctl put c 3 --lease={other} >/dev/null; etcdctl lease revoke {other}; etcdctl get c"
    )
    assert keys.shell("etcd", revoked) == (0, f"lease {other} revoked\n", "")
