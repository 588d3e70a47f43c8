"""Topics, partitions and consumer groups: lag grows and drains, and odd records stop partitions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_cluster_embedded.traffic.live import state_of
from sregym_cluster_embedded.traffic.segments import QUEUES, QueueSegment
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME, TELEMETRY
from sregym_server_kafka.data import TABLE, data_at

TOPIC = {"orders": {"partitions": 4}}
CHANGES = {
    "broker": {"kind": "kafka", "port": 8080, "topics": TOPIC, "benign_errors": "none"},
    "web.clients.broker": {"protocol": "kafka", "address": "broker:8080"},
    "web.operations.buy.calls": [{"call": "broker.produce", "collection": "orders"}],
    "worker": {
        "startup": [],
        "clients": {
            "broker": {"protocol": "kafka", "address": "broker:8080"},
            "stock": {"protocol": "grpc", "address": "stock:8080", "timeout_s": 1},
        },
        "operations": {"Book": {"listener": "", "cpu_ms": 4, "calls": [{"call": "stock.Take"}]}},
        "consumers": {
            "orders": {
                "client": "broker",
                "topic": "orders",
                "group": "booking",
                "operation": "Book",
                "poison": {"log": [{"level": "error", "text": "cannot read a record of ${name}"}]},
            }
        },
    },
}


@pytest.fixture
def market(make_market: Any) -> Any:
    programs = ("stock", "broker", "worker", "web", "load")
    return make_market(CHANGES, programs=programs, replicas={"worker": 2})


def queue(market: Any) -> QueueSegment:
    (known,) = market.world.table(QUEUES).values()
    return known[-1]


def lag(market: Any) -> list[int]:
    return [round(queue(market).lag_at(number, market.world.now)) for number in range(4)]


def storage(market: Any) -> str:
    return str(next(iter(market.world.table(TABLE))))


def test_what_no_queue_meets_changes_nothing(market: Any) -> None:
    market.run(20)
    before = state_of(market.world)
    market.deploy("cache")
    market.run(40)

    after = state_of(market.world)
    assert after.solved_at > before.solved_at
    assert after.live.structure is before.live.structure

    market.scale("worker", 1)
    market.run(20)
    assert state_of(market.world).live.structure is not before.live.structure


def test_the_log_of_a_broker_from_its_start_to_its_end(market: Any) -> None:
    world, (ref,) = market.world, market.refs("broker")
    world.service(RUNTIME).terminate(world, ref)
    process = world.table("userland.processes")[ref]
    texts = [
        line.text.partition("] ")[2] for line in world.service(TELEMETRY).lines(world, process)
    ]
    started = round((world.epoch + process.started_at) * 1000)
    signals = "org.apache.kafka.common.utils.LoggingSignalHandler"
    about = "org.apache.kafka.common.utils.AppInfoParser"
    broker = "INFO [BrokerServer id=1]"
    assert texts == [
        "INFO Registered `kafka:type=kafka.Log4jController` MBean (kafka.utils.Log4jControllerRegistration$)",
        f"INFO Registered signal handlers for TERM, INT, HUP ({signals})",
        "INFO [ControllerServer id=1] Starting controller (kafka.server.ControllerServer)",
        "INFO Awaiting socket connections on 0.0.0.0:8080. (kafka.network.DataPlaneAcceptor)",
        f"{broker} Transition from STARTING to STARTED (kafka.server.BrokerServer)",
        f"INFO Kafka version: 3.7.0 ({about})",
        f"INFO Kafka startTimeMs: {started} ({about})",
        "INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)",
        f"INFO Terminating process due to signal SIGTERM ({signals})",
        f"{broker} Transition from STARTED to SHUTTING_DOWN (kafka.server.BrokerServer)",
        f"{broker} shutting down (kafka.server.BrokerServer)",
        f"{broker} shut down completed (kafka.server.BrokerServer)",
        f"INFO App info kafka.server for 1 unregistered ({about})",
    ]


def test_consumers_keep_up_with_what_is_sent(market: Any) -> None:
    found = queue(market)
    assert (found.come, found.progress, found.members) == ((25.0,) * 4, (25.0,) * 4, 2)
    assert lag(market) == [0, 0, 0, 0]
    (flow,) = market.history("stock")[-1].flows
    assert flow.rate == 100
    planned = [event.handler for event in market.world.clock.pending()]
    assert [handler for handler in planned if handler.startswith("traffic.")] == []


def test_lag_grows_without_consumers_and_drains_when_they_are_back(market: Any) -> None:
    market.scale("worker", 0)
    market.run(60)
    behind = lag(market)
    assert all(1200 < number < 1500 for number in behind)
    market.scale("worker", 2)
    market.run(10)
    assert market.history("stock")[-1].flows[0].rate > 200
    market.run(120)
    assert lag(market) == [0, 0, 0, 0]
    assert market.history("stock")[-1].flows[0].rate == pytest.approx(100)


def test_what_consumers_need_being_away_makes_lag(market: Any) -> None:
    market.scale("stock", 0)
    market.run(40)
    assert all(number > 700 for number in lag(market))
    market.scale("stock", 1)
    market.run(120)
    assert lag(market) == [0, 0, 0, 0]


BROKER = "--bootstrap-server localhost:8080"


def groups(market: Any, options: str) -> tuple[int, str, str]:
    shown: tuple[int, str, str] = market.shell(
        "broker", f"kafka-consumer-groups.sh {BROKER} {options}"
    )
    return shown


def test_a_record_that_cannot_be_read_stops_its_partition(market: Any) -> None:
    script = f"echo oops | kafka-console-producer.sh {BROKER} --topic orders"
    assert market.shell("broker", script) == (0, "", "")
    (odd,) = data_at(market.world, storage(market)).odd
    market.run(60)
    assert queue(market).standing == (odd.partition,)
    found = lag(market)
    assert found[odd.partition] == pytest.approx(1495, abs=10)
    assert sum(found) == found[odd.partition]
    logs = market.world.service(RUNTIME).logs
    texts = [line.text for ref in market.refs("worker") for line in logs(market.world, ref)]
    assert any("cannot read a record of orders" in text for text in texts)


def test_a_group_is_set_to_the_end_once_its_members_are_gone(market: Any) -> None:
    market.shell("broker", f"echo oops | kafka-console-producer.sh {BROKER} --topic orders")
    market.run(30)
    options = "--group booking --topic orders --reset-offsets --to-latest --execute"
    assert groups(market, options) == (
        1,
        "\nError: Assignments can only be reset if the group 'booking' is inactive, but the current "
        "state is Stable.\n",
        "",
    )
    market.scale("worker", 0)
    market.run(40)
    code, out, _ = groups(market, options)
    assert (code, out.splitlines()[1].split()) == (0, ["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"])
    market.scale("worker", 2)
    market.run(40)
    assert (queue(market).standing, lag(market)) == ((), [0, 0, 0, 0])


def test_a_group_is_set_behind_one_record_and_loses_no_other(market: Any) -> None:
    market.shell("broker", f"echo oops | kafka-console-producer.sh {BROKER} --topic orders")
    market.shell("broker", f"echo again | kafka-console-producer.sh {BROKER} --topic orders")
    market.run(30)
    odd = data_at(market.world, storage(market)).odd

    def row(partition: int) -> list[int]:
        lines = groups(market, "--describe --group booking")[1].splitlines()
        found = next(words for words in map(str.split, lines) if words[2:3] == [str(partition)])
        return [int(number) for number in found[3:6]]

    at, end, behind = row(odd[0].partition)
    assert (at, end - at) == (odd[0].after, behind)
    assert behind > 700
    read = f"kafka-console-consumer.sh {BROKER} --topic orders --partition {odd[0].partition} --offset {at} --max-messages 1"
    assert market.shell("broker", read)[1] == "oops\n"
    market.scale("worker", 0)
    market.run(40)
    place = f"--group booking --topic orders:{odd[0].partition} --reset-offsets"
    waiting = row(odd[0].partition)[2]
    assert groups(market, f"{place} --to-offset {at + 1} --execute")[0] == 0
    market.run(1)
    assert row(odd[0].partition)[0] == at + 1
    assert waiting - 1 <= row(odd[0].partition)[2] <= waiting + 30
    market.scale("worker", 2)
    market.run(60)
    assert queue(market).standing == (odd[1].partition,)
    delete = f"kafka-delete-records.sh {BROKER} --offset-json-file /tmp/o.json"
    rows = [{"topic": "orders", "partition": odd[1].partition, "offset": -1}]
    text = json.dumps({"partitions": rows})
    code, out, _ = market.shell("broker", f"echo '{text}' >/tmp/o.json; {delete}")
    assert (code, out.splitlines()[1]) == (0, "Records delete operation completed:")
    market.run(60)
    assert (queue(market).standing, lag(market)) == ((), [0, 0, 0, 0])


def test_a_group_is_described_as_it_stands(market: Any) -> None:
    assert groups(market, "--list") == (0, "booking\n", "")
    assert groups(market, "--describe --group other") == (
        1,
        "\nError: Consumer group 'other' does not exist.\n",
        "",
    )
    rows = [line.split() for line in groups(market, "--describe --group booking")[1].splitlines()]
    assert [row[:3] + row[5:6] for row in rows[2:]] == [
        ["booking", "orders", str(number), "0"] for number in range(4)
    ]
    assert all(row[3] == row[4] and int(row[3]) > 500 for row in rows[2:])


def test_topics_are_listed_made_and_deleted(market: Any) -> None:
    def topics(options: str) -> tuple[int, str, str]:
        shown: tuple[int, str, str] = market.shell("broker", f"kafka-topics.sh {BROKER} {options}")
        return shown

    assert topics("--list") == (0, "orders\n", "")
    assert topics("--create --topic bills --partitions 2") == (0, "Created topic bills.\n", "")
    assert topics("--describe --topic bills") == (
        0,
        "Topic: bills\tTopicId: oD4-qFJhsFepp_hbAE96AA\tPartitionCount: 2\tReplicationFactor: 1\tConfigs: \n"
        "\tTopic: bills\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
        "\tTopic: bills\tPartition: 1\tLeader: 1\tReplicas: 1\tIsr: 1\n",
        "",
    )
    assert topics("--delete --topic orders") == (0, "", "")
    market.run(10)
    assert market.history("web")[-1].flows[0].ok == 0
    assert topics("--describe --topic orders") == (
        1,
        "Error while executing topic command : Topic 'orders' does not exist as expected\n",
        "",
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--from-beginning --max-messages 2", (0, '{"id": 0}\n{"id": 4}\n', "Processed a total of 2 messages\n")),
        ("--partition 1 --offset 3 --max-messages 1", (0, '{"id": 13}\n', "Processed a total of 1 messages\n")),
        ("", (0, "", "Processed a total of 0 messages\n")),
        ("--timeout-ms 500", (0, "", "ERROR Error processing message, terminating consumer process:  (org.apache.kafka.tools.consumer.ConsoleConsumer)\norg.apache.kafka.common.errors.TimeoutException\nProcessed a total of 0 messages\n")),
    ],
)  # fmt: skip
def test_records_are_read(market: Any, options: str, expected: tuple[int, str, str]) -> None:
    script = f"kafka-console-consumer.sh {BROKER} --topic orders {options}"
    assert market.shell("broker", script) == expected


def test_odd_records_are_read_after_the_others_of_their_partition(market: Any) -> None:
    market.shell("broker", f"echo oops | kafka-console-producer.sh {BROKER} --topic orders")
    script = f"kafka-console-consumer.sh {BROKER} --topic orders --from-beginning | grep -v id"
    assert market.shell("broker", script)[1] == "oops\n"


def test_a_topic_that_is_not_there_has_no_records(market: Any) -> None:
    script = f"kafka-console-consumer.sh {BROKER} --topic none --from-beginning"
    warning = "[main] WARN org.apache.kafka.clients.NetworkClient - Error while fetching metadata: {none=UNKNOWN_TOPIC_OR_PARTITION}\n"
    assert market.shell("broker", script) == (0, "", f"{warning}Processed a total of 0 messages\n")


def test_fewer_partitions_than_members_leave_some_idle(make_market: Any) -> None:
    changes = {**CHANGES, "broker": {**CHANGES["broker"], "topics": {"orders": {"partitions": 1}}}}
    programs = ("stock", "broker", "worker", "web", "load")
    market = make_market(changes, programs=programs, replicas={"worker": 2})
    rates = [
        segment.flows[0].rate
        for ref in market.refs("worker")
        for segment in market.world.service(REQUEST_FLOW).served(market.world, ref)[-1:]
    ]
    assert sorted(rates) == [0.0, 100.0]


def test_a_topic_that_is_not_there_fails_what_is_sent(make_market: Any) -> None:
    changes = {**CHANGES, "broker": {**CHANGES["broker"], "topics": {}}}
    market = make_market(changes, programs=("stock", "broker", "worker", "web", "load"))
    (flow,) = market.history("web")[-1].flows
    assert flow.errors == (
        (
            "[3] Unknown Topic Or Partition: the request is for a topic or partition that does not "
            "exist on this broker",
            1.0,
        ),
    )


def test_a_broker_without_a_volume_takes_its_topics_with_it(market: Any) -> None:
    market.scale("broker", 0)
    market.run(60)
    assert market.history("web")[-1].flows[0].ok == 0
    assert (queue(market).members, queue(market).lag) == (0, ())
