"""Imports the packages whose name is also that of a folder at the root, before pytest sees it.

With `--import-mode=importlib` pytest names the tests in `sregym_apps/tests` after their path and
would put an empty namespace package `sregym_apps` in the place of the real one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

for _name in (
    "core",
    "agents",
    "apps",
    "injectors",
    "kubernetes",
    "nodes",
    "oracles",
    "statistics",
):
    with suppress(ModuleNotFoundError):  # a folder tested alone does not have its neighbours
        import_module(f"sregym_{_name}")


# Programs that tests start are those of their own environment, whatever PATH has: kubectl above all,
# of which another version prints other texts.
_OWN = str(Path(sys.executable).parent)
if os.environ.get("PATH", "").split(os.pathsep)[0] != _OWN:
    os.environ["PATH"] = os.pathsep.join((_OWN, os.environ.get("PATH", os.defpath)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """What `-n auto` is: a third of the time of tests goes into waiting for what they started."""
    return (os.cpu_count() or 1) + 1
