"""A Kafka broker alone: its topics, its commands, its log, and what outlives the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.servers import process_of
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


def bytes_sent(post: Any, size: int, **client: int) -> tuple[int, str, str]:
    told = "".join(f" {name.replace('_', '.')}={value}" for name, value in client.items())
    found: tuple[int, str, str] = post.shell(
        "kafka",
        f"kafka-producer-perf-test.sh --topic orders --num-records 40 --record-size {size} "
        f"--throughput 10 --producer-props bootstrap.servers=localhost:9092{told}",
    )
    return found


def test_records_that_are_too_large_for_client_and_broker(post: Any) -> None:
    start(post)
    too_large = "org.apache.kafka.common.errors.RecordTooLargeException: The "
    mine = bytes_sent(post, 2_000_000)[1].splitlines()
    assert mine[0] == (
        f"{too_large}message is 2000070 bytes when serialized which is larger than 1048576, which is "
        "the value of the max.request.size configuration."
    )
    assert mine[-1].startswith("0 records sent, ")
    brokers = bytes_sent(post, 2_000_000, max_request_size=20_971_520)[1].splitlines()
    assert brokers[0] == (
        f"{too_large}request included a message larger than the max message size the server will accept."
    )
    alter = f"kafka-configs.sh {HERE} --alter --topic orders --add-config max.message.bytes"
    assert post.shell("kafka", f"{alter}=20971520") == (
        0,
        "Completed updating config for topic orders.\n",
        "",
    )
    assert post.shell("kafka", f"{alter}=many")[2].endswith(
        "org.apache.kafka.common.errors.InvalidConfigurationException: Invalid value many for "
        "configuration max.message.bytes: Not a number of type LONG\n"
    )
    assert bytes_sent(post, 2_000_000, max_request_size=20_971_520)[1].startswith(
        "40 records sent, "
    )


@pytest.mark.parametrize(
    ("options", "buffered_mib", "code"),
    [
        # 160 MiB are its own: requests in flight fill the rest, as far as the client keeps them.
        ("-Xmx400M -Xms400M", 32, None),
        ("-Xmx400M -Xms400M", 260, 3),
        ("-Xms400M -Xmx600m", 260, None),
        ("-Xmx128m", 1, 3),
    ],
)
def test_a_heap_is_filled_by_requests_in_flight(
    post: Any, options: str, buffered_mib: int, code: int | None
) -> None:
    mib = 2**20
    post.name("kafka", "9")
    mounts = {"/var/lib/kafka/data": Mount("volume", "pv/data")}
    env = {"KAFKA_HEAP_OPTS": options, "KAFKA_MESSAGE_MAX_BYTES": "20971520"}
    post.start("kafka", "kafka:3.7", "9", env=env, mounts=mounts)
    post.run(10)
    client = {"max_request_size": 20 * mib, "buffer_memory": buffered_mib * mib}
    many = {"max_in_flight_requests_per_connection": 50}
    if post.ended("kafka") is None:
        bytes_sent(post, 10 * mib, **client, **many)
        post.run(3.9)
    ended = post.ended("kafka")
    assert (None if ended is None else ended.exit_code) == code
    if code is not None:
        last = "Terminating due to java.lang.OutOfMemoryError: Java heap space"
        assert post.texts("kafka")[-1] == last
        return
    # What a heap of -Xms does not hold comes on top of the memory at rest, while it is in flight.
    grown = max(0, (160 + buffered_mib - 400) * mib)
    assert process_of(post.world, post.ref("kafka")).stored_bytes == grown
    post.run(1)
    assert process_of(post.world, post.ref("kafka")).stored_bytes == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--entity-type brokers --entity-default --alter --add-config message.max.bytes=64", (0, "Completed updating default config for brokers in the cluster.\n", "")),
        ("--entity-type topics --entity-name orders --describe", (0, "Dynamic configs for topic orders are:\n", "")),
        ("--entity-type topics --entity-name none --describe", (1, "", "Error while executing config command with args '--bootstrap-server localhost:9092 --entity-type topics --entity-name none --describe'\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: The topic 'none' does not exist.\n")),
        ("--entity-type brokers --entity-default --alter --add-config max.bytes=1", (1, "", "Error while executing config command with args '--bootstrap-server localhost:9092 --entity-type brokers --entity-default --alter --add-config max.bytes=1'\njava.util.concurrent.ExecutionException: org.apache.kafka.common.errors.InvalidConfigurationException: Unknown config name: max.bytes\n")),
        ("--describe", (1, "", "At least one of the entity types should be specified: topics, brokers with --entity-default\n")),
    ],
)  # fmt: skip
def test_settings_while_it_runs(post: Any, words: str, expected: tuple[int, str, str]) -> None:
    assert start(post).shell("kafka", f"kafka-configs.sh {HERE} {words}") == expected


def test_what_the_broker_is_told_holds_for_its_topics(post: Any) -> None:
    start(post)
    of = f"kafka-configs.sh {HERE} --entity-type brokers --entity-default"
    lower = f"{of} --alter --add-config message.max.bytes=1000"
    assert post.shell("kafka", lower)[0] == 0
    assert bytes_sent(post, 2000)[1].startswith("org.apache.kafka.common.errors.RecordTooLarge")
    shown = post.shell("kafka", f"{of} --describe")[1].splitlines()[1]
    assert shown == (
        "  message.max.bytes=1000 sensitive=false "
        "synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:message.max.bytes=1000}"
    )
    (kept,) = post.kept().values()
    assert kept.splitlines()[-1] == "brokers: message.max.bytes = 1000"
    back = f"{of} --alter --delete-config message.max.bytes"
    assert post.shell("kafka", back)[0] == 0
    assert bytes_sent(post, 2000)[1].startswith("40 records sent, ")
