"""Plugins made of local functions, and a record of the hooks that were called."""

from __future__ import annotations

from functools import wraps
from inspect import signature
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.plugins import PREFIX, Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

from sregym_core import hookimpl, hookspecs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class LocalPlugins:
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
def register_plugin() -> LocalPlugins:
    """Make a plugin of local functions: `register_plugin(sregym_register_injectors)`."""
    return LocalPlugins()


@pytest.fixture
def hook_recorder() -> Callable[[Plugins], HookRecorder]:
    """Record what is called in a loader: call the fixture with it, then look at the answer."""

    def record(plugins: Plugins) -> HookRecorder:
        recorder = HookRecorder()
        names = [name for name in vars(hookspecs) if name.startswith(PREFIX)]
        members = {name: _recorded(name, recorder) for name in names}
        plugins.add(SimpleNamespace(**members), "hook-recorder")
        return recorder

    return record


def _recorded(name: str, recorder: HookRecorder) -> Callable[..., Any]:
    """An implementation of a hook that contributes nothing and leaves what is wanted to others."""
    specified = getattr(hookspecs, name)

    @wraps(specified)  # which says to the manager what arguments there are
    def implementation(*values: Any, **named: Any) -> tuple[()] | None:
        given = signature(specified).bind(*values, **named)
        recorder.calls.append((name, dict(given.arguments)))
        # Of hooks that take the first answer None is no answer; of the others all answers are joined.
        return None if getattr(specified, f"{hookspecs.PROJECT}_spec")["firstresult"] else ()

    return hookimpl(implementation)
