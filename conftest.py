"""Imports the packages whose name is also that of a folder at the root, before pytest sees it.

With `--import-mode=importlib` pytest names the tests in `sregym_apps/tests` after their path and
would put an empty namespace package `sregym_apps` in the place of the real one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module

import pytest

for _name in ("core", "agents", "apps", "injectors", "oracles"):
    with suppress(ModuleNotFoundError):  # a folder tested alone does not have its neighbours
        import_module(f"sregym_{_name}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """What `-n auto` is: a third of the time of tests goes into waiting for what they started."""
    return (os.cpu_count() or 1) + 1
