"""A primary and two replicas in a cluster: what replicas have, what they refuse, how one is promoted."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

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
MANIFEST = """
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: default}}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 6379}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: default}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers: [{{name: redis, image: "redis:7.2", args: [{words}]}}]
"""
DENIED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: default}
spec:
  podSelector: {matchLabels: {app: primary}}
  policyTypes: [Ingress]
"""


def server(name: str, *words: str) -> str:
    quoted = ", ".join(f'"{word}"' for word in ("redis-server", *words))
    return MANIFEST.format(name=name, words=quoted)


@pytest.fixture(scope="module")
def started() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(server("primary"))
    testbed.run(30)
    for name in ("replica-1", "replica-2"):
        testbed.apply(server(name, "--replicaof", "primary", "6379"))
    testbed.run(30)
    return testbed


@pytest.fixture
def cluster(started: ClusterTestbed) -> ClusterTestbed:
    return started.fork()


def ask(cluster: ClusterTestbed, name: str, *words: str) -> str:
    done = cluster.kubectl("exec", f"deploy/{name}", "--", "redis-cli", *words)
    assert done.exit_code == 0, done
    return done.stdout.strip().replace("\r", "")


def info(cluster: ClusterTestbed, name: str) -> dict[str, str]:
    lines = ask(cluster, name, "info", "replication").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def chosen(found: dict[str, str], *names: str) -> tuple[str, ...]:
    return tuple(found.get(name, "") for name in names)


def logged(cluster: ClusterTestbed, name: str) -> list[str]:
    text = cluster.kubectl("logs", f"deploy/{name}").stdout
    return [line.partition(" * ")[2] or line.partition(" # ")[2] for line in text.splitlines()]


def test_both_sides_tell_of_the_link(cluster: ClusterTestbed) -> None:
    told = info(cluster, "primary")
    assert chosen(told, "role", "connected_slaves") == ("master", "2")
    assert told["slave0"].endswith(
        f",port=6379,state=online,offset={told['master_repl_offset']},lag=0"
    )
    replica = info(cluster, "replica-1")
    names = ("role", "master_host", "master_link_status", "slave_repl_offset", "master_replid")
    assert chosen(replica, *names) == (
        "slave", "primary", "up", told["master_repl_offset"], told["master_replid"],
    )  # fmt: skip
    assert ask(cluster, "replica-1", "role").splitlines()[:4] == [
        "slave",
        "primary",
        "6379",
        "connected",
    ]
    synchronised = logged(cluster, "replica-1")[-5:]
    assert synchronised[-1] == "MASTER <-> REPLICA sync: Finished with success"
    assert logged(cluster, "primary")[-1].endswith(":6379 succeeded")


def test_what_is_written_comes_to_the_replicas_which_take_no_writes(
    cluster: ClusterTestbed,
) -> None:
    before = int(info(cluster, "primary")["master_repl_offset"])
    assert ask(cluster, "primary", "set", "cart", "7") == "OK"
    cluster.run(2)
    assert [ask(cluster, name, "get", "cart") for name in ("replica-1", "replica-2")] == ["7", "7"]
    refused = ask(cluster, "replica-1", "set", "cart", "8")
    assert refused == "READONLY You can't write against a read only replica."
    assert int(info(cluster, "replica-2")["slave_repl_offset"]) > before


def test_a_replica_without_its_primary_keeps_what_it_has_and_grows_older(
    cluster: ClusterTestbed,
) -> None:
    ask(cluster, "primary", "set", "cart", "7")
    cluster.run(5)
    cluster.apply(DENIED)
    cluster.run(60)
    ask(cluster, "primary", "set", "cart", "9")
    cluster.run(10)
    told = info(cluster, "replica-1")
    assert chosen(told, "role", "master_link_status", "master_last_io_seconds_ago") == (
        "slave",
        "down",
        "-1",
    )
    assert 55 <= int(told["master_link_down_since_seconds"]) <= 75
    assert ask(cluster, "replica-1", "get", "cart") == "7"
    assert info(cluster, "primary")["connected_slaves"] == "0"
    assert (
        logged(cluster, "replica-1")[-1]
        == "Error condition on socket for SYNC: Connection timed out"
    )
    ask(cluster, "replica-1", "config", "set", "replica-serve-stale-data", "no")
    assert ask(cluster, "replica-1", "get", "cart") == (
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
    )
    cluster.kubectl("delete", "networkpolicy", "closed")
    cluster.run(10)
    assert ask(cluster, "replica-1", "get", "cart") == "9"


def test_a_replica_is_promoted_by_hand_and_the_other_follows_it(cluster: ClusterTestbed) -> None:
    ask(cluster, "primary", "set", "cart", "7")
    cluster.run(5)
    offset = int(info(cluster, "replica-1")["slave_repl_offset"])
    cluster.kubectl("scale", "deploy/primary", "--replicas=0")
    cluster.run(60)
    assert ask(cluster, "replica-1", "replicaof", "no", "one") == "OK"
    assert ask(cluster, "replica-2", "replicaof", "replica-1", "6379") == "OK"
    cluster.run(10)
    assert ask(cluster, "replica-1", "set", "cart", "8") == "OK"
    cluster.run(2)
    assert ask(cluster, "replica-2", "get", "cart") == "8"
    told = info(cluster, "replica-1")
    assert chosen(told, "role", "connected_slaves") == ("master", "1")
    assert int(told["master_repl_offset"]) > offset
    assert info(cluster, "replica-2")["master_host"] == "replica-1"


def test_writes_want_as_many_replicas_as_the_primary_was_told(cluster: ClusterTestbed) -> None:
    ask(cluster, "primary", "config", "set", "min-replicas-to-write", "2")
    assert ask(cluster, "primary", "set", "cart", "1") == "OK"
    cluster.kubectl("scale", "deploy/replica-2", "--replicas=0")
    cluster.run(60)
    assert (
        ask(cluster, "primary", "set", "cart", "2")
        == "NOREPLICAS Not enough good replicas to write."
    )
    assert info(cluster, "primary")["min_slaves_good_slaves"] == "1"


@pytest.mark.parametrize(("given", "state"), [("wrong", "down"), ("right", "up")])
def test_a_primary_with_a_password_lets_in_who_knows_it(given: Any, state: str) -> None:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(server("primary", "--requirepass", "right"))
    testbed.apply(server("replica-1", "--replicaof", "primary", "6379", "--masterauth", given))
    testbed.run(60)
    assert info(testbed, "replica-1")["master_link_status"] == state
    assert any(line.startswith("Unable to AUTH") for line in logged(testbed, "replica-1")) is (
        state == "down"
    )
