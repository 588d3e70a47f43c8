"""The plugin contract accepts a good plugin and finds each kind of bad one.

Each plugin is really installed: a module and its metadata in a folder on the path.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from importlib_metadata import distribution
from sregym_testing import PluginContract

from sregym_core import __version__

GOOD = """
from sregym_core import Registration, hookimpl

@hookimpl
def sregym_register_agents():
    return [Registration("walker", "acme_walker.agent:Walker")]

@hookimpl
def sregym_episode_event(episode, event):
    pass
"""
AGENT = """
from sregym_core.interfaces import Agent

class Walker(Agent):
    name = "walker"

    def run(self, session):
        pass
"""


@dataclass(frozen=True)
class Flaw:
    """What is wrong with a plugin: a file that differs, or is left out, or other metadata."""

    plugin: str = GOOD
    agent: str = AGENT
    typed: bool = True
    requires: str = f"sregym-core>={__version__},<1000"


BAD: dict[str, Flaw] = {
    "test_loads": Flaw(plugin=GOOD.replace("@hookimpl\ndef sregym_episode", "def sregym_episode")),
    "test_hooks_have_no_default_arguments": Flaw(
        plugin=GOOD.replace("(episode, event)", "(episode, at_s=0.0)")
    ),
    "test_loading_is_cheap": Flaw(plugin=f"import pydantic\n{GOOD}"),
    "test_offers_keep_their_word": Flaw(agent=AGENT.replace('"walker"', '"runner"')),
    "test_is_typed": Flaw(typed=False),
    "test_requires_a_range_of_cores": Flaw(requires=f"sregym-core=={__version__}"),
}
# Further ways to break the same promises.
WORSE: list[tuple[str, Flaw]] = [
    ("test_loads", Flaw(plugin="import no_such_module\n")),
    ("test_loads", Flaw(plugin=GOOD.replace("sregym_episode_event", "sregym_episode_evnt"))),
    ("test_loads", Flaw(plugin='"""Nothing here."""\n')),
    (
        "test_loading_is_cheap",
        Flaw(plugin=GOOD.replace("    return", "    import yaml\n    return")),
    ),
    ("test_offers_keep_their_word", Flaw(agent="")),
    ("test_offers_keep_their_word", Flaw(agent="class Walker:\n    name = 'walker'\n")),
    (
        "test_offers_keep_their_word",
        Flaw(
            plugin=GOOD.replace('walker",', 'Walk_Er",'),
            agent=AGENT.replace('"walker"', '"Walk_Er"'),
        ),
    ),
    ("test_requires_a_range_of_cores", Flaw(requires="sregym-core")),
]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a plugin `acme-walker` with a flaw, for one test."""

    def make(flaw: Flaw) -> type[PluginContract]:
        package = tmp_path / "acme_walker"
        package.mkdir()
        files = {"__init__.py": "", "plugin.py": flaw.plugin, "agent.py": flaw.agent}
        if flaw.typed:
            files["py.typed"] = ""
        for name, text in files.items():
            (package / name).write_text(text, encoding="utf-8")
        metadata = tmp_path / "acme_walker-1.2.dist-info"
        metadata.mkdir()
        head = "Metadata-Version: 2.3\nName: acme-walker\nVersion: 1.2\n"
        (metadata / "METADATA").write_text(f"{head}Requires-Dist: {flaw.requires}\n")
        (metadata / "entry_points.txt").write_text("[sregym]\nwalker = acme_walker.plugin\n")
        monkeypatch.syspath_prepend(str(tmp_path))

        class Contract(PluginContract):
            distribution = "acme-walker"

        return Contract

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_walker"]:
        del sys.modules[name]


def play(check: str, contract: type[PluginContract], run_check) -> None:
    entry_point = next(iter(distribution("acme-walker").entry_points))
    values = {"entry_point": entry_point}
    if check in ("test_hooks_have_no_default_arguments", "test_is_typed"):
        values["module"] = entry_point.load()
    run_check(contract, check, **values)


@pytest.mark.parametrize("check", BAD)
def test_good_plugin_is_accepted(check, install, run_check) -> None:
    play(check, install(Flaw()), run_check)


@pytest.mark.parametrize(("check", "flaw"), [*BAD.items(), *WORSE])
def test_bad_plugin_is_found(check, flaw, install, run_check) -> None:
    from sregym_core.errors import PluginLoadError

    with pytest.raises((AssertionError, PluginLoadError)):
        play(check, install(flaw), run_check)


def test_every_check_has_a_bad_plugin(checks_of) -> None:
    assert set(BAD) == checks_of(PluginContract)
