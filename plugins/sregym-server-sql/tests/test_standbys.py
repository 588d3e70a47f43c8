"""A primary and a standby of PostgreSQL: what the standby has, what it refuses, how it is promoted."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

MODEL = """
application: shop
images:
  - repository: postgres
    tags: ["16.4"]
    size_mib: 150
    entrypoint: [docker-entrypoint.sh]
    cmd: [postgres]
    env: {PGDATA: /var/lib/postgresql/data}
    binaries: {/usr/local/bin/docker-entrypoint.sh: postgres, /usr/lib/postgresql/16/bin/postgres: postgres}
    tools: [debian, postgres]
programs:
  postgres: {kind: postgres, version: "16.4"}
"""
SERVER = """
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: default}}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 5432}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}, namespace: default}}
spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: default}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
        - name: postgres
          image: postgres:16.4
          command: {command}
          env:
            - {{name: POSTGRES_PASSWORD, value: pw}}
            - {{name: POSTGRES_DB, value: shop}}
            - {{name: PGPASSWORD, value: pw}}
          volumeMounts: [{{name: data, mountPath: /var/lib/postgresql/data}}]
      volumes: [{{name: data, persistentVolumeClaim: {{claimName: {name}}}}}]
"""
FOLLOW = (
    'if [ ! -s "$PGDATA/PG_VERSION" ]; then pg_basebackup -h primary -U postgres -R -D "$PGDATA" || exit 1; fi; '
    "exec docker-entrypoint.sh postgres"
)
DENIED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: default}
spec:
  podSelector: {matchLabels: {app: primary}}
  policyTypes: [Ingress]
"""


@pytest.fixture(scope="module")
def started() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(SERVER.format(name="primary", command='["docker-entrypoint.sh", "postgres"]'))
    testbed.run(30)
    ask(testbed, "primary", "CREATE TABLE orders (id int PRIMARY KEY, total int)")
    ask(testbed, "primary", "INSERT INTO orders VALUES (1, 10)")
    quoted = FOLLOW.replace('"', '\\"')
    testbed.apply(SERVER.format(name="standby", command=f'["sh", "-c", "{quoted}"]'))
    testbed.run(60)
    return testbed


@pytest.fixture
def cluster(started: ClusterTestbed) -> ClusterTestbed:
    return started.fork()


def ask(cluster: ClusterTestbed, name: str, *statements: str) -> str:
    words = [word for statement in statements for word in ("-c", statement)]
    command = ("psql", "-U", "postgres", "-d", "shop", "-tA", *words)
    done = cluster.kubectl("exec", f"deploy/{name}", "--", *command)
    return (done.stdout + done.stderr).strip()


def logged(cluster: ClusterTestbed, name: str) -> list[str]:
    text = cluster.kubectl("logs", f"deploy/{name}").stdout
    return [line.partition("] ")[2] for line in text.splitlines()]


def test_a_standby_has_what_the_primary_writes_and_takes_no_writes(cluster: ClusterTestbed) -> None:
    assert (
        ask(cluster, "standby", "SELECT pg_is_in_recovery()", "SELECT total FROM orders") == "t\n10"
    )
    assert ask(cluster, "primary", "SELECT pg_is_in_recovery()") == "f"
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(2)
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "2"
    for statement, label in (
        ("INSERT INTO orders VALUES (3, 30)", "INSERT"),
        ("CREATE ROLE clerk", "CREATE ROLE"),
        ("DROP TABLE orders", "DROP TABLE"),
    ):
        refused = ask(cluster, "standby", statement).splitlines()[0]
        assert refused == f"ERROR:  cannot execute {label} in a read-only transaction"
    assert ask(cluster, "standby", "SHOW transaction_read_only") == "on"


def test_both_sides_tell_of_the_stream(cluster: ClusterTestbed) -> None:
    asked = "SELECT usename, state, sync_state, sent_lsn = replay_lsn FROM pg_stat_replication"
    assert ask(cluster, "primary", asked) == "postgres|streaming|async|t"
    name = ask(cluster, "primary", "SELECT application_name FROM pg_stat_replication")
    assert name.startswith("standby-")
    receiver = "SELECT status, sender_host, sender_port FROM pg_stat_wal_receiver"
    assert ask(cluster, "standby", receiver) == "streaming|primary|5432"
    assert any(
        line.startswith("LOG:  started streaming WAL from primary at 0/")
        for line in logged(cluster, "standby")
    )


def test_a_paused_standby_stays_behind(cluster: ClusterTestbed) -> None:
    ask(cluster, "standby", "SELECT pg_wal_replay_pause()")
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(90)
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "1"
    assert ask(cluster, "standby", "SELECT pg_is_wal_replay_paused()") == "t"
    lag = ask(cluster, "primary", "SELECT replay_lag FROM pg_stat_replication")
    assert lag.startswith(("00:01:2", "00:01:3"))
    behind = ask(
        cluster,
        "standby",
        "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) > 100000",
    )
    assert behind == "t"
    ask(cluster, "standby", "SELECT pg_wal_replay_resume()")
    cluster.run(6)
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "2"


def test_a_delayed_standby_has_what_there_was(cluster: ClusterTestbed) -> None:
    ask(
        cluster,
        "standby",
        "ALTER SYSTEM SET recovery_min_apply_delay = '1min'",
        "SELECT pg_reload_conf()",
    )
    cluster.run(2)
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(40)
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "1"
    cluster.run(30)
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "2"


def test_a_standby_without_its_primary_keeps_what_it_has_and_is_promoted(
    cluster: ClusterTestbed,
) -> None:
    cluster.apply(DENIED)
    cluster.run(60)
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "1"
    assert ask(cluster, "primary", "SELECT count(*) FROM pg_stat_replication") == "0"
    told = logged(cluster, "standby")
    assert any("could not connect to the primary server" in line for line in told)
    assert ask(cluster, "standby", "SELECT pg_promote()") == "t"
    assert ask(cluster, "standby", "SELECT pg_is_in_recovery()") == "f"
    assert ask(cluster, "standby", "INSERT INTO orders VALUES (3, 30)") == "INSERT 0 1"
    told = logged(cluster, "standby")
    assert "LOG:  selected new timeline ID: 2" in told
    cluster.kubectl("delete", "networkpolicy", "closed")
    cluster.run(10)
    # Two histories: neither takes what the other has.
    assert ask(cluster, "primary", "SELECT sum(total) FROM orders") == "30"
    assert ask(cluster, "standby", "SELECT sum(total) FROM orders") == "40"
    refused = ask(cluster, "standby", "SELECT pg_promote()").splitlines()[0]
    assert refused == "ERROR:  recovery is not in progress"


def test_a_standby_that_is_started_anew_goes_on(cluster: ClusterTestbed) -> None:
    cluster.kubectl("delete", "pod", "-l", "app=standby")
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(60)
    assert (
        ask(cluster, "standby", "SELECT pg_is_in_recovery()", "SELECT count(*) FROM orders")
        == "t\n2"
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("-D", "/var/lib/postgresql/data"), 'directory "/var/lib/postgresql/data" exists but is not empty'),
        (("-D", "/tmp/other", "-h", "nohost"), 'could not translate host name "nohost" to address: Name or service not known'),
    ],
)  # fmt: skip
def test_what_keeps_a_backup_from_beginning(
    words: tuple[str, ...], error: str, cluster: ClusterTestbed
) -> None:
    done = cluster.kubectl(
        "exec", "deploy/standby", "--", "pg_basebackup", "-U", "postgres", *words
    )
    assert done.stderr.splitlines()[0] == f"pg_basebackup: error: {error}"


def figure(cluster: ClusterTestbed, name: str, **labels: str) -> list[float]:
    wanted = ",".join(f'{key}=~"{value}"' for key, value in labels.items())
    return [round(value, 1) for value in cluster.query(f"{name}{{{wanted}}}").values()]


def test_exporters_tell_how_far_standbys_are(cluster: ClusterTestbed) -> None:
    assert figure(cluster, "pg_replication_is_replica", pod="primary-.*") == [0.0]
    assert figure(cluster, "pg_replication_is_replica", pod="standby-.*") == [1.0]
    diff = cluster.query("pg_stat_replication_pg_wal_lsn_diff")
    assert list(diff.values()) == [0.0]
    ((labels, _),) = diff.items()
    shown = {key: value for key, value in labels if key in ("application_name", "state")}
    name = ask(cluster, "primary", "SELECT application_name FROM pg_stat_replication")
    assert shown == {"application_name": name, "state": "streaming"}

    ask(cluster, "standby", "SELECT pg_wal_replay_pause()")
    cluster.run(91)
    lag = figure(cluster, "pg_replication_lag_seconds", pod="standby-.*")
    assert 75 <= lag[0] <= 91
    assert figure(cluster, "pg_replication_lag_seconds", pod="primary-.*") == [0.0]
    assert figure(cluster, "pg_stat_replication_pg_wal_lsn_diff")[0] == pytest.approx(
        lag[0] * 4096, abs=4096
    )
    ask(cluster, "standby", "SELECT pg_wal_replay_resume()")
    cluster.run(20)
    assert figure(cluster, "pg_replication_lag_seconds", pod="standby-.*") == [0.0]
    # What streams no more is no further behind; what it has grows old.
    cluster.kubectl("scale", "deploy", "primary", "--replicas=0")
    cluster.run(60)
    assert figure(cluster, "pg_replication_lag_seconds", pod="standby-.*") == [0.0]
    assert figure(cluster, "pg_replication_last_replay_seconds", pod="standby-.*")[0] > 30
    assert cluster.query("pg_stat_replication_pg_wal_lsn_diff") == {}
    ask(cluster, "standby", "SELECT pg_promote()")
    cluster.run(20)
    assert figure(cluster, "pg_replication_is_replica", pod="standby-.*") == [0.0]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ("*", "1|sync"),
        ("ANY 1 (*)", "1|quorum"),
        ("FIRST 1 (other, *)", "1|sync"),
        ("other", "0|async"),
    ],
)
def test_a_primary_tells_for_whom_commits_wait(
    names: str, shown: str, cluster: ClusterTestbed
) -> None:
    setting = f"ALTER SYSTEM SET synchronous_standby_names = '{names}'"
    ask(cluster, "primary", setting, "SELECT pg_reload_conf()")
    asked = "SELECT sync_priority, sync_state FROM pg_stat_replication"
    assert ask(cluster, "primary", asked) == shown


def test_a_server_follows_by_its_file_and_leads_once_promoted(cluster: ClusterTestbed) -> None:
    following = "ALTER SYSTEM SET primary_conninfo = 'host=standby user=postgres password=pw'"
    ask(cluster, "primary", following)
    shell = ("exec", "deploy/primary", "--", "sh", "-c")
    cluster.kubectl(*shell, 'touch "$PGDATA/standby.signal" && kill -INT 1')
    cluster.run(30)
    assert ask(cluster, "primary", "SELECT pg_is_in_recovery()") == "t"
    assert "LOG:  entering standby mode" in logged(cluster, "primary")
    refused = ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)").splitlines()[0]
    assert refused == "ERROR:  cannot execute INSERT in a read-only transaction"
    mixed = "SELECT CASE WHEN pg_is_in_recovery() THEN 'follows' ELSE 'leads' END"
    assert ask(cluster, "primary", mixed) == "follows"

    assert ask(cluster, "primary", "SELECT pg_promote()") == "t"
    assert ask(cluster, "primary", mixed) == "leads"
    listed = cluster.kubectl(*shell, 'ls "$PGDATA"').stdout.split()
    assert "standby.signal" not in listed
    ask(cluster, "primary", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(20)
    # The standby goes on with the history that its primary has begun.
    assert ask(cluster, "standby", "SELECT count(*) FROM orders") == "2"
