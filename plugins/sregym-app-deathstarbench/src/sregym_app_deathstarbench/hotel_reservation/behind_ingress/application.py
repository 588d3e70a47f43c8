"""The same application with another way in; its own YAML files say only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_apps.variant import Variant
from typing_extensions import override

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation

if TYPE_CHECKING:
    from sregym_core.interfaces import Application


class HotelReservationIngress(Variant, HotelReservation):
    """Hotel Reservation behind an ingress controller of class `nginx`, which the cluster brings."""

    name: ClassVar[str] = "hotel-reservation-ingress"
    title: ClassVar[str] = "Hotel Reservation behind an Ingress"
    load_rate: ClassVar[str] = r"(?<= --rps )\d+"
    description: ClassVar[str] = HotelReservation.description.replace(
        "Users send\nHTTP requests to Service frontend, port 5000:",
        "Users send\nrequests to https://hotels.load.svc, a name of the ingress controller (namespace "
        "ingress-nginx);\nIngress frontend with the certificate of Secret frontend-tls passes them to "
        "Service frontend, port 5000:",
    )
    differing: ClassVar[str] = "behind_ingress"

    @override
    def with_namespace_suffix(self, suffix: str) -> Application | None:
        # Its certificate names a host that has the namespace in it.
        return None
