"""The same application with a web server before it; its own YAML files say only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_apps.variant import Variant
from typing_extensions import override

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation

if TYPE_CHECKING:
    from sregym_core.interfaces import Application


class HotelReservationAggregated(Variant, HotelReservation):
    """Hotel Reservation behind a server in Node.js that asks for parts of its pages anew each time.

    Each part is asked for by a full name and over a connection of its own, so that every request
    of a user costs the cluster DNS look-ups through the whole search list of the pod.
    """

    name: ClassVar[str] = "hotel-reservation-aggregated"
    title: ClassVar[str] = "Hotel Reservation behind an aggregation layer"
    description: ClassVar[str] = HotelReservation.description.replace(
        "Users send\nHTTP requests to Service frontend, port 5000:",
        "Users send\nHTTP requests to Service web, port 8080, a server in Node.js that puts pages together of\n"
        "what it asks Service frontend, port 5000, for; it opens a connection for each part:",
    )
    differing: ClassVar[str] = "aggregated"

    @override
    def with_namespace_suffix(self, suffix: str) -> Application | None:
        # The address in its environment has the namespace in it.
        return None
