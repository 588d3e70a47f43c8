"""Imports the packages whose name is also that of a folder at the root, before pytest sees it.

With `--import-mode=importlib` pytest names the tests in `sregym_apps/tests` after their path and
would put an empty namespace package `sregym_apps` in the place of the real one.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

for _name in ("core", "agents", "apps", "injectors", "oracles"):
    with suppress(ModuleNotFoundError):  # a folder tested alone does not have its neighbours
        import_module(f"sregym_{_name}")
