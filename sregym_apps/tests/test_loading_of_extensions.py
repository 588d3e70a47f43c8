"""Extensions of the simulation: loaded as plugins are, and listed beside them."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from importlib_metadata import EntryPoint
from sregym_apps.simulation.loading import load_extensions
from sregym_core.errors import PluginMissingError
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings

from sregym_apps import plugin


class Described:
    """The least that an extension is."""

    name = "acme"

    def clash_with(self, other: object) -> str:
        return ""

    def components(self) -> list[str]:
        return ["server kind acme"]


class Failing(Described):
    def components(self) -> list[str]:
        raise ValueError("no such luck")


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes an entry point that leads to an object."""

    def make(loaded: object, name: str = "server-acme", distribution: str = "acme") -> EntryPoint:
        module = ModuleType(f"shelf_{distribution}")
        vars(module)["EXTENSION"] = loaded
        monkeypatch.setitem(sys.modules, module.__name__, module)
        value = f"{module.__name__}:EXTENSION"
        made = EntryPoint(name=name, value=value, group="sregym.simulation")
        owner = SimpleNamespace(name=distribution, version="1.0")
        return made._for(owner)  # type: ignore[arg-type]  # a stand-in for files on disk

    return make


def plugins_of(settings: Settings, *entries: EntryPoint) -> Plugins:
    """What is loaded where the toolkit and these are installed."""
    plugins = Plugins(settings, entries)
    plugins.add(plugin, "apps")
    return plugins


def states(settings: Settings, *entries: EntryPoint) -> list[tuple[str, str, str, str]]:
    found = plugins_of(settings, *entries).statuses()
    return [(one.name, one.owner, one.state, one.reason) for one in found if one.name != "apps"]


def test_sregym_list_extensions_with_what_they_add(entry: Any) -> None:
    _, status = plugins_of(Settings(), entry(Described())).statuses()
    assert (status.name, status.group, status.state, status.components) == (
        "server-acme",
        "sregym.simulation",
        "ok",
        ("server kind acme",),
    )


def test_what_is_no_extension_is_broken(entry: Any) -> None:
    assert states(Settings(), entry(["x", 3])) == [
        (
            "server-acme",
            "acme 1.0",
            "broken",
            "its entry point of 'sregym.simulation' leads to ['x', 3], which is no "
            "sregym_apps.simulation.Extension",
        )
    ]
    (state,) = states(Settings(), entry(Described))
    assert state[3] == (
        "its entry point of 'sregym.simulation' leads to Described, which is no "
        "sregym_apps.simulation.Extension"
    )


def test_an_extension_that_raises_is_broken(entry: Any) -> None:
    (state,) = states(Settings(), entry(Failing()))
    assert state[2:] == (
        "broken",
        "its extension cannot say what it adds: ValueError: no such luck "
        f"(sregym_apps/tests/test_loading_of_extensions.py:{Failing.components.__code__.co_firstlineno + 1})",
    )


def test_settings_hold_for_extensions(entry: Any) -> None:
    here = entry(Described())
    assert states(Settings(disabled=frozenset({"server-acme"})), here)[0][2:] == (
        "blocked",
        "disabled by SREGYM_DISABLE",
    )
    assert states(Settings(allowed=frozenset()), here)[0][2:] == (
        "blocked",
        "not in SREGYM_PLUGINS",
    )
    (found,) = load_extensions(Settings(allowed=frozenset()), [here])
    assert found.loaded is None


def test_a_name_that_two_distributions_claim_is_broken(entry: Any) -> None:
    claimed = [entry(Described(), distribution=name) for name in ("one", "two")]
    (state,) = states(Settings(), *claimed)
    assert state[2:] == (
        "broken",
        "two distributions offer a plugin named 'server-acme': 'one 1.0' and 'two 1.0'; "
        "uninstall one",
    )


def test_a_run_can_require_an_extension(entry: Any) -> None:
    plugins = plugins_of(Settings(), entry(Described()))
    plugins.require("server-acme")
    with pytest.raises(PluginMissingError) as caught:
        plugins.require("server-acne")
    assert str(caught.value) == (
        "plugin 'server-acne' is needed but not installed; did you mean 'server-acme'? "
        "Try: pip install sregym-server-acne"
    )
