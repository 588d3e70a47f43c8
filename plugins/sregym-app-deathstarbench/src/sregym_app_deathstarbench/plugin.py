"""What this distribution contributes: an application and its problems."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

_HERE = "sregym_app_deathstarbench"


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """Hotel Reservation, Social Network, their variants, and Media Microservices."""
    return [
        Registration(
            "hotel-reservation", f"{_HERE}.hotel_reservation.application:HotelReservation"
        ),
        Registration(
            "hotel-reservation-ingress",
            f"{_HERE}.hotel_reservation.behind_ingress.application:HotelReservationIngress",
        ),
        Registration(
            "hotel-reservation-aggregated",
            f"{_HERE}.hotel_reservation.aggregated.application:HotelReservationAggregated",
        ),
        Registration("social-network", f"{_HERE}.social_network.application:SocialNetwork"),
        Registration(
            "social-network-replicated",
            f"{_HERE}.social_network.replicated.application:SocialNetworkReplicated",
        ),
        *(
            Registration(f"{application}-tier-{tier}", f"{_HERE}.tiers.applications:{kind}")
            for application, tier, kind in (
                ("hotel-reservation", "single", "HotelReservationSingle"),
                ("hotel-reservation", "replicated", "HotelReservationReplicated"),
                ("hotel-reservation", "expanded", "HotelReservationExpanded"),
                ("social-network", "single", "SocialNetworkSingle"),
                ("social-network", "replicated", "SocialNetworkReplicatedTier"),
                ("social-network", "expanded", "SocialNetworkExpanded"),
            )
        ),
        Registration(
            "media-microservices", f"{_HERE}.media_microservices.application:MediaMicroservices"
        ),
    ]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """The problems of Hotel Reservation."""
    return [files("sregym_app_deathstarbench") / "problems"]
