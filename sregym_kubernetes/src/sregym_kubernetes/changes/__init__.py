"""Changes of a running system as people and pipelines make them.

Faults, the set-up of applications and the everyday changes of a world write through this package,
so that all of them look alike: `delivery` knows the tools and what each leaves behind, `edit` makes
one change with one of them, `restart` restarts a workload.
"""

from __future__ import annotations

from sregym_kubernetes.changes.delivery import Delivery, actor_for, delivery_of, marker_for
from sregym_kubernetes.changes.edit import apply_edit, with_delivery_marks
from sregym_kubernetes.changes.people import PEOPLE, as_chosen_person, as_person, choose_person
from sregym_kubernetes.changes.restart import RESTARTED_AT, restart

__all__ = [
    "PEOPLE",
    "RESTARTED_AT",
    "Delivery",
    "actor_for",
    "apply_edit",
    "as_chosen_person",
    "as_person",
    "choose_person",
    "delivery_of",
    "marker_for",
    "restart",
    "with_delivery_marks",
]
