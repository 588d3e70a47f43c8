"""Changes of a running system as people and pipelines make them.

Faults, the set-up of applications and the everyday changes of a world write through this package,
so that all of them look alike: `delivery` knows the tools and what each leaves behind, `edit` makes
one change with one of them, `restart` starts a workload anew.
"""

from __future__ import annotations

from sregym_kubernetes.changes.delivery import Delivery, actor_for, delivery_of, marker_for
from sregym_kubernetes.changes.edit import as_delivered, edited
from sregym_kubernetes.changes.people import PEOPLE, by, by_somebody, somebody
from sregym_kubernetes.changes.restart import RESTARTED_AT, restart

__all__ = [
    "PEOPLE",
    "RESTARTED_AT",
    "Delivery",
    "actor_for",
    "as_delivered",
    "by",
    "by_somebody",
    "delivery_of",
    "edited",
    "marker_for",
    "restart",
    "somebody",
]
