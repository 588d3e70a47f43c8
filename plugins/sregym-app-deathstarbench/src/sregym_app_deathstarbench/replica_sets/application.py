"""An application some or all of whose databases are replica sets."""

from __future__ import annotations

import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_apps.notes import ComponentNotes
from typing_extensions import override

from sregym_app_deathstarbench.replica_sets.objects import ReplicaSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_core.interfaces import Vocabulary
    from sregym_lint import Defect

_MONGODB = re.compile(r"(?:^|/)mongo:")


class Replicated(ManifestApplication):
    """Base, before that of the application whose databases are meant: `class Mine(Replicated, HotelReservation)`.

    A Deployment of MongoDB becomes a StatefulSet whose pods are the members of a replica set that
    a Job makes; accounts are made by the same Job, since members copy them. ConfigMaps name all members.

    Attributes:
        members: How many each replica set has.
        set_names: Database -> name of its set; empty: every Deployment of MongoDB, whose set is
            called as what it keeps.
    """

    members: ClassVar[int]
    set_names: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @override
    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        # The package is the original's; what differs is made of it.
        original = type(self).__mro__[type(self).__mro__.index(Replicated) + 1]
        found: Sequence[Defect] = original().lint(vocabulary)
        return found

    @override
    def _read_objects(self) -> list[KubeObject]:
        notes, objects = super()._read_notes(), super()._read_objects()
        for each in self._sets:
            objects = each.objects(objects, notes.get(each.store, ComponentNotes()))
        return objects

    @override
    def _read_notes(self) -> dict[str, ComponentNotes]:
        notes = super()._read_notes()
        for each in self._sets:
            notes[each.store] = each.notes(notes[each.store])
            notes[f"{each.store}-initiate"] = ComponentNotes(kind="job")
        return notes

    @cached_property
    def _sets(self) -> list[ReplicaSet]:
        named = self.set_names or {
            name: name.removeprefix("mongodb-").removesuffix("-mongodb")
            for obj in super()._read_objects()
            if (name := obj["metadata"]["name"]) and runs(_MONGODB, obj)
        }
        return [ReplicaSet(store, name, self.members) for store, name in named.items()]


def runs(image: re.Pattern[str], obj: KubeObject) -> bool:
    """Whether an object is a Deployment whose first container has such an image."""
    if obj["kind"] != "Deployment":
        return False
    used = obj["spec"]["template"]["spec"]["containers"][0]["image"]
    return image.search(used) is not None
