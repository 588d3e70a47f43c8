"""`kafka-producer-perf-test.sh`: records of a size, sent as fast as they are taken or so many a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import Output, connect
from sregym_cluster_embedded.sdk.servers import process_of

from sregym_server_kafka.client import NO_SERVER, UNKNOWN, options
from sregym_server_kafka.data import data_at
from sregym_server_kafka.heap import fly
from sregym_server_kafka.limits import CLIENT_BYTES, OVERHEAD_BYTES, most_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.commands import Session

_TOO_LARGE = "org.apache.kafka.common.errors.RecordTooLargeException: The {what}"
_BY_CLIENT = (
    "message is {size} bytes when serialized which is larger than {most}, which is the value of the "
    "max.request.size configuration.\n"
)
_BY_BROKER = "request included a message larger than the max message size the server will accept.\n"
# Bytes a second that a client and its broker move.
_BANDWIDTH = 100e6
# Of the Java client, as shipped.
_BUFFER_BYTES, _BATCH_BYTES, _IN_FLIGHT = 33_554_432, 16_384, 5
_SHOWN = 20


class _Asked(NamedTuple):
    """What is sent: so many records of a size, so many a second, by a client with such settings."""

    topic: str
    records: int
    size: int
    rate: float
    client: Mapping[str, str]

    @property
    def flying_bytes(self) -> int:
        """What waits for an answer at once, as far as the client's buffer reaches."""
        requests = _number(self.client, "max.in.flight.requests.per.connection", _IN_FLIGHT)
        batch = max(self.size, _number(self.client, "batch.size", _BATCH_BYTES))
        buffer = _number(self.client, "buffer.memory", _BUFFER_BYTES)
        return min(self.records * self.size, requests * batch, buffer)


def producer_perf_test(session: Session, words: list[str], stdin: str) -> Output:  # noqa: ARG001 - commands get their input
    """Send records; it lasts as long as that takes."""
    asked = _asked(words)
    address = asked.client.get("bootstrap.servers", "")
    if not address or not asked.topic or not asked.records or not asked.size:
        return Output(1, "", "usage: producer-performance [-h] --topic TOPIC --num-records NUM-RECORDS [--payload-delimiter PAYLOAD-DELIMITER] --throughput THROUGHPUT [--producer-props PROP-NAME=PROP-VALUE [PROP-NAME=PROP-VALUE ...]] (--record-size RECORD-SIZE | --payload-file PAYLOAD-FILE)\n")  # fmt: skip
    host, _, port = address.partition(",")[0].rpartition(":")
    target = connect(session, host, int(port) if port.isdecimal() else 9092, "kafka")
    broker = None if target.ref is None else process_of(session.world, target.ref)
    if target.kind or broker is None or "kafka.storage" not in broker.settings:
        return Output(1, "", NO_SERVER.format(**target.facts))
    data = data_at(session.world, broker.settings["kafka.storage"])
    if asked.topic not in data.topics:
        return Output(1, "", UNKNOWN.format(topic=asked.topic))
    whole = asked.size + OVERHEAD_BYTES
    most = _number(asked.client, "max.request.size", CLIENT_BYTES)
    refused = ""
    if whole > most:
        refused = _TOO_LARGE.format(what=_BY_CLIENT.format(size=whole, most=most))
    elif whole > most_bytes(broker, data, asked.topic):
        refused = _TOO_LARGE.format(what=_BY_BROKER)
    if refused:
        return Output(0, refused * min(asked.records, _SHOWN) + _told(asked, 0, 0.0))
    seconds = max(asked.records * asked.size / _BANDWIDTH, asked.records / asked.rate)
    sender = f"{session.process.ref.pod_uid} {session.process.ref.name} {session.pid}"
    fly(session.world, broker, sender, asked.flying_bytes, seconds)
    session.slept_s += seconds
    return Output(0, _told(asked, asked.records, seconds))


def _asked(words: list[str]) -> _Asked:
    given = options(words[1:])
    client: dict[str, str] = {}
    if "--producer-props" in words:
        for word in words[words.index("--producer-props") + 1 :]:
            if word.startswith("--"):
                break
            name, _, value = word.partition("=")
            client[name] = value
    if "bootstrap-server" in given:
        client.setdefault("bootstrap.servers", given["bootstrap-server"])
    records, size = _number(given, "num-records", 0), _number(given, "record-size", 0)
    rate = given.get("throughput", "-1")
    try:
        a_second = float(rate)
    except ValueError:
        a_second = -1.0
    fastest = a_second if a_second > 0 else _BANDWIDTH
    return _Asked(given.get("topic", ""), records, size, fastest, client)


def _told(asked: _Asked, sent: int, seconds: float) -> str:
    rate = sent / seconds if seconds else 0.0
    moved = rate * asked.size / 2**20
    late = asked.flying_bytes / _BANDWIDTH * 1000 if sent else 0.0
    return (
        f"{sent} records sent, {rate:.6f} records/sec ({moved:.2f} MB/sec), {late:.2f} ms avg latency, "
        f"{1.5 * late:.2f} ms max latency, {late:.0f} ms 50th, {1.3 * late:.0f} ms 95th, "
        f"{1.4 * late:.0f} ms 99th, {1.5 * late:.0f} ms 99.9th.\n"
    )


def _number(given: Mapping[str, str], name: str, otherwise: int) -> int:
    text = given.get(name, "")
    return int(text) if text.isdecimal() else otherwise
