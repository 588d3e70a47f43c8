"""Loading plugins: what is broken is named, with distribution and version, and stops nobody else."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from importlib_metadata import EntryPoint
from sregym_core.errors import PluginClashError, PluginLoadError, PluginMissingError, UsageError
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

from sregym_core import Registration, hookimpl


class Shelf:
    """Entry points of distributions that exist in this test alone."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.entries: list[EntryPoint] = []

    def put(self, name: str, distribution: str, version: str = "1.0", **members: object) -> None:
        module = ModuleType(f"shelf_{distribution.replace('-', '_')}")
        vars(module).update(members)
        self._monkeypatch.setitem(sys.modules, module.__name__, module)
        self.missing(name, distribution, version, module.__name__)

    def missing(self, name: str, distribution: str, version: str, module: str) -> None:
        entry = EntryPoint(name=name, value=module, group="sregym")
        owner = SimpleNamespace(name=distribution, version=version)
        self.entries.append(entry._for(owner))  # type: ignore[arg-type]  # a stand-in for files on disk


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return Shelf(monkeypatch)


def agents(*registrations: Registration) -> object:
    @hookimpl
    def sregym_register_agents() -> list[Registration]:
        return list(registrations)

    return sregym_register_agents


def state_of(plugins: Plugins) -> list[tuple[str, str, str, str]]:
    return [(s.name, s.owner, s.state, s.reason) for s in plugins.statuses()]


def test_plugins_come_sorted_with_their_hooks(shelf: Shelf) -> None:
    shelf.put("zeta", "acme-zeta", sregym_register_agents=agents())
    shelf.put("alpha", "acme-alpha", "2.1", sregym_register_agents=agents())
    plugins = Plugins(Settings(), shelf.entries)
    assert [(s.name, s.owner, s.hooks) for s in plugins.statuses()] == [
        ("alpha", "acme-alpha 2.1", ("sregym_register_agents",)),
        ("zeta", "acme-zeta 1.0", ("sregym_register_agents",)),
    ]


def test_a_plugin_that_cannot_be_imported_is_broken_and_the_others_work(shelf: Shelf) -> None:
    shelf.missing("lost", "acme-lost", "0.3", "no_such_module_anywhere")
    shelf.put("good", "acme-good", sregym_register_agents=agents())
    assert state_of(Plugins(Settings(), shelf.entries)) == [
        ("good", "acme-good 1.0", "ok", ""),
        (
            "lost",
            "acme-lost 0.3",
            "broken",
            "no_such_module_anywhere cannot be imported: "
            "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ),
    ]


def test_two_distributions_with_one_plugin_name(shelf: Shelf) -> None:
    shelf.put("dns", "acme-dns", "0.3.0", sregym_register_agents=agents())
    shelf.put("dns", "other-dns", "1.2", sregym_register_agents=agents())
    assert state_of(Plugins(Settings(), shelf.entries)) == [
        (
            "dns",
            "acme-dns 0.3.0",
            "broken",
            "two distributions offer a plugin named 'dns': 'acme-dns 0.3.0' and 'other-dns 1.2'; "
            "uninstall one",
        )
    ]


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"SREGYM_DISABLE": " other , dns "}, "disabled by SREGYM_DISABLE"),
        ({"SREGYM_PLUGINS": "other"}, "not in SREGYM_PLUGINS"),
        ({"SREGYM_PLUGINS": ""}, "not in SREGYM_PLUGINS"),
    ],
)
def test_the_environment_blocks(shelf: Shelf, environment: dict[str, str], reason: str) -> None:
    shelf.put("dns", "acme-dns", sregym_register_agents=agents())
    plugins = Plugins(Settings.from_environment(environment), shelf.entries)
    assert state_of(plugins) == [("dns", "acme-dns 1.0", "blocked", reason)]


def test_a_misspelt_hook_is_broken_with_the_right_spelling(shelf: Shelf) -> None:
    @hookimpl
    def sregym_register_agent() -> list[Registration]:
        return []

    shelf.put("slip", "acme-slip", sregym_register_agent=sregym_register_agent)
    assert state_of(Plugins(Settings(), shelf.entries)) == [
        (
            "slip",
            "acme-slip 1.0",
            "broken",
            "there is no hook 'sregym_register_agent'; did you mean 'sregym_register_agents'?",
        )
    ]


def test_a_forgotten_decorator_is_broken(shelf: Shelf) -> None:
    def sregym_register_agents() -> list[Registration]:
        return []

    shelf.put("bare", "acme-bare", sregym_register_agents=sregym_register_agents)
    assert state_of(Plugins(Settings(), shelf.entries)) == [
        (
            "bare",
            "acme-bare 1.0",
            "broken",
            "sregym_register_agents lacks the decorator @sregym_core.hookimpl, "
            "so it would never be called",
        )
    ]


def test_an_argument_that_the_hook_does_not_have_is_broken(shelf: Shelf) -> None:
    @hookimpl
    def sregym_episode_event(episodes: str) -> None:
        pass

    shelf.put("args", "acme-args", sregym_episode_event=sregym_episode_event)
    (state,) = state_of(Plugins(Settings(), shelf.entries))
    assert state[2] == "broken"
    assert "Argument(s) {'episodes'} are declared in the hookimpl but" in state[3]


def test_a_run_refuses_to_start_without_a_plugin_it_needs(shelf: Shelf) -> None:
    shelf.missing("lost", "acme-lost", "0.3", "no_such_module_anywhere")
    plugins = Plugins(Settings(), shelf.entries)
    with pytest.raises(PluginMissingError) as broken:
        plugins.require("lost")
    with pytest.raises(PluginMissingError) as absent:
        plugins.require("los")
    assert str(broken.value) == (
        "plugin 'lost' (acme-lost 0.3) is needed but broken: no_such_module_anywhere cannot be "
        "imported: ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    )
    assert str(absent.value) == (
        "plugin 'los' is needed but not installed; did you mean 'lost'? Try: pip install sregym-los"
    )


def test_a_registration_hook_that_raises_marks_its_plugin(shelf: Shelf) -> None:
    @hookimpl
    def sregym_register_agents() -> list[Registration]:
        raise RuntimeError("no licence")

    shelf.put("angry", "acme-angry", sregym_register_agents=sregym_register_agents)
    shelf.put("good", "acme-good", sregym_register_agents=agents(Registration("walker", "x:Y")))
    plugins = Plugins(Settings(), shelf.entries)
    assert Registry(plugins).names("agent") == ["walker"]
    assert state_of(plugins)[0] == (
        "angry",
        "acme-angry 1.0",
        "broken",
        "sregym_register_agents raised RuntimeError: no licence "
        f"(tests/core/test_plugin_loading.py:{sregym_register_agents.__code__.co_firstlineno + 2})",
    )


def test_a_component_that_two_distributions_offer(shelf: Shelf) -> None:
    shelf.put("a", "acme-a", "0.3.0", sregym_register_agents=agents(Registration("walker", "x:Y")))
    shelf.put("b", "acme-b", "1.2", sregym_register_agents=agents(Registration("walker", "x:Z")))
    with pytest.raises(PluginClashError) as caught:
        Registry(Plugins(Settings(), shelf.entries)).load("agent", "walker")
    assert str(caught.value) == (
        "agent 'walker' is offered by two distributions, 'acme-a 0.3.0' and 'acme-b 1.2'; "
        "uninstall one or set SREGYM_DISABLE=b"
    )


def test_an_offer_that_cannot_be_imported(shelf: Shelf) -> None:
    registered = agents(Registration("walker", "no_such_module_anywhere:Walker"))
    shelf.put("a", "acme-a", sregym_register_agents=registered)
    with pytest.raises(PluginLoadError) as caught:
        Registry(Plugins(Settings(), shelf.entries)).load("agent", "walker")
    assert str(caught.value) == (
        "agent 'walker' of acme-a 1.0 cannot be imported from no_such_module_anywhere:Walker: "
        "ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    )


def test_an_offer_that_is_something_else(shelf: Shelf) -> None:
    shelf.put(
        "a", "acme-a", sregym_register_agents=agents(Registration("walker", "json:JSONDecoder"))
    )
    with pytest.raises(PluginLoadError) as caught:
        Registry(Plugins(Settings(), shelf.entries)).load("agent", "walker")
    assert str(caught.value) == (
        "agent 'walker' of acme-a 1.0 is not a subclass of sregym_core.interfaces.Agent: "
        "json:JSONDecoder"
    )


def test_an_offer_whose_class_has_another_name(shelf: Shelf) -> None:
    target = "sregym_core.proof.scripted:Scripted"
    shelf.put("a", "acme-a", sregym_register_agents=agents(Registration("walker", target)))
    with pytest.raises(PluginLoadError) as caught:
        Registry(Plugins(Settings(), shelf.entries)).load("agent", "walker")
    assert str(caught.value) == (
        "agent 'walker' of acme-a 1.0 calls itself 'scripted'; "
        "the registration and the class must agree on the name"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wlaker", "no agent named 'wlaker'; did you mean 'walker'? Known: walker"),
        (
            "expert",
            "no agent named 'expert'. It comes with sregym-agent-baselines: "
            "pip install sregym-agent-baselines. Known: walker",
        ),
        ("qqq", "no agent named 'qqq'. Known: walker"),
    ],
)
def test_an_unknown_name(shelf: Shelf, name: str, message: str) -> None:
    shelf.put("a", "acme-a", sregym_register_agents=agents(Registration("walker", "x:Y")))
    with pytest.raises(UsageError) as caught:
        Registry(Plugins(Settings(), shelf.entries)).load("agent", name)
    assert str(caught.value) == message
