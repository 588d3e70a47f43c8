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
    """Train Ticket, and with replicas of a database."""
    return [
        Registration("train-ticket", "sregym_app_train_ticket.application:TrainTicket"),
        Registration(
            "train-ticket-replicated",
            "sregym_app_train_ticket.replicated.application:TrainTicketReplicated",
        ),
    ]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """The problems of Train Ticket."""
    return [files("sregym_app_train_ticket") / "problems"]
