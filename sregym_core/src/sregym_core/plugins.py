"""Finding and loading plugins: the only file that touches entry points and the plugin manager.

The group of entry points `sregym` holds modules with hooks. Plugins may read further groups
(`load_group`) and list what they found (`sregym_list_extensions`): all have the same statuses and
obey the same settings.

Loading never fails as a whole. A plugin that cannot be imported, clashes, misspells a hook or
forgets a decorator is kept in the list as broken, with distribution, version and reason; who
needs it gets that reason.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy
from importlib_metadata import EntryPoint, entry_points

from sregym_core import __version__, error_location, hookspecs
from sregym_core.core_range import core_mismatch
from sregym_core.error_location import must_propagate
from sregym_core.errors import PluginMissingError
from sregym_core.registration import PluginStatus as PluginStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_core.settings import Settings

GROUP = "sregym"
PREFIX = "sregym_"
_NEEDS_CORE = re.compile(
    r"(?mi)^Requires-Dist:[ \t]*sregym[-_.]core(?:\[[^\]]*\])?[ \t]*\(?([^;)\n]*)"
)


class Found(NamedTuple):
    """An entry point after loading: its status, and what it leads to unless that is not `ok`."""

    status: PluginStatus
    loaded: Any = None


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
        self._settings = settings
        self._entries = None if found is None else list(found)
        for one in load_group(GROUP, settings, self._entries):
            if one.status.state == "ok":
                self._register(one.loaded, one.status)
            else:
                self._statuses[one.status.name] = one.status
        self._refuse_unknown_hooks()

    @cached_property
    def _extensions(self) -> dict[str, PluginStatus]:
        """Loaded when somebody asks for them: most commands need none."""
        listed = self.manager.hook.sregym_list_extensions(
            settings=self._settings, found=self._entries
        )
        return {status.name: status for status in chain.from_iterable(listed)}

    def statuses(self) -> list[PluginStatus]:
        """All plugins that were found, sorted by name; broken and blocked ones in place."""
        every = [*self._statuses.values(), *self._extensions.values()]
        return sorted(every, key=lambda status: (status.name, status.group))

    def status(self, name: str) -> PluginStatus | None:
        """What is known of one plugin."""
        return self._statuses.get(name) or self._extensions.get(name)

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
        status = self.status(name)
        if status is None:
            known = [*self._statuses, *self._extensions]
            close = difflib.get_close_matches(name, known, 3)
            hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
            msg = (
                f"plugin {name!r} is needed but not installed{hint} Try: pip install sregym-{name}"
            )
            raise PluginMissingError(msg)
        if status.state != "ok":
            msg = f"plugin {name!r} ({status.owner}) is needed but {status.state}: {status.reason}"
            raise PluginMissingError(msg)

    def _register(self, plugin: Any, status: PluginStatus) -> None:
        self._statuses[status.name] = status
        try:
            bare = _undecorated(plugin)
        except Exception as error:
            self.mark_broken(
                status.name, f"it cannot be looked at: {error_location.format_error(error)}"
            )
            return
        if bare:
            reason = (
                f"{bare[0]} lacks the decorator @sregym_core.hookimpl, so it would never be called"
            )
            self.mark_broken(status.name, reason)
            return
        try:
            self.manager.register(plugin, status.name)
        except Exception as error:  # of whatever kind: what was registered is the plugin's
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


def load_group(
    group: str, settings: Settings, found: Iterable[EntryPoint] | None
) -> Iterator[Found]:
    """What the entry points of a group lead to, by name; a name that two claim is broken.

    Args:
        group: Name of the group.
        settings: Which plugins are allowed and disabled.
        found: Entry points to load instead of the installed ones.
    """
    entries = entry_points(group=group) if found is None else found
    # Entry points come in no promised order; sorted, results do not depend on installation.
    ordered = sorted((e for e in entries if e.group == group), key=attrgetter("name"))
    for name, claimants in groupby(ordered, key=attrgetter("name")):
        yield _load(name, list(claimants), settings, group)


def _load(name: str, claimants: list[EntryPoint], settings: Settings, group: str) -> Found:
    # To ask for a distribution is to parse its metadata.
    entry = claimants[0] if len(claimants) == 1 else min(claimants, key=_distribution)
    status = PluginStatus(name, _distribution(entry), _version(entry), "ok", group=group)
    if len(claimants) > 1:
        owners = " and ".join(sorted(repr(f"{_distribution(c)} {_version(c)}") for c in claimants))
        reason = f"two distributions offer a plugin named {name!r}: {owners}; uninstall one"
        return Found(replace(status, state="broken", reason=reason))
    blocked = _blocked(name, settings)
    if blocked:
        return Found(replace(status, state="blocked", reason=blocked))
    unfit = core_mismatch(_required_core(entry), __version__)
    if unfit:
        return Found(replace(status, state="broken", reason=unfit))
    try:
        return Found(status, entry.load())
    except BaseException as error:  # what exits at import must not take the others along
        if must_propagate(error):
            raise
        reason = f"{entry.value} cannot be imported: {_told(error, entry.value)}"
        return Found(replace(status, state="broken", reason=reason))


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


def _told(error: BaseException, module: str) -> str:
    """An exception at import, with the line of the plugin's own code from which it came."""
    where = error_location.plugin_location(error, module.partition(":")[0].partition(".")[0])
    return error_location.format_error(error) + (f" ({where})" if where else "")


def _distribution(entry: EntryPoint) -> str:
    try:
        return str(entry.dist.name) if entry.dist is not None else "unknown"
    except Exception:  # its metadata is damaged
        return "unknown"


def _version(entry: EntryPoint) -> str:
    try:
        return str(entry.dist.version) if entry.dist is not None else "0"
    except Exception:  # its metadata is damaged
        return "0"


def _required_core(entry: EntryPoint) -> str:
    """The versions of the core that a distribution says it needs; empty for any."""
    read = getattr(entry.dist, "read_text", None)
    text = (read("METADATA") or "") if read is not None else ""
    found = _NEEDS_CORE.search(text)
    return found[1] if found else ""
