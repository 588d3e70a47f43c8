"""Finding and loading plugins: the only file that touches entry points and the plugin manager.

Loading never fails as a whole. A plugin that cannot be imported, clashes, misspells a hook or
forgets a decorator is kept in the list as broken, with distribution, version and reason; whoever
needs it gets that reason.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy
from importlib_metadata import EntryPoint, entry_points

from sregym_core import hookspecs
from sregym_core.errors import PluginMissingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.settings import Settings

GROUP = "sregym"
PREFIX = "sregym_"


@dataclass(frozen=True)
class PluginStatus:
    """What is known of one plugin.

    Attributes:
        name: Entry-point name.
        distribution: Name of the distribution it came with.
        version: Version of that distribution.
        state: `ok`, `blocked` (by the environment) or `broken`.
        reason: Why it is not ok, for people.
        hooks: Names of the hooks it implements, sorted.
    """

    name: str
    distribution: str
    version: str
    state: str
    reason: str = ""
    hooks: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Distribution with version, as messages name it."""
        return f"{self.distribution} {self.version}"


class Plugins:
    """The loaded plugins of one process.

    Args:
        settings: Which plugins are allowed and disabled.
        found: Entry points to load instead of the installed ones.
    """

    def __init__(self, settings: Settings, found: Iterable[EntryPoint] | None = None) -> None:
        self.manager = pluggy.PluginManager(hookspecs.PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self._statuses: dict[str, PluginStatus] = {}
        entries = entry_points(group=GROUP) if found is None else found
        # Entry points come in no promised order; sorted, results do not depend on installation.
        ordered = sorted(entries, key=lambda entry: (entry.name, _distribution(entry)))
        by_name: dict[str, list[EntryPoint]] = {}
        for entry in ordered:
            by_name.setdefault(entry.name, []).append(entry)
        for name, claimants in by_name.items():
            self._load(name, claimants, settings)
        self._refuse_unknown_hooks()

    def statuses(self) -> list[PluginStatus]:
        """All plugins that were found, sorted by name; broken and blocked ones in place."""
        return [self._statuses[name] for name in sorted(self._statuses)]

    def status(self, name: str) -> PluginStatus | None:
        """What is known of one plugin."""
        return self._statuses.get(name)

    def add(self, plugin: Any, name: str, distribution: str = "local", version: str = "0") -> None:
        """Register an object or module as a plugin without an entry point: for tests."""
        self._register(plugin, PluginStatus(name, distribution, version, "ok"))
        self._refuse_unknown_hooks()

    def mark_broken(self, name: str, reason: str) -> None:
        """Take a plugin out of use because of what it offered."""
        if self.manager.has_plugin(name):
            self.manager.unregister(name=name)
        self._statuses[name] = replace(
            self._statuses[name], state="broken", reason=reason, hooks=()
        )

    def require(self, name: str) -> None:
        """Raise unless the named plugin is loaded: a run must not silently lack a part."""
        status = self._statuses.get(name)
        if status is None:
            close = difflib.get_close_matches(name, self._statuses, 3)
            hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
            msg = (
                f"plugin {name!r} is needed but not installed{hint} Try: pip install sregym-{name}"
            )
            raise PluginMissingError(msg)
        if status.state != "ok":
            msg = f"plugin {name!r} ({status.owner}) is needed but {status.state}: {status.reason}"
            raise PluginMissingError(msg)

    def _load(self, name: str, claimants: list[EntryPoint], settings: Settings) -> None:
        entry = claimants[0]
        status = PluginStatus(name, _distribution(entry), _version(entry), "ok")
        if len(claimants) > 1:
            owners = " and ".join(repr(f"{_distribution(c)} {_version(c)}") for c in claimants)
            reason = f"two distributions offer a plugin named {name!r}: {owners}; uninstall one"
            self._statuses[name] = replace(status, state="broken", reason=reason)
            return
        blocked = _blocked(name, settings)
        if blocked:
            self._statuses[name] = replace(status, state="blocked", reason=blocked)
            return
        try:
            plugin = entry.load()
        except Exception as error:
            reason = f"{entry.value} cannot be imported: {type(error).__name__}: {error}"
            self._statuses[name] = replace(status, state="broken", reason=reason)
            return
        self._register(plugin, status)

    def _register(self, plugin: Any, status: PluginStatus) -> None:
        self._statuses[status.name] = status
        bare = _undecorated(plugin)
        if bare:
            reason = (
                f"{bare[0]} lacks the decorator @sregym_core.hookimpl, so it would never be called"
            )
            self.mark_broken(status.name, reason)
            return
        try:
            self.manager.register(plugin, status.name)
        except (pluggy.PluginValidationError, ValueError) as error:
            reason = " ".join(str(error).split())
            self.mark_broken(status.name, reason)
            return
        callers = self.manager.get_hookcallers(plugin) or []
        hooks = tuple(sorted(caller.name for caller in callers))
        self._statuses[status.name] = replace(status, hooks=hooks)

    def _refuse_unknown_hooks(self) -> None:
        known = [name for name in vars(hookspecs) if name.startswith(PREFIX)]
        for name, status in list(self._statuses.items()):
            for hook in status.hooks if status.state == "ok" else ():
                if hook not in known:
                    close = difflib.get_close_matches(hook, known, 1)
                    hint = f"; did you mean {close[0]!r}?" if close else ""
                    self.mark_broken(name, f"there is no hook {hook!r}{hint}")


def _blocked(name: str, settings: Settings) -> str:
    if name in settings.disabled:
        return "disabled by SREGYM_DISABLE"
    if settings.allowed is not None and name not in settings.allowed:
        return "not in SREGYM_PLUGINS"
    return ""


def _undecorated(plugin: Any) -> list[str]:
    """Callables that look like hook implementations and are none; pluggy ignores them silently."""
    marker = f"{hookspecs.PROJECT}_impl"
    names = vars(plugin) if isinstance(plugin, ModuleType) else dir(plugin)
    return [
        name
        for name in sorted(names)
        if name.startswith(PREFIX)
        and callable(getattr(plugin, name))
        and not isinstance(getattr(plugin, name), type)
        and not hasattr(getattr(plugin, name), marker)
    ]


def _distribution(entry: EntryPoint) -> str:
    return str(entry.dist.name) if entry.dist is not None else "unknown"


def _version(entry: EntryPoint) -> str:
    return str(entry.dist.version) if entry.dist is not None else "0"
