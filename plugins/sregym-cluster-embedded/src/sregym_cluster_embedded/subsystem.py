"""What one room adds to the behaviour of a cluster, and how the additions make one whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from sregym_core.errors import PluginLoadError

from sregym_cluster_embedded.world import Handler, Listener, SimulationSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.keys import ServiceName
    from sregym_cluster_embedded.store import Change, Indexer
    from sregym_cluster_embedded.world import World

N = TypeVar("N", bound=str)
V = TypeVar("V")


@dataclass(frozen=True)
class Subsystem:
    """The part of a `SimulationSpec` that one room provides.

    Attributes:
        name: The room, for error messages.
        handlers: Event handlers by name; names begin with the room's name.
        listeners: Told of every write, after those of the contributions before.
        followers: By resource, told of the writes of that resource only; before all listeners, in
            the order of the contributions. `""` stands for every resource but events.
        indexers: By resource and index name.
        rooms: Objects that lower rooms ask for by `world.room(KEY)`: `{**KEY.offer(it)}`.
    """

    name: str
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    listeners: tuple[Listener, ...] = ()
    followers: Mapping[str, tuple[Listener, ...]] = field(default_factory=dict)
    indexers: Mapping[str, Mapping[str, Indexer]] = field(default_factory=dict)
    rooms: Mapping[ServiceName, object] = field(default_factory=dict)


def contributed(extensions: Installed) -> Iterator[Subsystem]:
    """What extensions contribute, in the order of their names.

    Raises:
        PluginLoadError: A contribution cannot be imported, or is none; names the distribution.
    """
    for extension in extensions.extensions:
        for reference in extension.contributions:
            make = extensions.load("extension", extension.name, reference)
            made = make() if callable(make) else make
            if not isinstance(made, Subsystem):
                owner = extensions.owner("extension", extension.name)
                message = (
                    f"extension {extension.name!r} of {owner} has the contribution {reference}, "
                    f"which gives {made!r} and no sregym_cluster_embedded.sdk.controllers.Contribution"
                )
                raise PluginLoadError(message)
            yield made


def build_spec(contributions: Iterable[Subsystem]) -> SimulationSpec:
    """Merge contributions, in their order, into the behaviour of a cluster.

    Raises:
        ValueError: Two contributions offer a handler, an index or a room of the same name.
    """
    handlers: dict[str, Handler] = {}
    listeners: list[Listener] = []
    followers: dict[str, list[Listener]] = {"events": []}
    indexers: dict[str, dict[str, Indexer]] = {}
    rooms: dict[ServiceName, object] = {}
    for contribution in contributions:
        _merge(handlers, contribution.handlers, "handler", contribution.name)
        _merge(rooms, contribution.rooms, "room", contribution.name)
        for resource, indexes in contribution.indexers.items():
            place = f"index of {resource}"
            _merge(indexers.setdefault(resource, {}), indexes, place, contribution.name)
        listeners.extend(contribution.listeners)
        for resource, told in contribution.followers.items():
            followers.setdefault(resource, []).extend(told)
    general = followers.pop("", [])
    by_resource = {
        resource: tuple(told if resource == "events" else [*told, *general])
        for resource, told in followers.items()
    }
    dispatch = partial(_tell_followers, MappingProxyType(by_resource), tuple(general))
    return SimulationSpec(
        handlers=MappingProxyType(handlers),
        listeners=(dispatch, *listeners),
        indexers=MappingProxyType(
            {resource: MappingProxyType(indexes) for resource, indexes in indexers.items()}
        ),
        rooms=MappingProxyType(rooms),
    )


def _tell_followers(
    by_resource: Mapping[str, tuple[Listener, ...]],
    general: tuple[Listener, ...],
    world: World,
    change: Change,
) -> None:
    for follower in by_resource.get(change.key.resource, general):
        follower(world, change)


def _merge(into: dict[N, V], more: Mapping[N, V], what: str, room: str) -> None:
    for name, value in more.items():
        if name in into:
            message = (
                f"contribution {room!r} offers the {what} {name!r} that another offers already"
            )
            raise ValueError(message)
        into[name] = value
