"""A master, two replicas and three Sentinels: who is down by whose word, who leads then, what clients are told."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

MODEL = """
application: carts
images:
  - repository: redis
    tags: ["7.2"]
    size_mib: 40
    working_dir: /data
    entrypoint: [docker-entrypoint.sh]
    cmd: [redis-server]
    binaries: {/usr/local/bin/docker-entrypoint.sh: redis, /usr/local/bin/redis-server: redis, /usr/local/bin/redis-sentinel: sentinel}
    tools: [debian, redis]
  - repository: shop
    tags: ["1"]
    size_mib: 10
    cmd: [shop]
    binaries: {/usr/bin/shop: shop}
    tools: [debian]
programs:
  redis: {kind: redis, version: 7.2.4}
  sentinel: {kind: redis-sentinel, version: 7.2.4}
  shop:
    clients:
      carts: {protocol: keyvalue, library: stackexchange-redis, address: "s1:26379,s2:26379,s3:26379,serviceName=carts", timeout_s: 1}
    startup:
      - run: fill
        times: "1000000"
        rate: "2"
        tolerates: 1
    operations:
      fill:
        listener: ""
        calls: [{call: carts.set, on_error: {log: ["${error}"]}}]
        log: [filled]
"""
SERVER = """
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: default}}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {{app: {name}}}
  ports: [{{port: {port}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: default}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers: [{{name: main, image: "{image}", command: {command}{more}}}]
      {volumes}
"""
CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: sentinel, namespace: default}
data:
  sentinel.conf: |
    port 26379
    sentinel monitor carts r1 6379 2
    sentinel down-after-milliseconds carts 5000
    sentinel failover-timeout carts 10000
"""
ISOLATED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: alone, namespace: default}
spec:
  podSelector: {matchLabels: {app: r1}}
  policyTypes: [Ingress]
"""


def server(name: str, *words: str) -> str:
    quoted = ", ".join(
        f'"{one}"' for one in ("redis-server", "--replica-announce-ip", name, *words)
    )
    return SERVER.format(
        name=name, port=6379, image="redis:7.2", command=f"[{quoted}]", more="", volumes=""
    )


def sentinel(name: str) -> str:
    copied = '["sh", "-c", "cp /given/sentinel.conf /tmp/sentinel.conf && exec redis-sentinel /tmp/sentinel.conf"]'
    mounted = ", volumeMounts: [{name: given, mountPath: /given}]"
    volumes = "volumes: [{name: given, configMap: {name: sentinel}}]"
    return SERVER.format(
        name=name, port=26379, image="redis:7.2", command=copied, more=mounted, volumes=volumes
    )


@pytest.fixture(scope="module")
def started() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(server("r1"))
    testbed.run(20)
    for name in ("r2", "r3"):
        testbed.apply(server(name, "--replicaof", "r1", "6379"))
    testbed.run(20)
    testbed.apply(CONFIG)
    for name in ("s1", "s2", "s3"):
        testbed.apply(sentinel(name))
    testbed.run(40)
    command = '["/usr/bin/shop"]'
    testbed.apply(
        SERVER.format(name="shop", port=80, image="shop:1", command=command, more="", volumes="")
    )
    testbed.run(30)
    return testbed


@pytest.fixture
def cluster(started: ClusterTestbed) -> ClusterTestbed:
    return started.fork()


def ask(cluster: ClusterTestbed, name: str, *words: str) -> str:
    port = ("-p", "26379") if name.startswith("s") else ()
    done = cluster.kubectl("exec", f"deploy/{name}", "--", "redis-cli", *port, *words)
    assert done.exit_code == 0, done
    return done.stdout.strip().replace("\r", "")


def leader(cluster: ClusterTestbed, name: str = "s1") -> str:
    return ask(cluster, name, "sentinel", "get-master-addr-by-name", "carts").replace("\n", ":")


def facts(text: str) -> dict[str, str]:
    lines = text.splitlines()
    return dict(zip(lines[::2], lines[1::2], strict=True))


def role(cluster: ClusterTestbed, name: str) -> str:
    return ask(cluster, name, "role").splitlines()[0]


def logged(cluster: ClusterTestbed, name: str) -> list[str]:
    text = cluster.kubectl("logs", f"deploy/{name}").stdout
    found = (line.partition(" * ")[2] or line.partition(" # ")[2] for line in text.splitlines())
    return [line for line in found if line[:1] in "+-"]


def filled(cluster: ClusterTestbed) -> tuple[int, int]:
    """How many of the last orders were written, and how many were not."""
    text = cluster.kubectl("logs", "deploy/shop", "--since=10s").stdout.splitlines()
    return text.count("filled"), sum("StackExchange" in line for line in text)


def test_sentinels_find_replicas_and_each_other(cluster: ClusterTestbed) -> None:
    told = facts(ask(cluster, "s1", "sentinel", "master", "carts"))
    wanted = ("name", "ip", "port", "flags", "num-slaves", "num-other-sentinels", "quorum")
    assert [told[name] for name in wanted] == ["carts", "r1", "6379", "master", "2", "2", "2"]
    replicas = ask(cluster, "s2", "sentinel", "replicas", "carts").splitlines()
    assert sorted(replicas[place + 1] for place, line in enumerate(replicas) if line == "name") == [
        "r2:6379",
        "r3:6379",
    ]
    assert ask(cluster, "s3", "sentinel", "ckquorum", "carts") == (
        "OK 3 usable Sentinels. Quorum and failover authorization can be reached"
    )
    assert ask(cluster, "s1", "info", "sentinel").splitlines()[-1] == (
        "master0:name=carts,status=ok,address=r1:6379,slaves=2,sentinels=3"
    )
    assert ask(cluster, "s1", "get", "cart") == (
        "ERR unknown command 'get', with args beginning with: 'cart'"
    )
    assert filled(cluster)[1] == 0


def test_a_replica_leads_once_enough_sentinels_miss_the_master(cluster: ClusterTestbed) -> None:
    cluster.kubectl("scale", "deploy/r1", "--replicas=0")
    cluster.run(3)
    assert leader(cluster) == "r1:6379"
    cluster.run(27)
    new = leader(cluster)
    assert new in ("r2:6379", "r3:6379")
    assert {leader(cluster, name) for name in ("s2", "s3")} == {new}
    name, other = ("r2", "r3") if new == "r2:6379" else ("r3", "r2")
    assert (role(cluster, name), role(cluster, other)) == ("master", "slave")
    events = {line.split()[0] for name in ("s1", "s2", "s3") for line in logged(cluster, name)}
    assert {
        "+sdown", "+odown", "+try-failover", "+elected-leader", "+selected-slave", "+promoted-slave",
        "+failover-end", "+switch-master", "+config-update-from",
    } <= events  # fmt: skip
    cluster.run(15)
    assert filled(cluster)[1] == 0
    assert filled(cluster)[0] > 5

    # Who led before comes back as a replica.
    cluster.kubectl("scale", "deploy/r1", "--replicas=1")
    cluster.run(40)
    assert role(cluster, "r1") == "slave"
    assert leader(cluster) == new


def test_clients_do_not_go_to_a_master_that_sentinels_have_replaced(
    cluster: ClusterTestbed,
) -> None:
    cluster.apply(ISOLATED)
    cluster.run(45)
    assert leader(cluster) != "r1:6379"
    assert role(cluster, "r1") == "master"
    assert filled(cluster)[1] == 0
    cluster.kubectl("delete", "networkpolicy", "alone")
    cluster.run(30)
    assert role(cluster, "r1") == "slave"


@pytest.mark.parametrize("few", ["quorum", "majority"])
def test_nobody_leads_without_quorum_and_majority(few: str, cluster: ClusterTestbed) -> None:
    if few == "quorum":
        for name in ("s1", "s2", "s3"):
            assert ask(cluster, name, "sentinel", "set", "carts", "quorum", "4") == "OK"
        why = "NOQUORUM 3 usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master"
    else:
        assert ask(cluster, "s1", "sentinel", "set", "carts", "quorum", "1") == "OK"
        cluster.kubectl("scale", "deploy/s2", "deploy/s3", "--replicas=0")
        cluster.run(10)
        why = "NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the majority and authorize a failover"
    assert ask(cluster, "s1", "sentinel", "ckquorum", "carts") == why
    cluster.kubectl("scale", "deploy/r1", "--replicas=0")
    cluster.run(120)
    assert leader(cluster) == "r1:6379"
    assert facts(ask(cluster, "s1", "sentinel", "master", "carts"))["flags"].startswith("s_down,")
    assert filled(cluster)[0] == 0

    # With enough of them it goes on by itself.
    if few == "quorum":
        for name in ("s1", "s2", "s3"):
            ask(cluster, name, "sentinel", "set", "carts", "quorum", "2")
        cluster.run(60)
        assert leader(cluster) != "r1:6379"


def test_a_failover_can_be_asked_for(cluster: ClusterTestbed) -> None:
    assert ask(cluster, "s2", "sentinel", "failover", "carts") == "OK"
    cluster.run(20)
    assert leader(cluster, "s3") in ("r2:6379", "r3:6379")
    assert role(cluster, "r1") == "slave"
    assert filled(cluster)[1] == 0


def test_nobody_is_promoted_where_there_is_nobody(cluster: ClusterTestbed) -> None:
    cluster.kubectl("scale", "deploy/r2", "deploy/r3", "--replicas=0")
    cluster.run(10)
    refused = "NOGOODSLAVE No suitable replica to promote"
    assert ask(cluster, "s1", "sentinel", "failover", "carts") == refused
    assert leader(cluster) == "r1:6379"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("sentinel", "master", "orders"), "ERR No such master with that name"),
        (("sentinel",), "ERR wrong number of arguments for 'sentinel' command"),
        (("sentinel", "master"), "ERR wrong number of arguments for 'sentinel|master' command"),
        (("sentinel", "fail"), "ERR unknown subcommand 'fail'. Try SENTINEL HELP."),
        (("sentinel", "set", "carts", "quorum", "2", "more"), "ERR wrong number of arguments for 'sentinel|set' command"),
        (("sentinel", "set", "carts", "quorum", "no"), "ERR Invalid argument 'no' for SENTINEL SET 'quorum'"),
        (("sentinel", "set", "carts", "size", "1"), "ERR Unknown option or number of arguments for SENTINEL SET 'size'"),
    ],
)  # fmt: skip
def test_what_a_sentinel_refuses(
    words: tuple[str, ...], error: str, cluster: ClusterTestbed
) -> None:
    assert ask(cluster, "s1", *words) == error


def figures(cluster: ClusterTestbed, name: str, *labels: str) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {}
    for given, value in cluster.query(name).items():
        known: dict[str, Any] = dict(given)
        found[tuple(known[label] for label in labels)] = value
    return found


def test_exporters_tell_of_links_and_of_what_sentinels_hold(cluster: ClusterTestbed) -> None:
    assert figures(cluster, "redis_connected_slaves", "service") == {
        ("r1",): 2.0, ("r2",): 0.0, ("r3",): 0.0, ("s1",): 0.0, ("s2",): 0.0, ("s3",): 0.0,
    }  # fmt: skip
    up = {("r2", "r1"): 1.0, ("r3", "r1"): 1.0}
    assert figures(cluster, "redis_master_link_up", "service", "master_host") == up
    each = ("s1", "s2", "s3")
    assert figures(cluster, "redis_sentinel_master_sentinels", "service") == {
        (name,): 3.0 for name in each
    }
    state = ("service", "master_address", "master_status")
    assert figures(cluster, "redis_sentinel_master_status", *state) == {
        (name, "r1:6379", "ok"): 1.0 for name in each
    }
    for name in each:
        ask(cluster, name, "sentinel", "set", "carts", "quorum", "4")
    cluster.kubectl("scale", "deploy/r1", "--replicas=0")
    cluster.run(60)
    assert figures(cluster, "redis_sentinel_master_status", *state) == {
        (name, "r1:6379", "sdown"): 1.0 for name in each
    }
    assert figures(cluster, "redis_sentinel_master_ckquorum_status", "service") == {
        (name,): 0.0 for name in each
    }
    assert set(figures(cluster, "redis_master_link_up", "service").values()) == {0.0}
