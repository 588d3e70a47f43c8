"""What this distribution contributes: an application and its problems."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

_HERE = "sregym_app_deathstarbench"


@hookimpl
def sregym_register_applications() -> Sequence[Offer]:
    """Hotel Reservation, Social Network, their variants, and Media Microservices."""
    return [
        Offer("hotel-reservation", f"{_HERE}.hotel_reservation.application:HotelReservation"),
        Offer(
            "hotel-reservation-ingress",
            f"{_HERE}.hotel_reservation.behind_ingress.application:HotelReservationIngress",
        ),
        Offer(
            "hotel-reservation-aggregated",
            f"{_HERE}.hotel_reservation.aggregated.application:HotelReservationAggregated",
        ),
        Offer("social-network", f"{_HERE}.social_network.application:SocialNetwork"),
        Offer(
            "social-network-replicated",
            f"{_HERE}.social_network.replicated.application:SocialNetworkReplicated",
        ),
        *(
            Offer(f"{application}-tier-{tier}", f"{_HERE}.tiers.applications:{kind}")
            for application, tier, kind in (
                ("hotel-reservation", "single", "HotelReservationSingle"),
                ("hotel-reservation", "replicated", "HotelReservationReplicated"),
                ("hotel-reservation", "expanded", "HotelReservationExpanded"),
                ("social-network", "single", "SocialNetworkSingle"),
                ("social-network", "replicated", "SocialNetworkReplicatedTier"),
                ("social-network", "expanded", "SocialNetworkExpanded"),
            )
        ),
        Offer("media-microservices", f"{_HERE}.media_microservices.application:MediaMicroservices"),
    ]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """The problems of Hotel Reservation."""
    return [files("sregym_app_deathstarbench") / "problems"]
