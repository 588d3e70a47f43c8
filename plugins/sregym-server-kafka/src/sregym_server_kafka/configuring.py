"""`kafka-configs.sh`: settings of topics, and those of the broker that hold for all topics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output
from sregym_cluster_embedded.sdk.servers import invalidate_traffic

from sregym_server_kafka.data import BROKERS, save

if TYPE_CHECKING:
    from sregym_server_kafka.client import Ask

# Settings that are known of topics and of brokers: numbers, and others.
_NUMBERS = ("max.message.bytes", "retention.bytes", "retention.ms", "segment.bytes", "segment.ms")
_WORDS = ("cleanup.policy", "compression.type", "min.insync.replicas")
_OF_BROKERS = ("message.max.bytes", "log.retention.bytes", "log.retention.ms", "log.segment.bytes")
_INVALID = (
    "Error while executing config command with args '{words}'\n"
    "java.util.concurrent.ExecutionException: "
    "org.apache.kafka.common.errors.InvalidConfigurationException: {why}\n"
)
_NOT_THERE = (
    "Error while executing config command with args '{words}'\n"
    "java.util.concurrent.ExecutionException: "
    "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: "
    "The topic '{topic}' does not exist.\n"
)


def configs(ask: Ask) -> Output:
    """Show or change the settings of a topic, or those of all brokers."""
    given = ask.given
    topic = given.get("topic") or given.get("entity-name", "")
    brokers = given.get("entity-type") == "brokers" and "entity-default" in given
    if not brokers and (not topic or given.get("entity-type", "topics") != "topics"):
        missing = "At least one of the entity types should be specified: topics, brokers with --entity-default\n"
        return Output(1, "", missing)
    words = " ".join(f"--{name} {value}".strip() for name, value in given.items())
    if not brokers and topic not in ask.data.topics:
        return Output(1, "", _NOT_THERE.format(words=words, topic=topic))
    place = BROKERS if brokers else topic
    known = dict(ask.data.configs.get(place, {}))
    what = "brokers in the cluster" if brokers else f"topic {topic}"
    source = "DYNAMIC_DEFAULT_BROKER_CONFIG" if brokers else "DYNAMIC_TOPIC_CONFIG"
    if "alter" not in given:
        rows = "".join(
            f"  {name}={value} sensitive=false synonyms={{{source}:{name}={value}}}\n"
            for name, value in sorted(known.items())
        )
        default = "Default configs" if brokers else "Dynamic configs"
        return Output(0, f"{default} for {what} are:\n{rows}")
    for entry in filter(None, given.get("add-config", "").split(",")):
        name, _, value = entry.partition("=")
        if why := invalid(name, value, brokers=brokers):
            return Output(1, "", _INVALID.format(words=words, why=why))
        known[name] = value
    for name in filter(None, given.get("delete-config", "").split(",")):
        known.pop(name, None)
    kept = {name: entries for name, entries in ask.data.configs.items() if name != place}
    data = replace(ask.data, configs={**kept, place: known} if known else kept)
    save(ask.session.world, ask.storage, data)
    invalidate_traffic(ask.session.world)
    done = "default config for brokers in the cluster" if brokers else f"config for {what}"
    return Output(0, f"Completed updating {done}.\n")


def invalid(name: str, value: str, *, brokers: bool = False) -> str:
    """Why a setting is refused; empty when it is not."""
    if name in _WORDS and not brokers:
        return ""
    if name not in (_OF_BROKERS if brokers else _NUMBERS):
        return f"Unknown {'' if brokers else 'topic '}config name: {name}"
    if value.removeprefix("-").isdecimal():
        return ""
    return f"Invalid value {value} for configuration {name}: Not a number of type LONG"
