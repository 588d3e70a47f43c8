"""Adds RabbitMQ to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_rabbitmq"
_TOOLS = ("rabbitmqctl", "rabbitmq-diagnostics", "rabbitmq-plugins", "rabbitmq-queues")

EXTENSION = Extension(
    name="server-rabbitmq",
    server_kinds=(
        ServerKind(
            name="rabbitmq",
            program=f"{_HERE}.program:RabbitmqProgram",
            behaviour=f"{_HERE}.behaviour:RabbitmqKind",
            protocols=(
                WireProtocol(
                    "amqp",
                    5672,
                    {
                        "auth": 'Exception (403) Reason: "username or password not allowed"',
                        "unauthorized": 'Exception (403) Reason: "${error}"',
                        "server": 'Exception (404) Reason: "${error}"',
                    },
                    libraries=f"{_HERE}:libraries.yaml",
                    messaging=True,
                    messaging_system="rabbitmq",
                    commands=("publish",),
                    never_http=True,
                ),
            ),
            commands=tuple(Command(name, f"{_HERE}.client:rabbitmqctl") for name in _TOOLS),
            tool_sets={"rabbitmq": _TOOLS},
            users={"rabbitmq": 999},
            durable={"rabbitmq": f"{_HERE}.data:describe"},
            broker=f"{_HERE}.data:BROKER",
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
