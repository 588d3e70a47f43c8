"""Journaled edits: each change of an API object through `Edits` can be undone at any time.

What is changed looks as if people or pipelines had changed it: each object by a tool that fits how
it is delivered, one change after the other with the time between them that people take.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import ObjectRef, name_of
from sregym_kubernetes.changes.delivery import CREATED, PATCH, REPLACED, RESTART
from sregym_kubernetes.copying import copied

from sregym_kubernetes import changes

if TYPE_CHECKING:
    from sregym_core.interfaces import Actor, Cluster, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.interfaces.injector import Journal

# Seconds between two changes that belong together.
PAUSE_S = (9.0, 48.0)


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
        self._target = name_of(context.target)
        self._saved: list[ObjectRef] = []
        self._chance = Random(f"edits of {self._target}, seed {context.seed}")  # noqa: S311 - a game, no secret
        self._actors: dict[ObjectRef, Actor] = {}
        self._begun = False
        # One person makes all changes of an injection that are made by hand.
        self._person = changes.choose_person(
            Random(f"who edits {self._target}, seed {context.seed}")  # noqa: S311 - as above
        )

    def read(self, ref: ObjectRef) -> KubeObject:
        """The object as it is now; raises `WorldError` when it does not exist."""
        obj = self.cluster.get(ref)
        if obj is None:
            raise WorldError(
                f"{ref} does not exist, but the fault on {self._target!r} changes it; "
                "deploy the application before the injection"
            )
        return obj

    def save(self, ref: ObjectRef) -> KubeObject:
        """Write the object's state into the journal, unless this injection did so before."""
        obj = self.read(ref)
        if ref not in self._saved:
            self._journal.restore(ref, copied(obj))
            self._saved.append(ref)
        return obj

    def patch(self, ref: ObjectRef, patch: Any, kind: str = "strategic") -> KubeObject:
        """Patch an object with a tool that fits how it is delivered; `kind` as in `Cluster.patch`."""
        current = self.save(ref)
        actor = self._actor(ref, current)
        self.pause()
        return changes.apply_edit(self.cluster, ref, patch, kind, actor, current)

    def restart(self, ref: ObjectRef) -> KubeObject:
        """Do what `kubectl rollout restart` does, with the time of the cluster's clock."""
        self.save(ref)
        self.pause()
        return changes.restart(self.cluster, ref, changes.as_person(self._person, RESTART))

    def replace(self, obj: KubeObject) -> KubeObject:
        """Replace an existing object, as `kubectl replace` does."""
        self.save(ObjectRef.of(obj))
        self.pause()
        return self.cluster.replace(obj, changes.as_person(self._person, REPLACED))

    def delete(self, ref: ObjectRef) -> None:
        """Delete an existing object."""
        self.save(ref)
        self.pause()
        self.cluster.delete(ref, actor=changes.as_person(self._person, PATCH))

    def end(self, obj: KubeObject) -> None:
        """Delete what is not needed or a controller recreates, a pod: it is not journaled."""
        self.cluster.delete(ObjectRef.of(obj), actor=changes.as_person(self._person, PATCH))

    def create(self, obj: KubeObject) -> KubeObject:
        """Create an object that does not exist yet, as `kubectl create` does."""
        ref = ObjectRef.of(obj)
        if ref not in self._saved:
            self._journal.restore(ref, None)
            self._saved.append(ref)
        self.pause()
        return self.cluster.create(obj, changes.as_person(self._person, CREATED))

    def pause(self) -> None:
        """Let pass what people need between two changes; nothing before the first of them.

        Called by every change. A fault calls it before what it changes by other means, a command in
        a container for instance.
        """
        if self._begun:
            self.cluster.clock.spend(round(self._chance.uniform(*PAUSE_S), 3))
        self._begun = True

    def _actor(self, ref: ObjectRef, current: KubeObject) -> Actor:
        if ref not in self._actors:
            tool = changes.actor_for(current, self._chance)
            self._actors[ref] = changes.as_person(self._person, tool)
        return self._actors[ref]
