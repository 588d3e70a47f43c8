"""Hotel Reservation and Social Network in three sizes, whose databases are replica sets of MongoDB."""

from __future__ import annotations

from sregym_app_deathstarbench.tiers.applications import (
    HotelReservationExpanded,
    HotelReservationReplicated,
    HotelReservationSingle,
    SocialNetworkExpanded,
    SocialNetworkReplicatedTier,
    SocialNetworkSingle,
)

__all__ = [
    "HotelReservationExpanded",
    "HotelReservationReplicated",
    "HotelReservationSingle",
    "SocialNetworkExpanded",
    "SocialNetworkReplicatedTier",
    "SocialNetworkSingle",
]
