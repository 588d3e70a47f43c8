"""Priority admission: what a pod's class makes of it, and the one class that is the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

CLASSES = "priorityclasses.scheduling.k8s.io"
SYSTEM = {"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}
_USUAL = "PreemptLowerPriority"


def resolve(world: World, kind: Resource, name: str, spec: dict[str, Any]) -> None:
    """Write into a new pod's spec what its class says.

    Raises:
        errors.ApiError: Forbidden: there is no such class, or the pod says otherwise itself.
    """
    wanted = spec.get("priorityClassName", "")
    policy, value = _USUAL, 0
    found = world.store.get(Key(CLASSES, "", wanted)) if wanted else _default(world)
    if found is not None:
        value, policy = found["value"], found.get("preemptionPolicy", policy)
        spec["priorityClassName"] = found["metadata"]["name"]
    elif wanted in SYSTEM:
        value = SYSTEM[wanted]
    elif wanted:
        raise errors.forbidden(kind, name, f"no PriorityClass with name {wanted} was found")
    _agree(kind, name, spec, "priority", value, "integer value of priority")
    _agree(kind, name, spec, "preemptionPolicy", policy, "string value of PreemptionPolicy")


def _agree(
    kind: Resource, name: str, spec: dict[str, Any], field: str, computed: str | int, words: str
) -> None:
    given = spec.get(field)
    if given is not None and given != computed:
        why = (
            f"the {words} ({given}) must not be provided in pod spec; priority admission controller "
            f"computed {computed} from the given PriorityClass name"
        )
        raise errors.forbidden(kind, name, why)
    spec[field] = computed


def _default(world: World) -> Object | None:
    defaults = (entry for entry in world.store.list(CLASSES) if entry.get("globalDefault"))
    return min(defaults, key=lambda entry: entry["value"], default=None)


def check_default(world: World, kind: Resource, obj: Object) -> None:
    """Refuse a second default.

    Raises:
        errors.ApiError: Forbidden.
    """
    if kind.name != CLASSES or not obj.get("globalDefault"):
        return
    known = _default(world)
    name = obj["metadata"]["name"]
    if known is not None and known["metadata"]["name"] != name:
        told = known["metadata"]["name"]
        why = f"PriorityClass {told} is already marked as default. Only one default can exist"
        raise errors.forbidden(kind, name, why)


def check_removal(kind: Resource, name: str) -> None:
    """Refuse to delete a class that the system needs.

    Raises:
        errors.ApiError: Forbidden.
    """
    if kind.name == CLASSES and name in SYSTEM:
        why = "this is a system priority class and cannot be deleted"
        raise errors.forbidden(kind, name, why)
