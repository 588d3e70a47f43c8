"""Components by kind and name, with the plugin and distribution that offers each."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from sregym_core import error_location
from sregym_core.cluster_choice import application_choice, oracle_choice
from sregym_core.error_location import must_propagate
from sregym_core.errors import PluginClashError, PluginLoadError, SregymError, UsageError
from sregym_core.package_hints import package_of
from sregym_core.registration import Registration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Application, Oracle
    from sregym_core.plugins import Plugins, PluginStatus

# No plugin has so many of a kind; a generator without end has.
_MOST_REGISTRATIONS = 10_000
# So many are named in one sentence; of more it is said how they are listed.
_MOST_NAMED = 40
_LISTS = {"problem": "problems", "fault": "faults"}
# Kind -> the registration hook that contributes it and the base class in sregym_core.interfaces.
KINDS: Mapping[str, tuple[str, str]] = {
    "cluster": ("sregym_register_clusters", "ClusterProvider"),
    "application": ("sregym_register_applications", "Application"),
    "fault": ("sregym_register_injectors", "Fault"),
    "noise source": ("sregym_register_noise_sources", "Noise"),
    "oracle": ("sregym_register_oracles", "Oracle"),
    "agent": ("sregym_register_agents", "Agent"),
    "reporter": ("sregym_register_reporters", "Reporter"),
    "reward": ("sregym_register_rewards", "Reward"),
    "mode": ("sregym_register_modes", "Mode"),
    "routine": ("sregym_register_routines", "Routine"),
    "runner": ("sregym_register_runners", "Runner"),
    "tool": ("sregym_register_tools", "SessionTool"),
    "command": ("sregym_register_commands", "Subcommand"),
}


@dataclass(frozen=True)
class Registered:
    """A registration and whose it is."""

    registration: Registration
    plugin: PluginStatus


class Registry:
    """What all loaded plugins register.

    Args:
        plugins: The loaded plugins.
    """

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        self._registrations: dict[str, dict[str, list[Registered]]] = {}

    def names(self, kind: str) -> list[str]:
        """All names of a kind, sorted."""
        return sorted(self._of(kind))

    def in_order(self, kind: str) -> list[str]:
        """All names of a kind as they are offered, plugin by plugin."""
        return list(self._of(kind))

    def load(self, kind: str, name: str) -> Any:
        """The class of a component.

        Raises:
            UsageError: There is none of that name.
            PluginClashError: Several distributions register it.
            PluginLoadError: It cannot be imported, or is not what it claims to be.
        """
        claimants = self._of(kind).get(name)
        if not claimants:
            raise UsageError(self.unknown(kind, name, self.names(kind)))
        if len(claimants) > 1:
            owners = " and ".join(repr(claimant.plugin.owner) for claimant in claimants)
            msg = (
                f"{kind} {name!r} is offered by two distributions, {owners}; "
                f"uninstall one or set SREGYM_DISABLE={claimants[-1].plugin.name}"
            )
            raise PluginClashError(msg)
        return self._import(kind, claimants[0])

    def make(self, kind: str, name: str, *arguments: Any) -> Any:
        """A new component.

        Raises:
            UsageError: There is none of that name, or it does not take these arguments.
            PluginError: It cannot be loaded or made.
        """
        made = self._concrete(kind, name)
        whose = f"{kind} {name!r} of {self.owner(kind, name).owner}"
        try:
            return made(*arguments)
        except SregymError:
            raise
        except BaseException as error:
            if must_propagate(error):
                raise
            where = error_location.plugin_location(error) or error_location.definition_location(
                made
            )
            told = (
                f"{error_location.format_error(error)} ({where})"
                if where
                else error_location.format_error(error)
            )
            msg = f"{whose} cannot be made: {told}"
            raise PluginLoadError(msg) from error

    def application(self, name: str) -> Application:
        """A new application, with the options behind the colon where there are some.

        `NAME+NAME` is several of them, side by side.

        Raises:
            UsageError: There is none of that name, it has no such option, or no plugin joins several.
            PluginError: It cannot be loaded or made.
        """
        if "+" in name.partition(":")[0]:
            return self._joined(name, [self.application(part) for part in name.split("+")])
        own, options = application_choice(name)
        made: Application = self.make("application", own)
        return made.with_options(options) if options else made

    def _joined(self, name: str, parts: Sequence[Application]) -> Application:
        joined: Application | None = self.plugins.manager.hook.sregym_join_applications(parts=parts)
        if joined is None:
            msg = (
                f"application {name!r}: no plugin that is installed joins applications: "
                "pip install sregym-apps"
            )
            raise UsageError(msg)
        return joined

    def oracle(self, name: str) -> Oracle:
        """A new oracle, with the options behind the colon where there are some.

        Raises:
            UsageError: There is none of that name, or it has no such option.
            PluginError: It cannot be loaded or made.
        """
        own, options = oracle_choice(name)
        made: Oracle = self.make("oracle", own, *([options] if options else ()))
        return made

    def _concrete(self, kind: str, name: str) -> Any:
        made = self.load(kind, name)
        missing = sorted(made.__abstractmethods__)
        if missing:
            whose = f"{kind} {name!r} of {self.owner(kind, name).owner}"
            msg = f"{whose} is abstract, it lacks: {', '.join(missing)}{error_location.at(made)}"
            raise PluginLoadError(msg)
        return made

    def owner(self, kind: str, name: str) -> PluginStatus:
        """The plugin that offers a component that `load` would return."""
        return self._of(kind)[name][0].plugin

    def components(self, plugin: str) -> list[str]:
        """What one plugin offers, as `kind name`, sorted."""
        return sorted(
            f"{kind} {name}"
            for kind in KINDS
            for name, claimants in self._of(kind).items()
            if any(claimant.plugin.name == plugin for claimant in claimants)
        )

    def defects(self) -> dict[str, list[str]]:
        """By plugin, why components that it offers cannot be used; imports all that are offered."""
        found: dict[str, list[str]] = {}
        for kind in KINDS:
            for name, (first, *_) in self._of(kind).items():
                try:
                    self._concrete(kind, name)
                except PluginLoadError as error:
                    found.setdefault(first.plugin.name, []).append(str(error))
                except PluginClashError:  # told to whoever asks for it
                    continue
        return found

    def problem_folders(self) -> list[tuple[Traversable, PluginStatus]]:
        """Folders of problem files, with their owners, in the order of plugin names."""
        return [
            (folder, owner)
            for owner, answer in self._answers("sregym_register_problems")
            for folder in answer
        ]

    def unknown(self, kind: str, name: str, known: Sequence[str]) -> str:
        """The message for an unknown name: nearest, all or how to list them, what to install."""
        close = difflib.get_close_matches(name, known, 3)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        parts = [f"no {kind} named {name!r}{hint}"]
        package = package_of(kind, name)
        if package:
            parts.append(f"It comes with {package}: pip install {package}.")
        listed = ", ".join(known) if known else "none; is a plugin missing? See: sregym plugins"
        if kind in _LISTS and len(known) > _MOST_NAMED:
            parts.append(f"There are {len(known)}; see: sregym {_LISTS[kind]}")
        else:
            parts.append(f"Known: {listed}")
        return (". " if not hint else " ").join([*parts[:1], " ".join(parts[1:])])

    def _of(self, kind: str) -> dict[str, list[Registered]]:
        if kind not in self._registrations:
            registrations: dict[str, list[Registered]] = {}
            for owner, answer in self._answers(KINDS[kind][0]):
                for one in answer:
                    registrations.setdefault(one.name, []).append(Registered(one, owner))
            self._registrations[kind] = registrations
        return {
            name: usable
            for name, claimants in self._registrations[kind].items()
            if (usable := [one for one in claimants if self._works(one.plugin)])
        }

    def _works(self, plugin: PluginStatus) -> bool:
        """Whether a plugin is still in use: what it registers elsewhere may have shown it broken."""
        status = self.plugins.status(plugin.name)
        return status is not None and status.state == "ok"

    def _answers(self, hook: str) -> list[tuple[PluginStatus, Sequence[Any]]]:
        """Each plugin's answer to a registration hook, paired with its plugin, sorted by name.

        pluggy's own call joins the answers and forgets whose they are.
        """
        answers: list[tuple[PluginStatus, Sequence[Any]]] = []
        caller = getattr(self.plugins.manager.hook, hook)
        for implementation in sorted(caller.get_hookimpls(), key=lambda impl: impl.plugin_name):
            status = self.plugins.status(implementation.plugin_name)
            if status is None:
                continue
            try:
                answer = list(islice(implementation.function() or (), _MOST_REGISTRATIONS + 1))
            except BaseException as error:
                if must_propagate(error):
                    raise
                reason = f"{hook} raised {error_location.format_with_location(error)}"
                if not error_location.plugin_location(error):  # what was raised at what it returned
                    reason += error_location.at(implementation.function)
                self.plugins.mark_broken(status.name, reason)
                continue
            wrong = _wrong(hook, answer)
            if wrong:
                reason = f"{hook} {wrong}{error_location.at(implementation.function)}"
                self.plugins.mark_broken(status.name, reason)
                continue
            answers.append((status, answer))
        return answers

    def _import(self, kind: str, registered: Registered) -> Any:
        given, owner = registered.registration, registered.plugin
        whose = f"{kind} {given.name!r} of {owner.owner}"
        try:
            loaded = given.load()
        except BaseException as error:  # what exits at import must not take the harness along
            if must_propagate(error):
                raise
            package = str(given.target).partition(".")[0]
            where = error_location.plugin_location(error, package)
            told = error_location.format_error(error) + (f" ({where})" if where else "")
            msg = f"{whose} cannot be imported from {given.target}: {told}"
            raise PluginLoadError(msg) from error
        base = base_of(kind)
        if not (isinstance(loaded, type) and issubclass(loaded, base)):
            msg = f"{whose} is not a subclass of sregym_core.interfaces.{base.__name__}: {given.target}"
            raise PluginLoadError(msg)
        name = getattr(loaded, "name", None)
        if name != given.name:
            msg = f"{whose} calls itself {name!r}; the registration and the class must agree on the name"
            raise PluginLoadError(msg)
        return loaded


def _wrong(hook: str, answer: Sequence[Any]) -> str:
    """What is wrong with what a plugin answers to a registration hook; empty when nothing is."""
    if len(answer) > _MOST_REGISTRATIONS:
        return f"registers more than {_MOST_REGISTRATIONS} things"
    for thing in answer:
        if hook == "sregym_register_problems":
            if not (hasattr(thing, "iterdir") and hasattr(thing, "name")):
                return f"gives {thing!r:.80} where a folder is due: importlib.resources.files(...)"
        elif not isinstance(thing, Registration):
            return f"gives {thing!r:.80} where a sregym_core.Registration is due"
        elif not (isinstance(thing.name, str) and thing.name):
            return f"gives a Registration whose name is {thing.name!r:.80}; a word is due"
        elif not isinstance(thing.target, str | type):
            return f"gives a Registration of {thing.name!r} whose target is {thing.target!r:.80}; 'package.module:Class' or a class is due"
    return ""


def base_of(kind: str) -> type[Any]:
    """The class from which components of a kind derive."""
    base_name = KINDS[kind][1]
    module = import_module("sregym_core.cli" if kind == "command" else "sregym_core.interfaces")
    base: type[Any] = getattr(module, base_name)
    return base
