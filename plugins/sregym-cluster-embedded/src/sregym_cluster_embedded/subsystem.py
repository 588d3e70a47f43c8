"""What one layer adds to the behaviour of a cluster, and how the additions make one whole."""

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
    """The part of a `SimulationSpec` that one layer provides.

    Attributes:
        name: The layer, for error messages.
        handlers: Event handlers by name; names begin with the layer's name.
        listeners: Told of every write, after those of the subsystems before.
        followers: By resource, told of the writes of that resource only; before all listeners, in
            the order of the subsystems. `""` stands for every resource but events.
        indexers: By resource and index name.
        services: Objects that lower layers ask for by `world.service(KEY)`: `{**KEY.offer(it)}`.
    """

    name: str
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    listeners: tuple[Listener, ...] = ()
    followers: Mapping[str, tuple[Listener, ...]] = field(default_factory=dict)
    indexers: Mapping[str, Mapping[str, Indexer]] = field(default_factory=dict)
    services: Mapping[ServiceName, object] = field(default_factory=dict)


def subsystems_of(extensions: Installed) -> Iterator[Subsystem]:
    """What extensions contribute, in the order of their names.

    Raises:
        PluginLoadError: A subsystem cannot be imported, or is none; names the distribution.
    """
    for extension in extensions.extensions:
        for reference in extension.subsystems:
            make = extensions.load("extension", extension.name, reference)
            made = make() if callable(make) else make
            if not isinstance(made, Subsystem):
                owner = extensions.owner("extension", extension.name)
                message = (
                    f"extension {extension.name!r} of {owner} has the subsystem {reference}, "
                    f"which gives {made!r} and no sregym_cluster_embedded.sdk.controllers.Subsystem"
                )
                raise PluginLoadError(message)
            yield made


def build_spec(subsystems: Iterable[Subsystem]) -> SimulationSpec:
    """Merge subsystems, in their order, into the behaviour of a cluster.

    Raises:
        ValueError: Two subsystems offer a handler, an index or a service of the same name.
    """
    handlers: dict[str, Handler] = {}
    listeners: list[Listener] = []
    followers: dict[str, list[Listener]] = {"events": []}
    indexers: dict[str, dict[str, Indexer]] = {}
    services: dict[ServiceName, object] = {}
    for subsystem in subsystems:
        _merge(handlers, subsystem.handlers, "handler", subsystem.name)
        _merge(services, subsystem.services, "service", subsystem.name)
        for resource, indexes in subsystem.indexers.items():
            place = f"index of {resource}"
            _merge(indexers.setdefault(resource, {}), indexes, place, subsystem.name)
        listeners.extend(subsystem.listeners)
        for resource, told in subsystem.followers.items():
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
        services=MappingProxyType(services),
    )


def _tell_followers(
    by_resource: Mapping[str, tuple[Listener, ...]],
    general: tuple[Listener, ...],
    world: World,
    change: Change,
) -> None:
    for follower in by_resource.get(change.key.resource, general):
        follower(world, change)


def _merge(into: dict[N, V], more: Mapping[N, V], what: str, owner: str) -> None:
    for name, value in more.items():
        if name in into:
            message = f"subsystem {owner!r} offers the {what} {name!r} that another offers already"
            raise ValueError(message)
        into[name] = value
