"""The scripts of Kafka's bin folder: topics, consumer groups, and a producer of lines."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import Command, Output, Session, connect
from sregym_cluster_embedded.sdk.servers import invalidate_traffic, process_of

from sregym_server_kafka.configuring import configs, invalid
from sregym_server_kafka.data import add_odd, data_at, save
from sregym_server_kafka.groups import consumer_groups, delete_records, ends_of
from sregym_server_kafka.topic_records import records

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.servers import Process

    from sregym_server_kafka.data import Kept

NO_SERVER = "[main] WARN org.apache.kafka.clients.NetworkClient - Connection to node -1 ({host}/{ip}:{port}) could not be established. Node may not be available.\n"
_NO_TOPIC = "Error while executing topic command : Topic '{topic}' does not exist as expected\n"
UNKNOWN = "[main] WARN org.apache.kafka.clients.NetworkClient - Error while fetching metadata: {{{topic}=UNKNOWN_TOPIC_OR_PARTITION}}\n"
_TIMED_OUT = "ERROR Error processing message, terminating consumer process:  (org.apache.kafka.tools.consumer.ConsoleConsumer)\norg.apache.kafka.common.errors.TimeoutException\n"
# A reader who sets no limit sees so many.
_SHOWN = 10_000


class Ask(NamedTuple):
    """A command to a broker.

    Attributes:
        session: Where it was typed.
        server: The broker.
        storage: Identity of what the broker keeps.
        data: What it keeps.
        given: Options by name.
        stdin: What was typed besides.
    """

    session: Session
    server: Process
    storage: str
    data: Kept
    given: dict[str, str]
    stdin: str


def options(words: list[str]) -> dict[str, str]:
    """Options of a script by their names; empty where none has a value."""
    found: dict[str, str] = {}
    for index, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            following = words[index + 1] if index + 1 < len(words) else ""
            found[name] = value if equals else "" if following.startswith("--") else following
    return found


def _at_broker(
    act: Callable[[Ask], Output],
) -> Command:
    """A command that does something with what the broker at `--bootstrap-server` keeps."""

    def run(session: Session, words: list[str], stdin: str) -> Output:
        given = options(words[1:])
        address = given.get("bootstrap-server") or given.get("broker-list") or ""
        if not address:
            missing = 'Missing required argument "[bootstrap-server]"\n'
            return Output(1, "", missing)
        host, _, port = address.partition(",")[0].rpartition(":")
        target = connect(session, host, int(port) if port.isdecimal() else 9092, "kafka")
        server = None if target.ref is None else process_of(session.world, target.ref)
        if target.kind or server is None or "kafka.storage" not in server.settings:
            return Output(1, "", NO_SERVER.format(**target.facts))
        storage = server.settings["kafka.storage"]
        return act(Ask(session, server, storage, data_at(session.world, storage), given, stdin))

    return run


def _topics(ask: Ask) -> Output:
    topic = ask.given.get("topic", "")
    if "list" in ask.given:
        return Output(0, "".join(f"{name}\n" for name in sorted(ask.data.topics)))
    if "create" in ask.given:
        if topic in ask.data.topics and "if-not-exists" in ask.given:
            return Output(0)
        if topic in ask.data.topics:
            text = f"Error while executing topic command : Topic '{topic}' already exists.\n"
            return Output(1, text)
        count = ask.given.get("partitions", "1")
        topics = {**ask.data.topics, topic: max(1, int(count) if count.isdecimal() else 1)}
        name, equals, value = ask.given.get("config", "").partition("=")
        if equals and (why := invalid(name, value)):
            return Output(1, f"Error while executing topic command : {why}\n")
        told = {**ask.data.configs, topic: {name: value}} if equals else ask.data.configs
        save(ask.session.world, ask.storage, replace(ask.data, topics=topics, configs=told))
        invalidate_traffic(ask.session.world)
        return Output(0, f"Created topic {topic}.\n")
    if topic and topic not in ask.data.topics and "if-exists" in ask.given:
        return Output(0)
    if topic and topic not in ask.data.topics:
        return Output(1, _NO_TOPIC.format(topic=topic))
    if "delete" in ask.given:
        topics = {name: count for name, count in ask.data.topics.items() if name != topic}
        odd = tuple(record for record in ask.data.odd if record.topic != topic)
        told = {name: kept for name, kept in ask.data.configs.items() if name != topic}
        data = replace(ask.data, topics=topics, odd=odd, configs=told)
        save(ask.session.world, ask.storage, data)
        invalidate_traffic(ask.session.world)
        return Output(0)
    return Output(
        0,
        "".join(
            _described(ask.data, name) for name in ([topic] if topic else sorted(ask.data.topics))
        ),
    )


def _described(data: Kept, topic: str) -> str:
    count = data.topics[topic]
    name = base64.urlsafe_b64encode(blake2b(topic.encode(), digest_size=16).digest()).decode()
    head = f"Topic: {topic}\tTopicId: {name.rstrip('=')}\tPartitionCount: {count}"
    message = ",".join(
        f"{key}={value}" for key, value in sorted(data.configs.get(topic, {}).items())
    )
    rows = [f"{head}\tReplicationFactor: 1\tConfigs: {message}\n"]
    rows += [
        f"\tTopic: {topic}\tPartition: {number}\tLeader: 1\tReplicas: 1\tIsr: 1\n"
        for number in range(count)
    ]
    return "".join(rows)


def _produce(ask: Ask) -> Output:
    topic = ask.given.get("topic", "")
    if topic not in ask.data.topics:
        return Output(1, "", UNKNOWN.format(topic=topic))
    for number, line in enumerate(ask.stdin.splitlines()):
        if not _is_json(line):
            key = f"{ask.session.world.now} {number}"
            ends = ends_of(ask.session.world, ask.storage, topic)
            add_odd(ask.session.world, ask.storage, topic, key, line, ends)
    invalidate_traffic(ask.session.world)
    return Output(0)


def _consume(ask: Ask) -> Output:
    """The records there are; a consumer of new ones waits, and a command in `exec` sees none."""
    topic, given = ask.given.get("topic", ""), ask.given
    if topic not in ask.data.topics:
        return Output(0, "", UNKNOWN.format(topic=topic) + _processed(0))
    wanted = given.get("max-messages", "")
    found: list[str] = []
    if "from-beginning" in given or "offset" in given:
        only = int(given["partition"]) if given.get("partition", "").isdecimal() else None
        start = given.get("offset", "earliest")
        most = int(wanted) if wanted.isdecimal() else _SHOWN
        found = records(ask.session.world, ask.server, ask.storage, topic, only, start, most)
    out = "".join(f"{text}\n" for text in found)
    short = not wanted.isdecimal() or len(found) < int(wanted)
    late = _TIMED_OUT if short and "timeout-ms" in given else ""
    return Output(0, out, late + _processed(len(found)))


def _processed(count: int) -> str:
    return f"Processed a total of {count} messages\n"


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


kafka_configs = _at_broker(configs)
kafka_topics = _at_broker(_topics)
kafka_consumer_groups = _at_broker(consumer_groups)
kafka_delete_records = _at_broker(delete_records)
kafka_console_producer = _at_broker(_produce)
kafka_console_consumer = _at_broker(_consume)
