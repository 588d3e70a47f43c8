"""Hotel Reservation whose pages are put together by a layer that opens a connection per call."""

from __future__ import annotations

from sregym_app_deathstarbench.hotel_reservation.aggregated.application import (
    HotelReservationAggregated,
)

__all__ = ["HotelReservationAggregated"]
