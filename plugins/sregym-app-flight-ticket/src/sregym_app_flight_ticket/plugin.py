"""What this distribution contributes: an application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_applications() -> Sequence[Offer]:
    """Flight Ticket."""
    return [Offer("flight-ticket", "sregym_app_flight_ticket.application:FlightTicket")]
