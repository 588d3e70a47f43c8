"""Hotel Reservation whose users come by TLS and through an Ingress."""

from __future__ import annotations

from sregym_app_deathstarbench.hotel_reservation.behind_ingress.application import (
    HotelReservationIngress,
)

__all__ = ["HotelReservationIngress"]
