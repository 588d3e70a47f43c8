"""The one object by which a distribution adds to simulated clusters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from sregym_apps.simulation.protocols import GENERIC_PROTOCOLS, WireProtocol

# Names that people type.
_NAME = re.compile(r"[A-Za-z0-9_.+\[-]+")
# `package.module:Name`, imported on first use; or the object itself, where it is at hand.
Reference: TypeAlias = Any


@dataclass(frozen=True)
class Command:
    """A command that images bring: what runs when its name is typed in a container.

    Attributes:
        name: As it is typed.
        target: Reference to a function `(session, words, stdin) -> Output`, see
            `sregym_cluster_embedded.sdk.commands`. `words[0]` is the name.
        prompt: For the console of a server: what it shows before it reads a statement. A console
            reads its input unless an option (`-c`, `-e`, `--eval` ...) gives it a script. None
            for all other commands.
    """

    name: str
    target: Reference
    prompt: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ServerKind:
    """A kind of server: what a program with `kind: NAME` in a service model is, in one place.

    Attributes:
        name: The word in a service model.
        program: Reference to its model, a subclass of `sregym_apps.model.Program` with
            `kind: Literal[NAME]`; of `StoreProgram` for datastores.
        behaviour: Reference to a class without arguments that behaves like it, a subclass of
            `sregym_cluster_embedded.sdk.servers.Kind`: start-up, files, versions, refusals.
        protocols: What it speaks, with default port, error words and span tags. Two kinds may
            list the very same protocol.
        commands: Its client commands.
        tool_sets: Name in `tools` of an image -> commands of that package.
        users: User that its official images name -> number of that user.
        log_formats: Name in `log.format` -> reference to a function `(record: LogRecord) -> str`,
            see `sregym_cluster_embedded.sdk.servers`.
        tables: Tables of the world that hold what dies with a container; keyed by `ContainerRef`.
        durable: What it keeps beyond its pods: name -> reference to a function that writes a value
            of the table `userland.NAME` as canonical text. Keys of the table are identities of
            storage.
        broker: Reference to a `Broker`, see `sregym_cluster_embedded.sdk.servers`, for those that
            keep messages for consumers; None for all others.
        background: Reference to a function `(world, life, program, first, until, wanted)` that
            gives the lines it writes by itself, see `sregym_cluster_embedded.sdk.exporters`.
        exporter: Reference to an `Exporter` of its metrics.
        images: Service models of public images of it: `package:file.yaml`. What an application
            declares of the same image counts first.
        system_calls: Calls on its files and of the clock that it makes while it serves, and that its
            clients meet when they fail: of `open`, `read`, `write`, `fsync`, `clock_gettime`.
    """

    name: str
    program: Reference
    behaviour: Reference
    protocols: tuple[WireProtocol, ...] = ()
    commands: tuple[Command, ...] = ()
    tool_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    users: Mapping[str, int] = field(default_factory=dict)
    log_formats: Mapping[str, Reference] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    durable: Mapping[str, Reference] = field(default_factory=dict)
    broker: Reference | None = None
    background: Reference | None = None
    exporter: Reference | None = None
    images: tuple[str, ...] = ()
    system_calls: tuple[str, ...] = ("open", "read", "write", "fsync")

    def __post_init__(self) -> None:
        """Refuse fields of another type: TypeError."""
        _check(self, f"ServerKind {self.name!r}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Extension:
    """What a distribution adds to simulated clusters, and so to what service models may say.

    Attributes:
        name: Its name in errors; the entry point's name.
        server_kinds: Kinds of servers.
        protocols: Protocols of clients that no kind of server here speaks.
        commands: Commands for containers; images have them by naming them in `tools`.
        tool_sets: Name in `tools` of an image -> commands of that package.
        log_formats: As in `ServerKind`.
        exporters: References to `Exporter` objects, see `sregym_cluster_embedded.sdk.exporters`.
        subsystems: References to functions `() -> Subsystem`: controllers, event handlers,
            see `sregym_cluster_embedded.sdk.controllers`.
        images: Service models of public images, `package:file.yaml`.
        rules: Files of recording and alerting rules in Prometheus' format, `package:file.yaml`.
    """

    name: str
    server_kinds: tuple[ServerKind, ...] = ()
    protocols: tuple[WireProtocol, ...] = ()
    commands: tuple[Command, ...] = ()
    tool_sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    log_formats: Mapping[str, Reference] = field(default_factory=dict)
    exporters: tuple[Reference, ...] = ()
    subsystems: tuple[Reference, ...] = ()
    images: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse fields of another type: TypeError, which breaks the plugin that is at fault."""
        _check(self, f"Extension {self.name!r}")

    def components(self) -> list[str]:
        """What it adds, for `sregym plugins`, sorted."""
        named = [
            ("server kind", [kind.name for kind in self.server_kinds]),
            ("protocol", [protocol.name for protocol in self.all_of("protocols")]),
            ("container command", [command.name for command in self.all_of("commands")]),
            ("tool set", [*self._mapped("tool_sets")]),
            ("log format", [*self._mapped("log_formats")]),
            ("exporter", [_last(reference) for reference in self.exporters]),
            ("controller", [_last(reference) for reference in self.subsystems]),
            ("rules", [place.rpartition(":")[2] for place in self.rules]),
        ]
        return sorted({f"{what} {name}" for what, names in named for name in names})

    def clash_with(self, other: Extension | None, /) -> str:
        """What it offers that another offers differently; empty for nothing.

        Args:
            other: Another extension; None to check its own names.
        """
        if other is None:
            return self._own_clash()
        mine, others = self._named(), {(what, name): thing for what, name, thing in other._named()}
        for what, name, thing in mine:
            if others.get((what, name), thing) != thing:
                return f"{what} {name!r}"
        return ""

    def _own_clash(self) -> str:
        seen = {("protocol", one.name): one for one in GENERIC_PROTOCOLS}
        generic = set(seen)
        for what, name, thing in self._named():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                return (
                    f"its {what} is named {name!r}; a name has letters, digits and . _ + - [ alone"
                )
            if seen.setdefault((what, name), thing) != thing:
                if (what, name) in generic:
                    return f"its {what} {name!r} is one that there is already; give it another name"
                return f"it offers the {what} {name!r} twice; keep one of them"
        return ""

    def _named(self) -> list[tuple[str, Any, Any]]:
        """What may be offered once, or equally by several."""
        sources: list[Extension | ServerKind] = [self, *self.server_kinds]
        return [
            *(("server kind", kind.name, kind) for kind in self.server_kinds),
            *(("protocol", one.name, one) for one in self.all_of("protocols")),
            *(("container command", one.name, one) for one in self.all_of("commands")),
            *(("tool set", n, words) for one in sources for n, words in one.tool_sets.items()),
            *(("log format", n, form) for one in sources for n, form in one.log_formats.items()),
        ]

    def all_of(self, attribute: str) -> Iterator[Any]:
        """What stands in a tuple of its own and in those of its kinds of servers."""
        yield from getattr(self, attribute)
        for kind in self.server_kinds:
            yield from getattr(kind, attribute)

    def _mapped(self, attribute: str) -> Iterator[str]:
        yield from getattr(self, attribute)
        for kind in self.server_kinds:
            yield from getattr(kind, attribute)


def _last(reference: Reference) -> str:
    """A short name of what a reference leads to."""
    text = reference if isinstance(reference, str) else getattr(reference, "__name__", "")
    return text.rpartition(":")[2] or type(reference).__name__


def _check(described: Any, whose: str) -> None:
    """Compare the values of a description's fields with their types, references left out."""
    hints = get_type_hints(type(described))
    for one in fields(described):
        value, hint = getattr(described, one.name), hints[one.name]
        if hint is str:
            _is(value, str, f"{whose}: {one.name}")
        elif get_origin(hint) is tuple:
            _is(value, tuple, f"{whose}: {one.name}")
            (wanted, _) = get_args(hint)
            for index, member in enumerate(value if wanted is not Any else ()):
                _is(member, wanted, f"{whose}: {one.name}[{index}]")
        elif get_origin(hint) is Mapping:
            _is(value, Mapping, f"{whose}: {one.name}")


def _is(value: Any, wanted: type[Any], where: str) -> None:
    if not isinstance(value, wanted):
        message = f"{where} is {value!r}, not a {wanted.__name__}"
        raise TypeError(message)
