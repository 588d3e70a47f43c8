"""Hides pods from users of a node: tools of the harness, as the Kubernetes API hides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_kubernetes.redaction import RedactionPolicy

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.usage import pods_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import ObjectRef

    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

_REFS = "refs"
_CONCEALED: TableKey[str, tuple[ObjectRef, ...]] = TableKey("host.concealed")


def redact(world: World, refs: Sequence[ObjectRef]) -> None:
    """Let these objects, and what belongs to them, leave no trace on nodes from now on."""
    table = world.table(_CONCEALED)
    if table.get(_REFS, ()) != tuple(refs):
        table[_REFS] = tuple(refs)


def redaction_of(world: World) -> RedactionPolicy:
    """What decides which objects are hidden."""
    refs = world.table(_CONCEALED).get(_REFS, ())
    return RedactionPolicy(lambda: refs)


def visible_pods(world: World, node: str) -> list[PodState]:
    """The pods of a node that may be seen, in order of arrival."""
    found = pods_on(world, node)
    redaction = redaction_of(world)
    if redaction.empty:
        return found
    return [
        state for state in found if not redaction.hides_pod(state.key.namespace, state.key.name)
    ]
