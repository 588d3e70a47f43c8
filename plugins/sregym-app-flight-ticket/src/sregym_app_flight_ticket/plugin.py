"""What this distribution contributes: an application and its problems."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """Flight Ticket."""
    return [Registration("flight-ticket", "sregym_app_flight_ticket.application:FlightTicket")]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """The problems of Flight Ticket."""
    return [files("sregym_app_flight_ticket") / "problems"]
