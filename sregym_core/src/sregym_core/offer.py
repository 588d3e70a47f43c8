"""How a plugin offers a component: a name now, the class only when somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Offer:
    """One component that a plugin contributes.

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
