"""What all loaded extensions offer together, by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sregym_core.errors import PluginClashError, PluginLoadError
from sregym_core.package_hints import package_of
from sregym_core.plugins import Found, PluginStatus
from sregym_core.settings import Settings

from sregym_apps.simulation.loading import SIMULATION, load_extensions
from sregym_apps.simulation.protocols import GENERIC_PROTOCOLS, WireProtocol
from sregym_core import error_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from importlib_metadata import EntryPoint

    from sregym_apps.simulation.extension import Command, Extension, Reference, ServerKind

__all__ = ["SIMULATION", "Found", "Installed", "bundled", "installed", "loaded"]

V = TypeVar("V")

_GENERIC = PluginStatus("generic", "sregym-apps", "", "ok")


class Installed:
    """What the extensions of the simulation offer; it does not change.

    Args:
        found: Loaded extensions; those that are blocked or broken are remembered for messages.

    Attributes:
        kinds: Kinds of servers by name.
        protocols: Protocols by name, the generic ones included.
        commands: Commands for containers by name.
        tool_sets: Commands of packages, by the name of the package.
        users: Numbers of users of official images.
        log_formats: References to functions that write a line.
        extensions: The extensions, sorted by name.

    Raises:
        PluginClashError: Two distributions offer the same name.
    """

    def __init__(self, found: Iterable[Found] = ()) -> None:
        every = sorted(found, key=lambda one: one.status.name)
        self._found = tuple(every)
        self._unusable = [one.status for one in every if one.status.state != "ok"]
        usable: list[tuple[PluginStatus, Extension]] = [
            (one.status, one.loaded) for one in every if one.status.state == "ok"
        ]
        self.extensions: tuple[Extension, ...] = tuple(extension for _, extension in usable)
        kinds: dict[str, tuple[ServerKind, PluginStatus]] = {}
        commands: dict[str, tuple[Command, PluginStatus]] = {}
        protocols = {one.name: (one, _GENERIC) for one in GENERIC_PROTOCOLS}
        tool_sets: dict[str, tuple[tuple[str, ...], PluginStatus]] = {}
        users: dict[str, tuple[int, PluginStatus]] = {}
        formats: dict[str, tuple[Reference, PluginStatus]] = {}
        for owner, extension in usable:
            for kind in extension.server_kinds:
                _add(kinds, "server kind", kind.name, kind, owner)
                for name, number in kind.users.items():
                    _add(users, "user", name, number, owner)
            for protocol in extension.all_of("protocols"):
                _add(protocols, "protocol", protocol.name, protocol, owner)
            for command in extension.all_of("commands"):
                _add(commands, "container command", command.name, command, owner)
            sources: list[Extension | ServerKind] = [extension, *extension.server_kinds]
            for source in sources:
                for name, words in source.tool_sets.items():
                    _add(tool_sets, "tool set", name, words, owner)
                for name, reference in source.log_formats.items():
                    _add(formats, "log format", name, reference, owner)
        self._owned: dict[tuple[str, str], PluginStatus] = {
            **{("server kind", name): owner for name, (_, owner) in kinds.items()},
            **{("container command", name): owner for name, (_, owner) in commands.items()},
            **{("log format", name): owner for name, (_, owner) in formats.items()},
        }
        for owner, extension in usable:
            self._owned["extension", extension.name] = owner
        self.kinds = _plain(kinds)
        self.commands = _plain(commands)
        self.protocols = _plain(protocols)
        self.tool_sets = _plain(tool_sets)
        self.users = _plain(users)
        self.log_formats = _plain(formats)

    def joined(self, more: Iterable[Found]) -> Installed:
        """The same with further extensions.

        Raises:
            PluginClashError: As above.
        """
        return Installed([*self._found, *more])

    def protocol(self, name: str) -> WireProtocol:
        """The protocol of that name; one without peculiarities where no extension registers it."""
        return self.protocols.get(name) or WireProtocol(name)

    def load(self, what: str, name: str, reference: Reference) -> Any:
        """What a reference of a kind, command, log format or extension leads to.

        Args:
            what: `server kind`, `container command`, `log format` or `extension`.
            name: The name of that thing.
            reference: One of its references.

        Raises:
            PluginLoadError: It cannot be imported; names the distribution.
        """
        if not isinstance(reference, str):
            return reference
        module, _, attribute = reference.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except BaseException as error:  # what exits at import must not take the harness along
            if error_location.must_propagate(error):
                raise
            owner = self._owned.get((what, name), _GENERIC)
            where = error_location.plugin_location(error, module.partition(".")[0])
            message = (
                f"{what} {name!r} of {owner.owner} cannot be imported from {reference}: "
                f"{error_location.format_error(error)}{f' ({where})' if where else ''}"
            )
            raise PluginLoadError(message) from error

    def owner(self, what: str, name: str) -> str:
        """Distribution and version that offer a thing, as messages name it."""
        return self._owned.get((what, name), _GENERIC).owner

    def missing(self, what: str, name: str) -> str:
        """What to do about a kind of server or a protocol that is not there; empty when unknown.

        A sentence without a full stop: which distribution to install, or why it does not load.
        """
        known = package_of(what, name)
        package = known or f"sregym-server-{name}"
        for status in self._unusable:
            if status.distribution == package:
                return f"{status.owner} would bring it but is {status.state}: {status.reason}"
        if what != "server kind" and not known:
            return ""
        return f"is its plugin missing? Try: pip install {package}"


@cache
def installed() -> Installed:
    """What is installed in this environment and allowed by its settings, loaded once."""
    return Installed(load_extensions(Settings.from_environment()))


def loaded(found: Iterable[EntryPoint]) -> list[Found]:
    """The extensions behind entry points, whatever the settings allow; broken ones in place."""
    return load_extensions(Settings(), found)


def bundled(distribution: str, extension: Extension) -> Found:
    """An extension that comes with a distribution without an entry point of its own."""
    name = distribution.removeprefix("sregym-")
    return Found(PluginStatus(name, distribution, "", "ok"), extension)


def _add(
    into: dict[str, tuple[V, PluginStatus]], what: str, name: str, value: V, owner: PluginStatus
) -> None:
    before = into.setdefault(name, (value, owner))
    if before[0] == value:
        return  # two kinds that speak one protocol, or whose images have a user in common
    if before[1] is owner:
        message = f"{owner.owner} offers the {what} {name!r} twice; keep one of them"
    else:
        owners = " and ".join(repr(status.owner) for status in (before[1], owner))
        message = (
            f"{what} {name!r} is offered by two distributions, {owners}; "
            f"uninstall one or set SREGYM_DISABLE={owner.name}"
        )
    raise PluginClashError(message)


def _plain(found: dict[str, tuple[V, PluginStatus]]) -> Mapping[str, V]:
    return MappingProxyType({name: value for name, (value, _) in found.items()})
