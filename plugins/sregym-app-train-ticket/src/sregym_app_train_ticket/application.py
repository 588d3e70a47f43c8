"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class TrainTicket(ManifestApplication):
    """Train Ticket in Java, Python, Go and JavaScript, with MongoDB, MySQL, RabbitMQ and Nacos."""

    name: ClassVar[str] = "train-ticket"
    title: ClassVar[str] = "Train Ticket"
    namespaces: ClassVar[tuple[str, ...]] = ("train-ticket", "train-load")
    package: ClassVar[str] = "sregym_app_train_ticket"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="train-load", name="train-load"
    )
    load_rate: ClassVar[str] = r"(?<=^--users=)\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_SEARCH_FAST": (9.0, 15.0),
            "WEIGHT_SEARCH_OTHER": (6.0, 10.0),
            "WEIGHT_ORDERS": (6.0, 10.0),
            "WEIGHT_CONTACTS": (4.0, 6.0),
            "WEIGHT_PRESERVE": (4.0, 6.0),
        }
    )
    description: ClassVar[str] = """\
Train Ticket sells railway tickets: users search trips, buy, pay, change and cancel tickets, and
administrators look after stations, trains and prices. It runs in namespace train-ticket. Requests
come to Service ts-ui-dashboard, port 8080 (OpenResty), which hands /api to ts-gateway-service. Behind
it are some forty services, ts-<name>-service, mostly Java with Spring Boot, that call each other by
REST at fixed host names and ports. Searching (ts-travel-service for trains of types G and D,
ts-travel2-service for others) asks ts-basic-service, ts-ticketinfo-service, ts-route-service,
ts-train-service and ts-seat-service; buying (ts-preserve-service, ts-preserve-other-service) asks
ts-security-service, ts-contacts-service, ts-order-service and a dozen more, and leaves mails for
ts-notification-service in RabbitMQ. Each service keeps its data in its own MongoDB
(ts-<name>-mongo:27017), contacts and vouchers in MySQL (ts-contacts-mysql, ts-voucher-mysql).
Services register with nacos, which keeps its data in nacos-mysql, when they start. Traces go to
jaeger. Users of Deployment train-load in namespace train-load send a steady mix of requests, and
its log tells every ten seconds how each kind of request fared."""
