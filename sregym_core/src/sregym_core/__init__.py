"""The core of SREGym: hook specifications, plugin loading, the model, the conductor, the CLI.

Plugin authors import `hookimpl` and `Registration` from here, base classes from `sregym_core.interfaces`
and values from `sregym_core.model`. Importing this module is cheap on purpose: every plugin's
entry point does.
"""

from __future__ import annotations

from sregym_core.hookspecs import hookimpl, hookspec
from sregym_core.registration import Registration

__all__ = ["Registration", "__version__", "hookimpl", "hookspec"]

__version__ = "0.1.0"
