"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class FlightTicket(ManifestApplication):
    """Flight Ticket: functions in Python on Apache OpenWhisk, with CouchDB, Kafka, ZooKeeper and Redis."""

    name: ClassVar[str] = "flight-ticket"
    title: ClassVar[str] = "Flight Ticket"
    namespaces: ClassVar[tuple[str, ...]] = ("openwhisk", "flight-load")
    package: ClassVar[str] = "sregym_app_flight_ticket"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="flight-load", name="flight-load"
    )
    load_rate: ClassVar[str] = r"(?<=^--users=)\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_SEARCH": (9.0, 15.0),
            "WEIGHT_SEATS": (8.0, 12.0),
            "WEIGHT_ORDER": (4.0, 6.0),
            "WEIGHT_CANCEL": (2.4, 3.6),
            "WEIGHT_STATIONS": (4.0, 6.0),
        }
    )
    description: ClassVar[str] = """\
Flight Ticket lets travellers search flights, look for seats, order and cancel tickets. It is made of
fourteen functions in Python that run on Apache OpenWhisk in namespace openwhisk. Requests come to
Service owdev-nginx, port 80: those of /api/v1 go to owdev-controller, port 8080, other paths of /api
to owdev-apigateway, which keeps its routes in owdev-redis and asks the controller in turn. The
controller looks up who asks in database test_subjects of owdev-couchdb, writes the invocation to
topic invoker0 of owdev-kafka and waits for the answer. owdev-invoker takes it from there, runs the
function in a container of the Docker beside it (container docker of its pod), answers by topic
completed0, and writes the activation to database test_activations. Functions keep their data in
database 1 of owdev-redis and call each other through owdev-nginx; they read both addresses from
ConfigMap flight-ticket-config. Kafka and the invoker find their identity at owdev-zookeeper when they
start. A steady mix of requests comes from Deployment flight-load in namespace flight-load (Locust),
which logs every ten seconds how each kind of request fared."""
