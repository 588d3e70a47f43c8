"""A TiDB cluster: who needs whom, what is said when somebody is away, what outlives a container."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sregym_cluster_embedded.sdk.servers import TableKey
from sregym_cluster_embedded.sdk.testing import ContainerTestbed, Mount

MODEL = """
application: fleet
images:
  - repository: pingcap/pd
    tags: ["v8.1.0"]
    size_mib: 9
    entrypoint: [/pd-server]
    binaries: {/pd-server: pd}
    tools: [busybox, curl]
  - repository: pingcap/tikv
    tags: ["v8.1.0"]
    size_mib: 9
    entrypoint: [/tikv-server]
    binaries: {/tikv-server: tikv}
  - repository: pingcap/tidb
    tags: ["v8.1.0"]
    size_mib: 9
    entrypoint: [/tidb-server]
    binaries: {/tidb-server: tidb}
    tools: [busybox, curl, mysql]
programs:
  pd: {kind: pd}
  tikv: {kind: tikv}
  tidb: {kind: tidb}
"""
# Where the bench keeps names.
NAMES: TableKey[str, tuple[str, tuple[str, ...]]] = TableKey("test.names")
MYSQL = "mysql -h 127.0.0.1 -P 4000 -u root"
Start = Callable[[str], None]


class Cluster:
    """Three servers by name; each pod's volume has its name."""

    def __init__(self, testbed: ContainerTestbed) -> None:
        self.testbed = testbed
        self.numbers: dict[str, int] = {}

    def start(self, pod: str, *words: str, volume: str = "") -> None:
        kind = pod.partition("-")[0]
        attempt = self.numbers.get(pod, -1) + 1
        self.numbers[pod] = attempt
        uid = str(10 + list(self.numbers).index(pod))
        self.testbed.name(pod, uid)
        flags = {
            "pd": (f"--name={pod}", f"--advertise-client-urls=http://{pod}:2379"),
            "tikv": ("--pd-endpoints=http://pd-0:2379", f"--advertise-addr={pod}:20160"),
            "tidb": ("--store=tikv", "--path=pd-0:2379", "-P", "4000"),
        }[kind]
        self.testbed.start(
            pod, f"pingcap/{kind}:v8.1.0", uid, attempt,
            command=(f"/{kind}-server", *flags, *words),
            mounts={f"/var/lib/{kind}": Mount("volume", volume or f"pv/{pod}")},
        )  # fmt: skip

    def sql(self, statement: str) -> tuple[int, str, str]:
        return self.testbed.shell("tidb-0", f'{MYSQL} -N -e "{statement}"')

    def said(self, pod: str) -> list[str]:
        """Lines without their time."""
        return [text.partition("] ")[2] for text in self.testbed.texts(pod)]


@pytest.fixture
def cluster(make_shop: Callable[[str], ContainerTestbed]) -> Cluster:
    return Cluster(make_shop(MODEL))


@pytest.fixture
def running(cluster: Cluster) -> Cluster:
    for pod in ("pd-0", "tikv-0", "tidb-0"):
        cluster.start(pod)
    cluster.testbed.run(15)
    return cluster


def test_statements_are_carried_out(running: Cluster) -> None:
    running.sql(
        "create database fleet; create table fleet.t (id int); insert into fleet.t values (7)"
    )
    assert running.sql("select id from fleet.t; select @@version") == (
        0,
        "7\n8.0.11-TiDB-v8.1.0\n",
        "",
    )


def test_the_log_has_the_format_of_all_servers(running: Cluster) -> None:
    head = running.testbed.texts("tidb-0")[-2]
    text = '[INFO] [server.go:269] ["server is running MySQL protocol"] [addr=0.0.0.0:4000]'
    moment = r"\[20\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3} \+00:00\] "
    assert re.fullmatch(moment + re.escape(text), head)
    assert '[INFO] [server.rs:1150] ["TiKV is ready to serve"]' in running.said("tikv-0")


def test_a_server_waits_for_pd_and_gives_up(cluster: Cluster) -> None:
    cluster.start("tidb-0")
    cluster.testbed.run(20)
    assert cluster.said("tidb-0")[-1].startswith(
        '[WARN] [store.go:93] ["new store with retry failed"]'
    )
    cluster.testbed.run(30)
    ended = cluster.testbed.ended("tidb-0")
    assert ended is not None
    assert ended.exit_code == 1
    assert (
        cluster.said("tidb-0")[-1]
        == '[FATAL] [terror.go:309] ["unexpected error"] [error="[tikv:9001]PD server timeout"]'
    )


def test_a_store_waits_for_pd_until_it_is_there(cluster: Cluster) -> None:
    cluster.start("tikv-0")
    cluster.testbed.run(60)
    assert '["validate PD endpoints failed"]' in cluster.said("tikv-0")[-1]
    cluster.start("pd-0")
    cluster.testbed.run(10)
    assert cluster.said("tikv-0")[-1] == '[INFO] [server.rs:1150] ["TiKV is ready to serve"]'


@pytest.mark.parametrize(
    ("gone", "error"),
    [
        ("pd-0", "ERROR 9001 (HY000) at line 1: PD server timeout\n"),
        ("tikv-0", "ERROR 9002 (HY000) at line 1: TiKV server timeout\n"),
    ],
)
def test_without_the_others_it_refuses_in_its_own_words(
    running: Cluster, gone: str, error: str
) -> None:
    running.sql("create database fleet; create table fleet.t (id int)")
    running.testbed.stop(gone)
    running.testbed.run(60)
    assert running.sql("select * from fleet.t") == (1, "", error)
    assert running.sql("select 1") == (0, "1\n", "")
    running.start(gone)
    running.testbed.run(20)
    assert running.sql("select count(*) from fleet.t") == (0, "0\n", "")


def test_a_minority_of_three_stores_may_be_away(running: Cluster) -> None:
    for pod in ("tikv-1", "tikv-2"):
        running.start(pod)
    running.testbed.run(10)
    running.sql("create database fleet; create table fleet.t (id int)")
    running.testbed.stop("tikv-2")
    running.testbed.run(60)
    assert running.sql("select count(*) from fleet.t") == (0, "0\n", "")
    running.testbed.stop("tikv-1")
    running.testbed.run(60)
    error = "ERROR 9005 (HY000) at line 1: Region is unavailable\n"
    assert running.sql("select count(*) from fleet.t") == (1, "", error)


def test_members_of_pd_need_a_quorum(running: Cluster) -> None:
    for pod in ("pd-1", "pd-2"):
        running.start(pod, "--join=http://pd-0:2379")
    running.testbed.run(10)
    health = "curl -s http://pd-0:2379/pd/api/v1/members | grep -o pd-. | sort -u | tr '\\n' ' '"
    assert running.testbed.shell("tidb-0", health)[1] == "pd-0 pd-1 pd-2 "
    for pod in ("pd-1", "pd-2"):
        running.testbed.stop(pod)
    running.testbed.run(60)
    assert (
        running.testbed.shell("tidb-0", "curl -s http://pd-0:2379/pd/api/v1/health")[1]
        == "no leader\n"
    )


def test_a_store_of_another_cluster_is_refused(running: Cluster) -> None:
    running.testbed.stop("pd-0")
    running.testbed.run(60)
    running.start("pd-0", volume="pv/another")
    running.start("tikv-0")
    running.testbed.run(20)
    ended = running.testbed.ended("tikv-0")
    assert ended is not None
    assert "cluster ID mismatch, local 73" in running.said("tikv-0")[-1]


def test_status_ports(running: Cluster) -> None:
    script = "curl -s localhost:10080/status; curl -s http://pd-0:2379/pd/api/v1/stores"
    assert running.testbed.shell("tidb-0", script)[1] == (
        '{"connections":0,"version":"8.0.11-TiDB-v8.1.0"}'
        '{"count":1,"stores":[{"store":{"id":1,"address":"tikv-0:20160","state_name":"Up"}}]}'
    )


def test_a_store_whose_name_is_no_more_is_not_waited_for(running: Cluster) -> None:
    running.start("tikv-1")
    running.testbed.run(10)
    running.sql("create database fleet; create table fleet.t (id int)")
    running.testbed.stop("tikv-1")
    running.testbed.run(60)
    error = "ERROR 9005 (HY000) at line 1: Region is unavailable\n"
    assert running.sql("select count(*) from fleet.t") == (1, "", error)
    running.testbed.world.table(NAMES).pop("tikv-1")
    assert running.sql("select count(*) from fleet.t") == (0, "0\n", "")
