"""The applications of each tier; `tiers.yaml` says how large they are."""

from __future__ import annotations

from typing import ClassVar

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_app_deathstarbench.social_network.application import SocialNetwork
from sregym_app_deathstarbench.tiers.tiered import Tiered, tier_of


def _described(original: str, tier: str) -> str:
    size = tier_of(tier)
    return f"""{original}
Each MongoDB is a StatefulSet whose pods are the members of a replica set: {size.members} of them,
<name>-0.<name> and so on; a Job <name>-initiate made the set. A write counts when a majority has it.
Each service runs {size.replicas} pod{"" if size.replicas == 1 else "s"}."""


class HotelReservationSingle(Tiered, HotelReservation):
    """Hotel Reservation with replica sets of one member."""

    name: ClassVar[str] = "hotel-reservation-tier-single"
    title: ClassVar[str] = "Hotel Reservation, replica sets of one"
    tier: ClassVar[str] = "single"
    description: ClassVar[str] = _described(HotelReservation.description, tier)
    size_of: ClassVar[str] = HotelReservation.name


class HotelReservationReplicated(Tiered, HotelReservation):
    """Hotel Reservation with replica sets of three members, and services of two pods."""

    name: ClassVar[str] = "hotel-reservation-tier-replicated"
    title: ClassVar[str] = "Hotel Reservation, replica sets of three"
    tier: ClassVar[str] = "replicated"
    description: ClassVar[str] = _described(HotelReservation.description, tier)
    size_of: ClassVar[str] = HotelReservation.name


class HotelReservationExpanded(Tiered, HotelReservation):
    """Hotel Reservation with replica sets of five members, and services of three pods."""

    name: ClassVar[str] = "hotel-reservation-tier-expanded"
    title: ClassVar[str] = "Hotel Reservation, replica sets of five"
    tier: ClassVar[str] = "expanded"
    description: ClassVar[str] = _described(HotelReservation.description, tier)
    size_of: ClassVar[str] = HotelReservation.name


class SocialNetworkSingle(Tiered, SocialNetwork):
    """Social Network with replica sets of one member."""

    name: ClassVar[str] = "social-network-tier-single"
    title: ClassVar[str] = "Social Network, replica sets of one"
    tier: ClassVar[str] = "single"
    description: ClassVar[str] = _described(SocialNetwork.description, tier)
    size_of: ClassVar[str] = SocialNetwork.name


class SocialNetworkReplicatedTier(Tiered, SocialNetwork):
    """Social Network with replica sets of three members, and services of two pods."""

    name: ClassVar[str] = "social-network-tier-replicated"
    title: ClassVar[str] = "Social Network, replica sets of three"
    tier: ClassVar[str] = "replicated"
    description: ClassVar[str] = _described(SocialNetwork.description, tier)
    size_of: ClassVar[str] = SocialNetwork.name


class SocialNetworkExpanded(Tiered, SocialNetwork):
    """Social Network with replica sets of five members, and services of three pods."""

    name: ClassVar[str] = "social-network-tier-expanded"
    title: ClassVar[str] = "Social Network, replica sets of five"
    tier: ClassVar[str] = "expanded"
    description: ClassVar[str] = _described(SocialNetwork.description, tier)
    size_of: ClassVar[str] = SocialNetwork.name
