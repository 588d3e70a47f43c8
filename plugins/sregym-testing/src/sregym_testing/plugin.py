"""Contract tests for every plugin, whatever it contributes."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution
from types import ModuleType
from typing import Any, ClassVar

import pytest
from importlib_metadata import EntryPoint
from importlib_metadata import distribution as find_distribution
from sregym_core.plugins import GROUP, PREFIX, Plugins
from sregym_core.registry import KINDS, Registry
from sregym_core.settings import Settings

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOOL = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
# Imports the plugin and calls its registration hooks; prints which packages came in with it.
_IMPORTED = """
import importlib, json, sys
import sregym_core
before = set(sys.modules)
module = importlib.import_module(sys.argv[1])
for name in sorted(vars(module)):
    if name.startswith("sregym_register_"):
        getattr(module, name)()
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(new - set(sys.stdlib_module_names))))
"""


class PluginContract:
    """Set `distribution`: the name under which the plugin is installed."""

    distribution: ClassVar[str]

    @pytest.fixture
    def entry_point(self) -> EntryPoint:
        """The plugin's one entry point."""
        entries = list(find_distribution(self.distribution).entry_points.select(group=GROUP))
        assert len(entries) == 1, (
            f"{self.distribution} has {len(entries)} entry points in {GROUP!r}"
        )
        entry: EntryPoint = entries[0]
        return entry

    @pytest.fixture
    def module(self, entry_point: EntryPoint) -> ModuleType:
        """The module behind the entry point."""
        loaded = entry_point.load()
        assert isinstance(loaded, ModuleType), f"{entry_point.value} is not a module"
        return loaded

    def test_loads(self, entry_point: EntryPoint) -> None:
        """The core accepts it: it imports, every hook exists, every hook is decorated."""
        status = Plugins(Settings(), found=[entry_point]).status(entry_point.name)
        assert status is not None
        assert (status.state, status.reason) == ("ok", "")
        assert status.hooks, "it implements no hook"

    def test_hooks_have_no_default_arguments(self, module: ModuleType) -> None:
        """Whether an argument with a default is passed depends on the version of pluggy."""
        with_defaults = [
            f"{name}({parameter.name})"
            for name, function in _hooks(module)
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is not inspect.Parameter.empty
        ]
        assert with_defaults == []

    def test_loading_is_cheap(self, entry_point: EntryPoint) -> None:
        """Importing it and asking what it offers imports no third-party package.

        Every command of `sregym` pays for every plugin's entry point, `--help` included.
        """
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTED, entry_point.module],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        own = entry_point.module.partition(".")[0]
        assert [name for name in json.loads(done.stdout) if name not in (own, "sregym_core")] == []

    def test_offers_keep_their_word(self, entry_point: EntryPoint) -> None:
        """Each component loads, is of its kind, and is named as offered, in lower case."""
        plugins = Plugins(Settings(), found=[entry_point])
        registry = Registry(plugins)
        for kind in KINDS:
            for name in registry.names(kind):
                registry.load(kind, name)
                # Language models call tools like functions.
                mark, named = ("underscores", _TOOL) if kind == "tool" else ("hyphens", _NAME)
                assert named.fullmatch(name), f"{kind} {name!r}: lower case and {mark}, please"
        assert [(s.name, s.reason) for s in plugins.statuses() if s.state != "ok"] == []

    def test_is_typed(self, module: ModuleType) -> None:
        """Its package has `py.typed`, so that users' type checkers look into it."""
        package = module.__name__.partition(".")[0]
        location = sys.modules[package].__path__[0]
        assert os.path.exists(os.path.join(location, "py.typed"))  # noqa: PTH110, PTH118 - one stat

    def test_requires_a_range_of_cores(self) -> None:
        """`sregym-core>=0.1,<0.2`: not any version, and not exactly one."""
        required = [
            line.partition(";")[0].strip()
            for line in _requirements(find_distribution(self.distribution))
            if re.match(r"sregym[-_.]core\b", line, re.IGNORECASE)
        ]
        assert len(required) == 1, f"{self.distribution} does not require sregym-core"
        assert ">" in required[0], required[0]
        assert "<" in required[0], required[0]


def _hooks(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in sorted(vars(module).items()):
        if name.startswith(PREFIX) and callable(value):
            yield name, value


def _requirements(found: Distribution | Any) -> list[str]:
    return [str(line) for line in found.requires or []]
