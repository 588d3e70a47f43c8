"""An application in a larger or smaller size: replica sets, pods and load by a table."""

from __future__ import annotations

import re
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import yaml
from sregym_apps.copying import copied
from sregym_core.model import ObjectRef, containers_of
from typing_extensions import override

from sregym_app_deathstarbench.replica_sets.application import Replicated, runs

if TYPE_CHECKING:
    from sregym_apps.manifests import KubeObject
    from sregym_apps.notes import ComponentNotes

MEMCACHED = re.compile(r"(?:^|/)memcached:")
# As many as memcached takes unless told otherwise.
MEMCACHED_CONNECTIONS = 1024


class Tier(NamedTuple):
    """How large an application is.

    Attributes:
        members: Members of the replica set that each of its databases is.
        replicas: Pods of each of its services.
        rate: Requests of users a second.
    """

    members: int
    replicas: int
    rate: int


def tier_of(name: str) -> Tier:
    """A tier of `tiers.yaml`."""
    text = files(__package__).joinpath("tiers.yaml").read_text(encoding="utf-8")
    return Tier(**yaml.safe_load(text)[name])


class Tiered(Replicated):
    """Base, before that of the application that comes in this size: `class Mine(Tiered, HotelReservation)`.

    Attributes:
        tier: Name of the tier.
    """

    tier: ClassVar[str]

    def __init_subclass__(cls, **more: Any) -> None:
        """Take the number of members from the table."""
        super().__init_subclass__(**more)
        cls.members = tier_of(cls.tier).members

    @override
    def _read_objects(self) -> list[KubeObject]:
        notes = super()._read_notes()
        return [self._sized(obj, notes) for obj in super()._read_objects()]

    @cached_property
    def _size(self) -> Tier:
        return tier_of(self.tier)

    def _sized(self, obj: KubeObject, notes: dict[str, ComponentNotes]) -> KubeObject:
        """An object with as many pods, or as much load, as the tier has."""
        if obj["kind"] != "Deployment":
            return obj
        made: KubeObject = copied(obj)
        if ObjectRef.of(obj) == self.load_generator:
            for container in containers_of(made):
                for part in ("command", "args"):
                    if part in container:
                        words: list[Any] = container[part]
                        container[part] = [
                            re.sub(self.load_rate, str(self._size.rate), word) for word in words
                        ]
            return made
        known = notes.get(obj["metadata"]["name"])
        if known is not None and known.kind == "service":
            made["spec"]["replicas"] = self._size.replicas
        elif self._size.replicas > 1 and runs(MEMCACHED, obj):
            # Each pod of a service holds a pool of connections to its cache.
            container = made["spec"]["template"]["spec"]["containers"][0]
            most = str(MEMCACHED_CONNECTIONS * self._size.replicas)
            container["args"] = [*container.get("args", ()), "-c", most]
        return made
