"""Journaled edits: whoever changes an API object through `Edits` can be undone at every moment."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.interfaces.injector import Journal


class Edits:
    """Edits of one injection; each object's first state goes into the journal before it changes.

    Later edits of the same object add no entry: its first state is what recovery must bring back,
    and steps in between (a workload at zero replicas, say) must not be replayed.

    Attributes:
        cluster: Where the edits happen.
    """

    def __init__(self, context: FaultContext) -> None:
        self.cluster: Cluster = context.cluster
        self._journal: Journal = context.journal
        self._component = context.component.name
        self._saved: list[ObjectRef] = []

    def read(self, ref: ObjectRef) -> KubeObject:
        """The object as it is now; raises `WorldError` when it does not exist."""
        obj = self.cluster.get(ref)
        if obj is None:
            raise WorldError(
                f"{ref} does not exist, but the fault on component {self._component!r} changes it; "
                "deploy the application before the injection"
            )
        return obj

    def save(self, ref: ObjectRef) -> KubeObject:
        """Write the object's state into the journal, unless this injection did so before."""
        obj = self.read(ref)
        if ref not in self._saved:
            self._journal.restore(ref, deepcopy(obj))
            self._saved.append(ref)
        return obj

    def patch(self, ref: ObjectRef, patch: Any, kind: str = "strategic") -> KubeObject:
        """Patch an object; `kind` as in `Cluster.patch`."""
        self.save(ref)
        return self.cluster.patch(ref, patch, kind)

    def replace(self, obj: KubeObject) -> KubeObject:
        """Replace an existing object."""
        self.save(ObjectRef.of(obj))
        return self.cluster.replace(obj)

    def delete(self, ref: ObjectRef) -> None:
        """Delete an existing object."""
        self.save(ref)
        self.cluster.delete(ref)

    def create(self, obj: KubeObject) -> KubeObject:
        """Create an object that does not exist yet."""
        ref = ObjectRef.of(obj)
        if ref not in self._saved:
            self._journal.restore(ref, None)
            self._saved.append(ref)
        return self.cluster.create(obj)
