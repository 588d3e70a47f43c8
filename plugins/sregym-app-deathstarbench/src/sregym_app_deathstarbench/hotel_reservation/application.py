"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class HotelReservation(ManifestApplication):
    """Hotel Reservation of DeathStarBench, in Go with gRPC, Consul, MongoDB and memcached."""

    name: ClassVar[str] = "hotel-reservation"
    title: ClassVar[str] = "Hotel Reservation"
    namespaces: ClassVar[tuple[str, ...]] = ("hotel-reservation", "load")
    package: ClassVar[str] = "sregym_app_deathstarbench.hotel_reservation"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="load", name="hotel-load"
    )
    load_rate: ClassVar[str] = r"(?<= -R )\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_HOTELS": (48.0, 70.0),
            "WEIGHT_RECOMMENDATIONS": (28.0, 50.0),
            "WEIGHT_USER": (0.4, 1.2),
            "WEIGHT_RESERVATION": (0.4, 1.0),
        }
    )
    description: ClassVar[str] = """\
Hotel Reservation is a hotel search and booking site in namespace hotel-reservation. Users send
HTTP requests to Service frontend, port 5000: GET /hotels (search by dates and place),
/recommendations (by distance, rate or price), /user (log-in) and /reservation (book a room).
The frontend calls search, profile, recommendation, user and reservation by gRPC and finds them
through consul; search calls geo and rate. Each service reads
/go/src/github.com/harlow/go-micro-services/config.json when it starts; it comes from the ConfigMap
<service>-config. geo, rate, profile, recommendation, user and reservation keep their data in a
MongoDB of their own (mongodb-<service>); rate, profile and reservation also use a memcached
(memcached-rate, memcached-profile, memcached-reserve). Traces go to jaeger. A steady mix of user
requests comes from Deployment hotel-load in namespace load, which logs every ten seconds how each
kind of request fared."""
