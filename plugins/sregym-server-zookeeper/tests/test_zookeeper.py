"""ZooKeeper: its tree by zkCli.sh, its words of four letters, what outlives the process, its log."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: zoo
images:
  - {repository: zoo, tags: ["3.4"], size_mib: 90, entrypoint: [/zoo], binaries: {/zoo: zoo}, tools: [busybox, zookeeper]}
  - {repository: zoo, tags: ["3.9"], size_mib: 90, entrypoint: [/zoo], binaries: {/zoo: later}, tools: [busybox, zookeeper]}
  - {repository: reader, tags: ["1.0"], size_mib: 9, entrypoint: [/reader], binaries: {/reader: reader}}
programs:
  zoo: {kind: zookeeper, nodes: {/brokers/ids/0: "here"}}
  later: {kind: zookeeper, version: 3.9.3}
  reader:
    clients: {zoo: {protocol: zookeeper, address: "zoo:2181"}}
    startup:
      - query: zoo.get
        collection: /brokers/ids/0
        on_failure: {log: ["${error}"], code: 1}
      - log: found
      - exit: 0
"""  # fmt: skip
HELLO = "Connecting to localhost:2181\n\nWATCHER::\n\nWatchedEvent state:SyncConnected type:None path:null\n"


def start(testbed: Any, tag: str = "3.4", attempt: int = 0, **environment: str) -> Any:
    testbed.name("zoo", "7")
    mounts = {"/data": Mount("volume", "pv/data")}
    testbed.start("zoo", f"zoo:{tag}", "7", attempt, mounts=mounts, env=environment)
    testbed.run(3)
    return testbed


@pytest.fixture
def zoo(make_shop: Any) -> Any:
    return start(make_shop(MODEL))


@pytest.mark.parametrize(
    ("script", "out", "err"),
    [
        ("zkCli.sh ls /", "[brokers, zookeeper]\n", ""),
        ("zkCli.sh ls /brokers/ids", "[0]\n", ""),
        ("zkCli.sh get /brokers/ids/0", "here\n", ""),
        ("zkCli.sh get /none", "", "Node does not exist: /none\n"),
        ("zkCli.sh create /a one", "Created /a\n", ""),
        ("zkCli.sh create /brokers x", "", "Node already exists: /brokers\n"),
        ("zkCli.sh create /a/b x", "", "Node does not exist: /a/b\n"),
        ("printf 'create /a one\\nset /a two\\nget /a\\ndelete /a\\nls /\\nquit\\n' | zkCli.sh", "Created /a\ntwo\n[brokers, zookeeper]\n", ""),
        ("zkCli.sh delete /brokers", "", "Node not empty: /brokers\n"),
        ("zkCli.sh deleteall /brokers", "", ""),
        ("zkCli.sh set /none x", "", "Node does not exist: /none\n"),
        ("zkCli.sh ls", "", "ls needs a path\n"),
    ],
)  # fmt: skip
def test_the_tree(zoo: Any, script: str, out: str, err: str) -> None:
    assert zoo.shell("zoo", script) == (1 if err else 0, HELLO + out, err)


def test_how_a_node_came_to_be(zoo: Any) -> None:
    code, out, _ = zoo.shell("zoo", "zkCli.sh stat /brokers/ids/0")
    assert (code, out.removeprefix(HELLO)) == (
        0,
        "cZxid = 0x1\nmZxid = 0x1\npZxid = 0x1\ncversion = 0\ndataVersion = 0\naclVersion = 0\n"
        "ephemeralOwner = 0x0\ndataLength = 4\nnumChildren = 0\n",
    )


def test_an_unknown_command_is_told_with_those_there_are(zoo: Any) -> None:
    code, _, err = zoo.shell("zoo", "zkCli.sh look /")
    assert (code, err.splitlines()[:2]) == (
        1,
        ["Command not found: Command not found look", "ZooKeeper -server host:port cmd args"],
    )


def test_words_of_four_letters(zoo: Any) -> None:
    assert zoo.send("zoo", "ruok") == "imok"
    assert zoo.send("zoo", "isro\n") == "rw"
    assert zoo.send("zoo", "what\n") == ""
    assert zoo.shell("zoo", "echo srvr | nc localhost 2181 | tail -n 2") == (
        0,
        "Mode: standalone\nNode count: 6\n",
        "",
    )
    assert "zk_znode_count\t6\n" in zoo.send("zoo", "mntr")
    assert "clientPort=2181\n" in zoo.send("zoo", "conf")
    assert zoo.send("zoo", "cons") == "\n"
    assert "Clients:\n" in zoo.send("zoo", "stat")
    assert zoo.shell("zoo", "zkServer.sh status | tail -n 1") == (0, "Mode: standalone\n", "")
    assert zoo.shell("zoo", "zkServer.sh")[2].startswith("Usage: zkServer.sh {start|")


def test_later_releases_answer_what_they_are_told_to(make_shop: Any) -> None:
    testbed = start(make_shop(MODEL), "3.9")
    assert testbed.send("zoo", "ruok") == (
        "ruok is not executed because it is not in the whitelist.\n"
    )
    allowed = start(make_shop(MODEL), "3.9", ZOO_4LW_COMMANDS_WHITELIST="srvr, ruok")
    assert allowed.send("zoo", "ruok") == "imok"


def test_what_is_away_is_told(zoo: Any) -> None:
    zoo.stop("zoo")
    zoo.start("other", "zoo:3.4", "8", command=("sleep", "90"))
    zoo.run(1)
    assert zoo.exec("other", "zkCli.sh", "ls", "/") == (
        1,
        "Connecting to localhost:2181\n",
        "KeeperErrorCode = ConnectionLoss for /\n",
    )
    assert zoo.exec("other", "zkServer.sh", "status") == (
        1,
        "ZooKeeper JMX enabled by default\nUsing config: /conf/zoo.cfg\n",
        "Error contacting service. It is probably not running.\n",
    )


def test_programs_read_nodes(zoo: Any) -> None:
    zoo.start("reader", "reader:1.0", "8")
    zoo.run(5)
    zoo.shell("zoo", "zkCli.sh deleteall /brokers")
    zoo.start("late", "reader:1.0", "9")
    zoo.run(5)
    assert zoo.texts("reader") == ["found"]
    assert zoo.texts("late") == ["KeeperErrorCode = NoNode for /brokers/ids/0"]


def test_the_tree_outlives_the_process_and_forks_go_apart(zoo: Any) -> None:
    zoo.shell("zoo", "zkCli.sh create /a 1")
    twin = zoo.fork()
    twin.shell("zoo", "zkCli.sh set /a 2")
    zoo.stop("zoo")
    start(zoo, attempt=1)
    values = [one.shell("zoo", "zkCli.sh get /a | tail -n 1")[1] for one in (zoo, twin)]
    assert values == ["1\n", "2\n"]


def test_its_log_says_when_it_serves(zoo: Any) -> None:
    first, *_, last = zoo.texts("zoo")
    assert first.endswith(
        " [myid:] - INFO  [main:QuorumPeerConfig@136] - Reading configuration from: /conf/zoo.cfg"
    )
    assert last.endswith("[main:NIOServerCnxnFactory@89] - binding to port 0.0.0.0/0.0.0.0:2181")
