"""The same application with a replicated MySQL; its own YAML files say only what differs."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.variant import Variant
from sregym_core.model import ObjectRef

from sregym_app_train_ticket.application import TrainTicket


class TrainTicketReplicated(Variant, TrainTicket):
    """Train Ticket whose contacts are kept by a MySQL with two replicas."""

    name: ClassVar[str] = "train-ticket-replicated"
    title: ClassVar[str] = "Train Ticket with replicated contacts"
    description: ClassVar[str] = TrainTicket.description.replace(
        "Services register with nacos",
        "ts-contacts-mysql is a\nStatefulSet of three: ts-contacts-mysql-0 is the source, to which ts-contacts-service goes "
        "(CONTACTS_MYSQL_HOST),\nthe others are its replicas (super_read_only), as user repl. Services register with nacos",
    )
    differing: ClassVar[str] = "replicated"
    # Each of the three has a claim of its own.
    without: ClassVar[tuple[ObjectRef, ...]] = (
        ObjectRef(
            api_version="v1", kind="PersistentVolumeClaim", namespace="train-ticket",
            name="ts-contacts-mysql",
        ),
    )  # fmt: skip
