"""Hotel Reservation: 19 workloads that find, recommend and book hotels."""

from __future__ import annotations

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation

__all__ = ["HotelReservation"]
