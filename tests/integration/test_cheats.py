"""Cheats that find nothing to act on are known without playing them."""

from __future__ import annotations

from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_core.proof.scripted import finds_nothing
from sregym_kubernetes.attacks import CHEATS


def idle(name: str) -> list[str]:
    everything = HotelReservation().components()
    targets = tuple(part for part in everything if part.name == name)
    return [cheat for cheat, act in CHEATS.items() if finds_nothing(act, targets, everything)]


def test_by_what_a_target_has() -> None:
    names = ("frontend", "memcached-rate", "hotel-load", "nobody")
    of_targets = ["delete-workload", "scale-to-zero", "recreate-unrepaired"]
    assert {name: idle(name) for name in names} == {
        "frontend": [],
        "memcached-rate": ["garble-configuration"],
        "hotel-load": ["remove-probes"],
        "nobody": [*of_targets, "garble-configuration", "remove-probes"],
    }
