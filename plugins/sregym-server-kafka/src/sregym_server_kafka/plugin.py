"""Adds Apache Kafka to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_kafka"
_CLIENT = f"{_HERE}.client"
_SCRIPTS = (
    *("kafka-topics", "kafka-consumer-groups", "kafka-console-producer", "kafka-delete-records"),
    *("kafka-console-consumer", "kafka-broker-api-versions", "kafka-configs"),
    "kafka-producer-perf-test",
)

EXTENSION = Extension(
    name="server-kafka",
    rules=(f"{_HERE}:rules.yaml",),
    server_kinds=(
        ServerKind(
            name="kafka",
            program=f"{_HERE}.program:KafkaProgram",
            behaviour=f"{_HERE}.behaviour:KafkaKind",
            protocols=(
                WireProtocol(
                    "kafka",
                    9092,
                    {
                        "overloaded": "[7] Request Timed Out: the request exceeded the user-specified time limit",
                    },
                    messaging=True,
                    commands=("produce",),
                    libraries=f"{_HERE}:libraries.yaml",
                ),
            ),
            commands=(
                Command("kafka-topics.sh", f"{_CLIENT}:kafka_topics"),
                Command("kafka-consumer-groups.sh", f"{_CLIENT}:kafka_consumer_groups"),
                Command("kafka-configs.sh", f"{_CLIENT}:kafka_configs"),
                Command("kafka-producer-perf-test.sh", f"{_HERE}.performance:producer_perf_test"),
                Command("kafka-delete-records.sh", f"{_CLIENT}:kafka_delete_records"),
                Command("kafka-console-producer.sh", f"{_CLIENT}:kafka_console_producer"),
                Command("kafka-console-consumer.sh", f"{_CLIENT}:kafka_console_consumer"),
            ),
            tool_sets={"kafka": tuple(f"/opt/kafka/bin/{name}.sh" for name in _SCRIPTS)},
            users={"kafka": 1001},
            log_formats={"kafka": f"{_HERE}.server_log:line"},
            durable={"kafka": f"{_HERE}.data:describe"},
            broker=f"{_HERE}.data:BROKER",
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
