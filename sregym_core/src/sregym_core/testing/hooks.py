"""Plugins made of local functions, and a record of the hooks that were called."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from sregym_core import hookimpl, hookspecs
from sregym_core.plugins import PREFIX, Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class PluginShelf:
    """Plugins of one test; installed ones are not among them.

    Attributes:
        plugins: The loader.
    """

    def __init__(self) -> None:
        self.plugins = Plugins(Settings(), found=())

    def __call__(self, *functions: Callable[..., Any], name: str = "local") -> Registry:
        """Register functions as one plugin, each under its own name, which is a hook's."""
        members = {f.__name__: hookimpl(f) for f in functions}
        self.plugins.add(SimpleNamespace(**members), name)
        return self.registry

    @property
    def registry(self) -> Registry:
        """What the plugins registered so far offer."""
        return Registry(self.plugins)


class HookRecorder:
    """Each hook call as it happened.

    Attributes:
        calls: Name and arguments, in order.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    @property
    def names(self) -> list[str]:
        """Names alone; events carry theirs: `sregym_episode_event:FaultInjected`."""
        return [
            f"{name}:{type(arguments['event']).__name__}" if "event" in arguments else name
            for name, arguments in self.calls
        ]

    def assert_order(self, expected: Sequence[str]) -> None:
        """Fail unless exactly these hooks were called, in this order."""
        assert self.names == list(expected)


@pytest.fixture
def register_plugin() -> PluginShelf:
    """Make a plugin of local functions: `register_plugin(sregym_register_injectors)`."""
    return PluginShelf()


@pytest.fixture
def hook_recorder() -> Callable[[Plugins], HookRecorder]:
    """Record what is called in a loader: call the fixture with it, then look at the answer."""

    def record(plugins: Plugins) -> HookRecorder:
        recorder = HookRecorder()
        specs = [name for name in vars(hookspecs) if name.startswith(PREFIX)]
        members = {name: _recording(name, recorder) for name in specs}
        plugins.add(SimpleNamespace(**members), "hook-recorder")
        return recorder

    return record


def _recording(name: str, recorder: HookRecorder) -> Callable[..., Any]:
    """An implementation of a hook, with the hook's own arguments, that contributes nothing."""

    def implementation(**arguments: Any) -> tuple[()] | None:
        recorder.calls.append((name, arguments))
        return () if name.startswith(f"{PREFIX}register_") else None

    # The loader asks for the signature to learn which arguments to pass.
    implementation.__dict__["__signature__"] = inspect.signature(getattr(hookspecs, name))
    return hookimpl(implementation)
