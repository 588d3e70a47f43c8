"""What plugins register, and what is known of a plugin.

A component is registered by its name; its class is imported on first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Registration:
    """One component of a plugin, as its hook returns it.

    Attributes:
        name: The word used on the command line and in results; equals the class's `name`.
        target: `package.module:Class`, imported on first use, or the class itself.
    """

    name: str
    target: str | type[Any]

    def load(self) -> Any:
        """Import and return the class; whatever the import raises passes through."""
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)


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
        group: Group of its entry point.
        components: What an entry point of another group than `sregym` adds; what the others
            offer is read from them by `Registry`.
    """

    name: str
    distribution: str
    version: str
    state: str
    reason: str = ""
    hooks: tuple[str, ...] = ()
    group: str = "sregym"
    components: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """Distribution with version, as messages name it."""
        return f"{self.distribution} {self.version}"
