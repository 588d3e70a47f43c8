"""Train Ticket whose contacts have replicas."""

from __future__ import annotations

from sregym_app_train_ticket.replicated.application import TrainTicketReplicated

__all__ = ["TrainTicketReplicated"]
