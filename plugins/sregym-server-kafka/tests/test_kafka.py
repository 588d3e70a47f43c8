"""A Kafka broker alone: its topics, its commands, its log, and what outlives the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: post
images:
  - repository: kafka
    tags: ["3.7"]
    size_mib: 200
    entrypoint: [kafka]
    binaries: {/bin/kafka: kafka}
    tools: [debian, kafka]
programs:
  kafka: {kind: kafka, version: 3.7.1, topics: {orders: {partitions: 2}}}
"""
HERE = "--bootstrap-server localhost:9092"


@pytest.fixture
def post(make_shop: Callable[..., Any]) -> Any:
    return make_shop(MODEL)


def start(post: Any, attempt: int = 0) -> Any:
    post.name("kafka", "9")
    mounts = {"/var/lib/kafka/data": Mount("volume", "pv/data")}
    post.start("kafka", "kafka:3.7", "9", attempt, mounts=mounts)
    post.run(10)
    return post


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"kafka-topics.sh {HERE} --list", (0, "orders\n", "")),
        (f"kafka-topics.sh {HERE} --create --topic mails --partitions 3", (0, "Created topic mails.\n", "")),
        (f"kafka-topics.sh {HERE} --create --topic orders", (1, "Error while executing topic command : Topic 'orders' already exists.\n", "")),
        (f"kafka-topics.sh {HERE} --describe --topic none", (1, "Error while executing topic command : Topic 'none' does not exist as expected\n", "")),
        (f"kafka-consumer-groups.sh {HERE} --list", (0, "", "")),
        ("kafka-topics.sh --bootstrap-server localhost:1 --list", (1, "", "[main] WARN org.apache.kafka.clients.NetworkClient - Connection to node -1 (localhost/127.0.0.1:1) could not be established. Node may not be available.\n")),
    ],
)  # fmt: skip
def test_commands(post: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert start(post).shell("kafka", script) == expected


def test_topics_and_odd_records_outlive_the_process(post: Any) -> None:
    start(post)
    produce = f"echo nonsense | kafka-console-producer.sh {HERE} --topic orders"
    consume = f"kafka-console-consumer.sh {HERE} --topic orders --from-beginning --max-messages 1"
    assert post.shell("kafka", produce) == (0, "", "")
    read = (0, "nonsense\n", "Processed a total of 1 messages\n")
    assert post.shell("kafka", consume) == read
    post.shell("kafka", f"kafka-topics.sh {HERE} --create --topic mails")
    post.runtime.kill(post.world, post.ref("kafka"))
    start(post, attempt=1)
    assert post.shell("kafka", f"kafka-topics.sh {HERE} --list") == (0, "mails\norders\n", "")
    assert post.shell("kafka", consume) == read


def test_it_says_what_it_serves(post: Any) -> None:
    texts = [text.partition("] ")[2] for text in start(post).texts("kafka")]
    assert texts[3] == (
        "INFO Awaiting socket connections on 0.0.0.0:9092. (kafka.network.DataPlaneAcceptor)"
    )
    assert "INFO Kafka version: 3.7.1 (org.apache.kafka.common.utils.AppInfoParser)" in texts


def test_releases_before_three_look_for_zookeeper(make_shop: Callable[..., Any]) -> None:
    post = make_shop(MODEL.replace("version: 3.7.1", "version: 2.3.1"))
    post.name("kafka", "9")
    post.start("kafka", "kafka:3.7", "9", env={"KAFKA_ZOOKEEPER_CONNECT": "zoo:2181"})
    post.run(10)
    post.runtime.terminate(post.world, post.ref("kafka"))
    texts = [text.partition("] ")[2] for text in post.texts("kafka")]
    server = "(kafka.server.KafkaServer)"
    assert [text for text in texts if server in text] == [
        f"INFO starting {server}",
        f"INFO Connecting to zookeeper on zoo:2181 {server}",
        f"INFO [KafkaServer id=1] started {server}",
        f"INFO [KafkaServer id=1] shut down completed {server}",
    ]
