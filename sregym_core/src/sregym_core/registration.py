"""How a plugin registers a component: its name now, its class, which is imported on first use."""

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
