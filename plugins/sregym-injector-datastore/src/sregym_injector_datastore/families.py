"""Families of stores: which one a component is, told by the port that it serves."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from sregym_core.model import BATCH_KINDS
from sregym_injectors.component_fault import article

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import Component


class Family(StrEnum):
    """Stores that are spoken to in the same way, by the name that accounts use for them."""

    MONGODB = "mongodb"
    POSTGRES = "postgres"
    MYSQL = "mysql"
    REDIS = "redis"
    KAFKA = "kafka"
    RABBITMQ = "rabbitmq"
    CONSUL = "consul"


_NAMES = {
    Family.MONGODB: "MongoDB", Family.POSTGRES: "PostgreSQL", Family.MYSQL: "MySQL",
    Family.REDIS: "Redis", Family.KAFKA: "Kafka", Family.RABBITMQ: "RabbitMQ",
    Family.CONSUL: "Consul",
}  # fmt: skip
_PORTS = {
    27017: Family.MONGODB, 5432: Family.POSTGRES, 3306: Family.MYSQL, 6379: Family.REDIS,
    9092: Family.KAFKA, 5672: Family.RABBITMQ,
    8500: Family.CONSUL,
}  # fmt: skip


def family_of(component: Component) -> Family | None:
    """The family of a component's server; None for anything else, and for what ends by itself."""
    if component.workload.kind in BATCH_KINDS:
        return None
    declared = [port.container_port for port in component.ports]
    declared += [port for container in component.containers for port in container.ports]
    return next((_PORTS[port] for port in declared if port in _PORTS), None)


def not_of(component: Component, families: Sequence[Family]) -> str:
    """Why a component is none of some families; empty when it is one."""
    if component.workload.kind in BATCH_KINDS:
        return f"{article(component.workload.kind)} keeps nothing: its pods end"
    if family_of(component) in families:
        return ""
    *others, last = [_NAMES[family] for family in families]
    return f"it is no {', '.join(others)} or {last} server" if others else f"it is no {last} server"
