"""A source and a replica of MySQL: what the replica has, how it is stopped and started, how it is promoted."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

MODEL = """
application: shop
images:
  - repository: mysql
    tags: ["8.0.39"]
    size_mib: 180
    entrypoint: [docker-entrypoint.sh]
    cmd: [mysqld]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mysqld, /usr/sbin/mysqld: mysqld}
    tools: [debian, mysql]
programs:
  mysqld: {kind: mysql, version: 8.0.39}
"""
SERVER = """
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: default}}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 3306}}]
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
        - name: mysql
          image: mysql:8.0.39
          args: [--server-id={number}{more}]
          env:
            - {{name: MYSQL_ROOT_PASSWORD, value: pw}}
            - {{name: MYSQL_DATABASE, value: shop}}
          volumeMounts: [{{name: data, mountPath: /var/lib/mysql}}]
      volumes: [{{name: data, persistentVolumeClaim: {{claimName: {name}}}}}]
"""
FOLLOW = "CHANGE REPLICATION SOURCE TO SOURCE_HOST='source', SOURCE_USER='root', SOURCE_PASSWORD='pw', SOURCE_CONNECT_RETRY=5, SOURCE_AUTO_POSITION=1"
DENIED = """
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: default}
spec:
  podSelector: {matchLabels: {app: source}}
  policyTypes: [Ingress]
"""


@pytest.fixture(scope="module")
def started() -> ClusterTestbed:
    testbed = ClusterTestbed.of(MODEL)
    testbed.apply(SERVER.format(name="source", number=1, more=""))
    testbed.apply(
        SERVER.format(name="replica", number=2, more=", --read-only=ON, --super-read-only=ON")
    )
    testbed.run(60)
    ask(testbed, "source", "CREATE TABLE orders (id int PRIMARY KEY, total int)")
    ask(testbed, "source", "INSERT INTO orders VALUES (1, 10)")
    assert ask(testbed, "replica", FOLLOW) == ""
    assert ask(testbed, "replica", "START REPLICA") == ""
    testbed.run(20)
    return testbed


@pytest.fixture
def cluster(started: ClusterTestbed) -> ClusterTestbed:
    return started.fork()


def ask(cluster: ClusterTestbed, name: str, statement: str, *options: str) -> str:
    command = ("mysql", "-uroot", "-ppw", "-N", *options, "shop", "-e", statement)
    done = cluster.kubectl("exec", f"deploy/{name}", "--", *command)
    told = "\n".join(line for line in done.stderr.splitlines() if line.startswith("ERROR"))
    return (done.stdout + told).strip()


def status(cluster: ClusterTestbed, statement: str = "SHOW REPLICA STATUS") -> dict[str, str]:
    command = ("mysql", "-uroot", "-ppw", "-e", f"{statement}\\G")
    text = cluster.kubectl("exec", "deploy/replica", "--", *command).stdout
    rows = (line.strip().partition(":") for line in text.splitlines() if ":" in line)
    return {name: value.strip() for name, _, value in rows}


def chosen(cluster: ClusterTestbed, *names: str) -> tuple[str, ...]:
    found = status(cluster)
    return tuple(found[name] for name in names)


THREADS = ("Replica_IO_Running", "Replica_SQL_Running", "Seconds_Behind_Source")


def test_a_replica_has_what_its_source_writes_and_takes_no_writes(cluster: ClusterTestbed) -> None:
    assert ask(cluster, "replica", "SELECT total FROM orders") == "10"
    ask(cluster, "source", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(3)
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "2"
    assert chosen(cluster, "Source_Host", "Source_User", *THREADS) == (
        "source",
        "root",
        "Yes",
        "Yes",
        "0",
    )
    assert chosen(cluster, "Replica_IO_State") == ("Waiting for source to send event",)
    assert ask(cluster, "replica", "INSERT INTO orders VALUES (3, 30)") == (
        "ERROR 1290 (HY000) at line 1: The MySQL server is running with the --super-read-only option so it cannot execute this statement"
    )
    older = status(cluster, "SHOW SLAVE STATUS")
    names = ("Master_Host", "Slave_IO_Running", "Slave_SQL_Running", "Seconds_Behind_Master")
    assert [older[name] for name in names] == ["source", "Yes", "Yes", "0"]
    assert ask(cluster, "source", "SHOW REPLICAS").split("\t")[0] == "2"
    assert ask(cluster, "source", "SHOW REPLICA STATUS") == ""


def test_a_thread_that_is_stopped_leaves_the_replica_behind(cluster: ClusterTestbed) -> None:
    ask(cluster, "replica", "STOP REPLICA SQL_THREAD")
    ask(cluster, "source", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(60)
    assert chosen(cluster, *THREADS) == ("Yes", "No", "NULL")
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "1"
    found = status(cluster)
    assert int(found["Read_Source_Log_Pos"]) - int(found["Exec_Source_Log_Pos"]) > 10_000
    ask(cluster, "replica", "START REPLICA SQL_THREAD")
    cluster.run(10)
    assert chosen(cluster, *THREADS) == ("Yes", "Yes", "0")
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "2"


def test_a_replica_of_an_old_source_takes_nothing_of_the_time_before_it() -> None:
    testbed = ClusterTestbed.of(MODEL)
    testbed.run(10 * 86_400)
    testbed.apply(SERVER.format(name="source", number=1, more=""))
    testbed.apply(SERVER.format(name="replica", number=2, more=""))
    testbed.run(60)
    ask(testbed, "source", "CREATE TABLE orders (id int PRIMARY KEY)")
    assert ask(testbed, "replica", FOLLOW) == ""
    assert ask(testbed, "replica", "START REPLICA") == ""
    testbed.run(3)
    assert ask(testbed, "replica", "SELECT count(*) FROM orders") == "0"
    assert chosen(testbed, *THREADS) == ("Yes", "Yes", "0")


def test_a_replica_can_be_kept_behind(cluster: ClusterTestbed) -> None:
    ask(cluster, "replica", "STOP REPLICA")
    ask(cluster, "replica", "CHANGE REPLICATION SOURCE TO SOURCE_DELAY = 60")
    ask(cluster, "replica", "START REPLICA")
    cluster.run(2)
    ask(cluster, "source", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(40)
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "1"
    assert chosen(cluster, "SQL_Delay") == ("60",)
    assert 35 < int(chosen(cluster, "Seconds_Behind_Source")[0]) <= 60
    cluster.run(30)
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "2"


def test_a_replica_without_its_source_is_promoted_by_hand(cluster: ClusterTestbed) -> None:
    cluster.apply(DENIED)
    cluster.run(20)
    assert chosen(cluster, *THREADS) == ("Connecting", "Yes", "NULL")
    found = status(cluster)
    assert found["Last_IO_Errno"] == "2003"
    assert found["Last_IO_Error"].endswith("Can't connect to MySQL server on 'source:3306' (110)")
    assert any(
        "MY-002003" in line
        for line in cluster.kubectl("logs", "deploy/replica").stdout.splitlines()
    )
    for statement in (
        "STOP REPLICA",
        "RESET REPLICA ALL",
        "SET GLOBAL super_read_only = OFF",
        "SET GLOBAL read_only = OFF",
    ):
        assert ask(cluster, "replica", statement) == ""
    assert status(cluster) == {}
    assert ask(cluster, "replica", "INSERT INTO orders VALUES (3, 30)") == ""
    cluster.kubectl("delete", "networkpolicy", "closed")
    cluster.run(20)
    # Two histories: neither takes what the other has.
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "2"
    assert ask(cluster, "source", "SELECT count(*) FROM orders") == "1"


def test_a_replica_that_is_started_anew_goes_on(cluster: ClusterTestbed) -> None:
    cluster.kubectl("delete", "pod", "-l", "app=replica")
    ask(cluster, "source", "INSERT INTO orders VALUES (2, 20)")
    cluster.run(60)
    assert ask(cluster, "replica", "SELECT count(*) FROM orders") == "2"
    assert chosen(cluster, *THREADS) == ("Yes", "Yes", "0")


@pytest.mark.parametrize(
    ("name", "statement", "error"),
    [
        ("source", "START REPLICA", "ERROR 1200 (HY000) at line 1: The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO"),
        ("replica", FOLLOW, "ERROR 3021 (HY000) at line 1: This operation cannot be performed with a running replica io thread; run STOP REPLICA IO_THREAD FOR CHANNEL '' first."),
        ("replica", "RESET REPLICA ALL", "ERROR 3081 (HY000) at line 1: This operation cannot be performed with a running replica; run STOP REPLICA first FOR CHANNEL ''."),
        ("source", "CHANGE MASTER TO MASTER_PLACE='x'", "ERROR 1064 (42000) at line 1: You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'MASTER_PLACE='x'' at line 1"),
    ],
)  # fmt: skip
def test_what_is_refused(name: str, statement: str, error: str, cluster: ClusterTestbed) -> None:
    assert ask(cluster, name, statement) == error


@pytest.mark.parametrize(
    ("option", "number"),
    [
        ("SOURCE_PASSWORD='no'", "1045"),
        ("SOURCE_HOST='nobody'", "2005"),
        ("SOURCE_PORT=3307", "2003"),
    ],
)
def test_why_a_replica_does_not_connect(option: str, number: str, cluster: ClusterTestbed) -> None:
    ask(cluster, "replica", "STOP REPLICA")
    ask(cluster, "replica", f"CHANGE REPLICATION SOURCE TO {option}")
    ask(cluster, "replica", "START REPLICA")
    cluster.run(10)
    assert chosen(cluster, "Replica_IO_Running", "Last_IO_Errno") == ("Connecting", number)


def test_servers_of_the_same_number_do_not_replicate(cluster: ClusterTestbed) -> None:
    same = SERVER.format(name="replica", number=1, more="")
    cluster.apply(same)
    cluster.run(60)
    assert chosen(cluster, "Replica_IO_Running", "Last_IO_Errno") == ("No", "13117")


def test_exporters_tell_of_threads_and_lag(cluster: ClusterTestbed) -> None:
    def figures(name: str) -> list[float]:
        return list(cluster.query(f"mysql_slave_status_{name}").values())

    assert figures("seconds_behind_master") == [0.0]
    assert (figures("slave_io_running"), figures("slave_sql_running")) == ([1.0], [1.0])
    ask(cluster, "replica", "STOP REPLICA SQL_THREAD")
    cluster.run(30)
    assert (figures("slave_io_running"), figures("slave_sql_running")) == ([1.0], [0.0])
    assert figures("seconds_behind_master") == []
    ask(cluster, "replica", "START REPLICA")
    cluster.kubectl("scale", "deploy/source", "--replicas=0")
    cluster.run(30)
    assert (figures("slave_io_running"), figures("slave_sql_running")) == ([0.0], [1.0])
