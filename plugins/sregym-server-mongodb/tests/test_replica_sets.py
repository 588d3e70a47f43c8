"""A replica set of three in a cluster: who leads, what the others have, what is lost and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["4.4.6"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo, mongosh]
programs:
  mongod: {kind: mongodb, version: 4.4.6}
"""
MANIFEST = """
apiVersion: v1
kind: Service
metadata: {name: db, namespace: default}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {app: db}
  ports: [{port: 27017}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  serviceName: db
  replicas: 3
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: mongo
          image: "mongo:4.4.6"
          args: [--replSet, rs0]
          volumeMounts: [{name: data, mountPath: /data/db}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
HOSTS = tuple(f"db-{number}.db.default.svc.cluster.local:27017" for number in range(3))
MEMBERS = ", ".join(f"{{_id: {number}, host: '{host}'}}" for number, host in enumerate(HOSTS))
INITIATE = f"rs.initiate({{_id: 'rs0', members: [{MEMBERS}]}})"
CLOSED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: closed, namespace: default}}
spec:
  podSelector: {{matchLabels: {{statefulset.kubernetes.io/pod-name: {pod}}}}}
  policyTypes: [Ingress, Egress]
"""


@pytest.fixture(scope="module")
def started() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(MANIFEST)
    testbed.run(60)
    assert '"ok" : 1' in ask(testbed, 0, INITIATE)
    testbed.run(30)
    return testbed


@pytest.fixture
def cluster(started: ClusterTestbed) -> ClusterTestbed:
    return started.fork()


def ask(
    cluster: ClusterTestbed, number: int, script: str, shell: str = "mongo", **more: Any
) -> str:
    done = cluster.kubectl("exec", f"db-{number}", "--", shell, "shop", "--quiet", "--eval", script)
    if not more.get("fails"):
        assert done.exit_code == 0, done
    return (done.stdout + done.stderr).strip()


def states(cluster: ClusterTestbed, number: int) -> list[str]:
    text = ask(cluster, number, "rs.status().members.forEach(m => print(m.stateStr))")
    return text.splitlines()


def test_the_first_that_was_asked_leads(cluster: ClusterTestbed) -> None:
    for number in range(3):
        assert states(cluster, number) == ["PRIMARY", "SECONDARY", "SECONDARY"]


def test_secondaries_have_what_was_written_and_take_no_writes(cluster: ClusterTestbed) -> None:
    ask(cluster, 0, "db.posts.insertOne({n: 1})")
    cluster.run(3)
    assert ask(cluster, 1, "db.posts.countDocuments()", "mongosh") == "1"
    assert ask(cluster, 1, "rs.secondaryOk(); db.posts.find({}, {_id: 0})") == '{ "n" : 1 }'
    for shell, words in (("mongo", "not master and slaveOk=false"), ("mongosh", "")):
        assert words in ask(cluster, 1, "db.posts.find()", shell, fails=True)
    refused = ask(cluster, 1, "db.posts.insertOne({n: 2})", "mongosh", fails=True)
    assert refused.splitlines()[0] == "MongoServerError: not master"
    set_url = f"mongodb://{HOSTS[1]},{HOSTS[2]}/shop?replicaSet=rs0"
    done = cluster.kubectl(
        "exec", "db-2", "--", "mongo", set_url, "--quiet", "--eval", "db.posts.insertOne({n: 2})"
    )
    assert '"acknowledged" : true' in done.stdout


def test_a_lost_primary_is_replaced_and_comes_back_as_a_secondary(cluster: ClusterTestbed) -> None:
    ask(cluster, 0, "db.posts.insertOne({n: 1})")
    cluster.run(3)
    cluster.kubectl("delete", "pod", "db-0", "--grace-period=0", "--force")
    cluster.run(5)
    assert "PRIMARY" not in states(cluster, 1)
    assert ask(cluster, 1, "db.isMaster().ismaster") == "false"
    cluster.run(20)
    assert states(cluster, 1) == states(cluster, 0)
    assert states(cluster, 1)[0] == "SECONDARY"
    assert sorted(states(cluster, 1)) == ["PRIMARY", "SECONDARY", "SECONDARY"]
    leader = states(cluster, 1).index("PRIMARY")
    assert ask(cluster, leader, "db.posts.count()") == "1"
    assert ask(cluster, leader, "rs.status().term", "mongosh") == "Long('2')"
    told = cluster.kubectl("logs", f"db-{leader}").stdout
    for text in (
        "Heartbeat failed after max retries",
        "Starting an election, since we've seen no PRIMARY in election timeout period",
        "Election succeeded, assuming primary role",
        "Transition to primary complete; database writes are now permitted",
    ):
        assert f'"msg":"{text}"' in told


def test_a_primary_that_is_cut_off_steps_down_and_loses_what_nobody_else_has(
    cluster: ClusterTestbed,
) -> None:
    cluster.apply(CLOSED.format(pod="db-0"))
    cluster.run(4)
    assert states(cluster, 0) == ["PRIMARY", "(not reachable/healthy)", "(not reachable/healthy)"]
    ask(cluster, 0, "db.posts.insertOne({n: 'lost'})")
    cluster.run(20)
    assert states(cluster, 0)[0] == "SECONDARY"
    assert sorted(states(cluster, 1)[1:]) == ["PRIMARY", "SECONDARY"]
    assert ask(cluster, 0, "db.posts.countDocuments()", "mongosh") == "1"
    cluster.kubectl("delete", "networkpolicy", "closed")
    cluster.run(6)
    assert states(cluster, 0)[0] == "SECONDARY"
    assert ask(cluster, 0, "db.posts.countDocuments()", "mongosh") == "0"
    assert "Starting rollback" in cluster.kubectl("logs", "db-0").stdout


def test_without_a_majority_there_is_no_primary(cluster: ClusterTestbed) -> None:
    cluster.kubectl("scale", "statefulset/db", "--replicas=1")
    cluster.run(40)
    assert states(cluster, 0) == [
        "SECONDARY",
        "(not reachable/healthy)",
        "(not reachable/healthy)",
    ]
    refused = ask(cluster, 0, "db.posts.insertOne({n: 1})", "mongosh", fails=True)
    assert refused.splitlines()[0] == "MongoServerError: not master"
    told = cluster.kubectl("logs", "db-0").stdout
    assert "Can't see a majority of the set, relinquishing primary" in told
    assert "Not running for primary, we received insufficient votes" in told
    # Who is left makes a set of his own when he is forced to.
    force = "c = rs.conf(); c.members = [c.members[0]]; rs.reconfig(c, {force: true})"
    assert '"ok" : 1' in ask(cluster, 0, force)
    cluster.run(15)
    assert states(cluster, 0) == ["PRIMARY"]


def test_a_primary_gives_up_when_it_is_told_to(cluster: ClusterTestbed) -> None:
    assert '"ok" : 1' in ask(cluster, 0, "rs.stepDown(30)")
    cluster.run(4)
    assert states(cluster, 0).count("PRIMARY") == 1
    assert states(cluster, 0)[0] == "SECONDARY"
    refused = ask(cluster, 0, "rs.stepDown()", "mongosh", fails=True)
    assert refused.splitlines()[0] == "MongoServerError: not master so can't step down"


def test_a_locked_secondary_is_behind_until_it_is_unlocked(cluster: ClusterTestbed) -> None:
    ask(cluster, 2, "db.fsyncLock()")
    ask(cluster, 0, "db.posts.insertOne({n: 1})")
    cluster.run(60)
    ask(cluster, 0, "db.posts.insertOne({n: 2})")
    assert ask(cluster, 2, "db.posts.countDocuments()", "mongosh") == "0"
    lines = ask(cluster, 0, "rs.printSecondaryReplicationInfo()").splitlines()
    behind = [int(line.split()[0]) for line in lines if "behind the primary" in line]
    assert behind[0] <= 2
    assert 56 <= behind[1] <= 64
    ask(cluster, 2, "db.fsyncUnlock()")
    cluster.run(6)
    assert ask(cluster, 2, "db.posts.countDocuments()", "mongosh") == "2"


def test_a_delayed_member_has_what_there_was(cluster: ClusterTestbed) -> None:
    change = (
        "c = rs.conf(); c.members[2].priority = 0; c.members[2].slaveDelay = 60; rs.reconfig(c)"
    )
    assert '"ok" : 1' in ask(cluster, 0, change)
    cluster.run(3)
    ask(cluster, 0, "db.posts.insertOne({n: 1})")
    cluster.run(30)
    assert ask(cluster, 1, "db.posts.countDocuments()", "mongosh") == "1"
    assert ask(cluster, 2, "db.posts.countDocuments()", "mongosh") == "0"
    cluster.run(40)
    assert ask(cluster, 2, "db.posts.countDocuments()", "mongosh") == "1"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("rs.initiate()", "already initialized"),
        ("c = rs.conf(); c.members[1].host = c.members[0].host; rs.reconfig(c)", "Found two member configurations with same host field"),
        ("c = rs.conf(); c.members[1].slaveDelay = 9; rs.reconfig(c)", "Priority must be 0 when secondaryDelaySecs is used"),
        ("c = rs.conf(); c.members.forEach(m => { m.priority = 0 }); rs.reconfig(c)", "Replica set configuration must contain at least one non-arbiter member with priority > 0"),
        ("rs.freeze(20)", "cannot freeze node when primary or running for election. state: Primary"),
        ("rs.remove('elsewhere:27017')", f"Couldn't find elsewhere:27017 in [{','.join(HOSTS)}]. Is elsewhere:27017 a member of this replset?"),
        ("db.adminCommand({replSetReconfig: 1})", "no configuration specified"),
    ],
)  # fmt: skip
def test_what_a_set_does_not_take(script: str, message: str, cluster: ClusterTestbed) -> None:
    assert message in ask(cluster, 0, script, "mongosh", fails=True)


def test_members_that_do_not_answer_keep_a_set_from_beginning() -> None:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(MANIFEST.replace("replicas: 3", "replicas: 1"))
    testbed.run(60)
    refused = ask(testbed, 0, "rs.status()", "mongosh", fails=True)
    assert refused.splitlines()[0] == "MongoServerError: no replset config has been received"
    refused = ask(testbed, 0, INITIATE, "mongosh", fails=True)
    assert refused.splitlines()[0].startswith(
        "MongoServerError: replSetInitiate quorum check failed because not all proposed set "
        "members responded affirmatively: db-1.db.default.svc.cluster.local:27017 failed with "
    )


def test_the_exporter_tells_states_and_lag(cluster: ClusterTestbed) -> None:
    ask(cluster, 2, "db.fsyncLock()")
    cluster.run(90)
    lag = "mongodb_mongod_replset_member_replication_lag{pod='db-0'}"
    behind = {dict(labels)["name"]: value for labels, value in cluster.query(lag).items()}
    assert [behind[host] for host in HOSTS[:2]] == [0, 0]
    assert 65 <= behind[HOSTS[2]] <= 95
    assert set(cluster.query("mongodb_rs_myState").values()) == {1, 2}
    cluster.kubectl("delete", "pod", "db-0", "--grace-period=0", "--force")
    cluster.run(8)
    cluster.apply(CLOSED.format(pod="db-0"))
    cluster.run(45)
    health = "mongodb_rs_members_health{pod='db-1'}"
    found = {
        (dict(labels)["member_idx"], dict(labels)["member_state"]): value
        for labels, value in cluster.query(health).items()
    }
    assert found == {
        (HOSTS[0], "(not reachable/healthy)"): 0,
        (HOSTS[1], "PRIMARY"): 1,
        (HOSTS[2], "SECONDARY"): 1,
    }


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("rs.initiate()", "MongoServerError: This node was not started with replication enabled."),
        ("rs.status()", "MongoServerError: not running with --replSet"),
        ("rs.conf()", "MongoServerError: Could not retrieve replica set config: not running with --replSet"),
    ],
)  # fmt: skip
def test_a_server_that_stands_alone_says_so(script: str, error: str, alone: ClusterTestbed) -> None:
    assert ask(alone, 0, script, "mongosh", fails=True).splitlines()[0] == error


@pytest.fixture(scope="module")
def alone() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    text = MANIFEST.replace("replicas: 3", "replicas: 1")
    testbed.apply(text.replace("          args: [--replSet, rs0]\n", ""))
    testbed.run(60)
    return testbed
