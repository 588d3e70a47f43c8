"""`sregym plugins search` and `sregym plugins entry`, as users call them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Project = Callable[..., SregymProject]
INDEX = """\
format: 1
plugins:
- {distribution: acme-dns, summary: Faults of name resolution, kinds: [fault], adds: [fault acme-dns], core: '>=0.1,<0.2'}
- distribution: sregym-index
  summary: This one
  kinds: [command]
  core: '>=7'
  contract: {outcome: fail, contracts: [PluginContract], passed: 5, failed: 1, version: 0.1.0, core: 0.1.0, date: 2026-11-02}
- distribution: zebra-dns
  summary: That one
  kinds: [fault]
  core: '>=0.1,<0.2'
  contract: {outcome: pass, contracts: [PluginContract], passed: 5, failed: 0, version: 2.0.0, core: 0.1.0}
"""
HELD = """\
from sregym_testing import PluginContract


class TestPlugin(PluginContract):
    distribution = "{name}"


class TestNothing:
    def test_is_no_contract(self):
        raise AssertionError
"""


def test_help_of_plugins_names_the_commands_behind_it(sregym_project: Project) -> None:
    told = sregym_project().run("plugins", "--help").assert_success().out
    assert told.partition("further commands:\n")[2].splitlines() == [
        "  sregym plugins entry: print the entry of an installed plugin for an index, with its "
        "contract",
        "  sregym plugins search: search an index of plugins that can be installed",
    ]
    listed = sregym_project().run("--help").assert_success().out.splitlines()
    line = next(line for line in listed if line.startswith("  plugins search"))
    assert line.split("  ")[1:] == [
        "plugins search",
        "search an index of plugins that can be installed",
    ]


def test_an_empty_file_is_no_index(sregym_project: Project) -> None:
    done = sregym_project({"index.yaml": ""}).run("plugins", "search", "--index", "index.yaml")
    assert (done.exit_code, done.err) == (
        ExitCode.USAGE,
        "sregym: index.yaml is no index of plugins: an index must be a mapping, not null\n",
    )


def test_search_tells_what_fits_and_what_is_installed(sregym_project: Project) -> None:
    project = sregym_project({"index.yaml": INDEX})
    told = project.run("plugins", "search", "--index", "index.yaml").assert_success()
    own = version("sregym-index")
    assert [line.split() for line in told.out.splitlines()] == [
        ["DISTRIBUTION", "KINDS", "FITS", "CONTRACT", "INSTALLED", "SUMMARY"],
        ["acme-dns", "fault", "yes", "not", "told", "no", "Faults", "of", "name", "resolution"],
        f"sregym-index command needs >=7 fail 0.1.0 2026-11-02 {own} This one".split(),
        ["zebra-dns", "fault", "yes", "pass", "2.0.0", "no", "That", "one"],
    ]
    (entry,) = project.run("plugins", "search", "acme", "--index", "index.yaml", "--json").json()
    assert entry == {
        "distribution": "acme-dns",
        "summary": "Faults of name resolution",
        "kinds": ["fault"],
        "adds": ["fault acme-dns"],
        "core": ">=0.1,<0.2",
        "home": "",
        "contract": None,
        "fits": True,
        "installed": None,
    }


def test_what_is_not_found_is_told_with_the_index(sregym_project: Project) -> None:
    project = sregym_project({"index.yaml": INDEX})
    told = project.run(
        "plugins", "search", "kafka", "dns", "--index", "index.yaml"
    ).assert_success()
    assert (told.out, told.err) == ("", "index.yaml has 3 plugins, none with 'kafka' and 'dns'\n")


def test_the_shipped_index_needs_nothing(sregym_project: Project) -> None:
    found = sregym_project().run("plugins", "search", "kafka", "--json").assert_success().json()
    assert [entry["distribution"] for entry in found] == ["sregym-server-kafka"]


def test_plugins_alone_lists_what_is_installed(sregym_project: Project) -> None:
    listed = sregym_project().run("plugins", "--json").assert_success().json()
    (own,) = [one for one in listed if one["distribution"] == "sregym-index"]
    assert own["components"] == ["command plugins-entry", "command plugins-search"]


def test_the_entry_of_an_extension(sregym_project: Project) -> None:
    told = sregym_project().run("plugins", "entry", "sregym-server-memcached").assert_success()
    assert yaml.safe_load(told.out) == [
        {
            "distribution": "sregym-server-memcached",
            "summary": "memcached in simulated clusters: the server, its protocol and its exporter",
            "kinds": ["protocol", "server kind"],
            "adds": ["protocol memcached", "server kind memcached"],
            "core": ">=0.1,<0.2",
        }
    ]


def test_an_entry_tells_what_came_of_the_contract(sregym_project: Project) -> None:
    """Of all of it, also of what the plugin's own settings leave out of its usual run."""
    marked = "import pytest\n\n\n@pytest.mark.slow\nclass TestPlugin"
    project = sregym_project(
        {
            "tests/pytest.ini": "[pytest]\naddopts = -m 'not slow'\nmarkers = slow\n",
            "tests/test_contract.py": HELD.format(name="sregym-index").replace(
                "class TestPlugin", marked
            ),
        }
    )
    words = ("plugins", "entry", "sregym_index", "--tests", "tests", "--json")
    entry = project.run(*words).assert_success().json()
    contract = entry.pop("contract")
    assert entry["distribution"] == "sregym-index"
    assert contract.pop("passed") > 4
    assert contract == {
        "outcome": "pass",
        "contracts": ["PluginContract"],
        "failed": 0,
        "version": version("sregym-index"),
        "core": version("sregym-core"),
        "date": datetime.now(UTC).date().isoformat(),
    }


def test_a_contract_that_does_not_hold_is_told(sregym_project: Project) -> None:
    broken = HELD.format(name="sregym-index") + (
        "\n\nclass TestMore(TestPlugin):\n    def test_loads(self):\n        assert 'this' == 'that'\n"
    )
    project = sregym_project({"tests/test_contract.py": broken})
    told = project.run("plugins", "entry", "sregym-index", "--tests", "tests")
    contract = yaml.safe_load(told.out)[0]["contract"]
    assert (told.exit_code, contract["outcome"], contract["failed"]) == (1, "fail", 1)
    assert "AssertionError: assert 'this' == 'that'" in told.err


@pytest.mark.parametrize(
    ("files", "words", "told"),
    [
        (
            {},
            ("acme-missing",),
            "no distribution named 'acme-missing' is installed; pip install it, then make its entry",
        ),
        (
            {},
            ("pluggy",),
            "pluggy adds nothing: it has no entry point in the groups sregym and sregym.simulation that offers anything",
        ),
        (
            {},
            ("sregym-index", "--tests", "nowhere"),
            "nowhere is not there; --tests names the folder of the plugin's tests",
        ),
        (
            {"tests/test_contract.py": HELD.format(name="sregym-core")},
            ("sregym-index", "--tests", "tests"),
            "no contract among the tests in tests names the distribution 'sregym-index': "
            "subclass PluginContract, or ExtensionContract for an extension of the simulation, and set `distribution`",
        ),
    ],
)
def test_what_makes_no_entry_is_told(
    files: dict[str, str], words: tuple[str, ...], told: str, sregym_project: Project
) -> None:
    done = sregym_project(files).run("plugins", "entry", *words)
    assert (done.exit_code, done.out, done.err) == (4, "", f"sregym: {told}\n")


def _distribution(folder: Path, metadata: str, entry_points: str = "") -> None:
    place = folder / "acme_odd-0.3.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: acme-odd\nVersion: 0.3.0\n{metadata}"
    )
    (place / "entry_points.txt").write_text(entry_points)


def test_metadata_gives_home_and_range(tmp_path: Path, sregym_project: Project) -> None:
    _distribution(
        tmp_path,
        "Summary: Odd\nRequires-Dist: sregym-core>=0.1,<0.2\nProject-URL: Source, https://example.org/s\n"
        "Project-URL: Homepage, https://example.org/h\n",
        "[sregym]\nacme-odd = acme_odd\n",
    )
    (tmp_path / "acme_odd.py").write_text(
        "from sregym_core import Registration, hookimpl\n\n\n@hookimpl\ndef sregym_register_agents():\n"
        "    return [Registration('odd', 'acme_odd:Odd')]\n"
    )
    seen = {"PYTHONPATH": str(tmp_path)}
    done = sregym_project().run("plugins", "entry", "acme-odd", "--json", env=seen)
    entry = done.assert_success().json()
    assert entry == {
        "distribution": "acme-odd",
        "summary": "Odd",
        "kinds": ["agent"],
        "adds": ["agent odd"],
        "core": ">=0.1,<0.2",
        "home": "https://example.org/h",
    }


@pytest.mark.parametrize(
    ("metadata", "module", "code", "told"),
    [
        (
            "Summary: Odd\n",
            "from sregym_core import hookimpl\n\n\n@hookimpl\ndef sregym_episode_event(event):\n    pass\n",
            4,
            "acme-odd does not say which versions of sregym-core it fits; add it to the dependencies, sregym-core>=0.1,<0.2 for one",
        ),
        (
            "Summary: Odd\nRequires-Dist: sregym-core>=0.1,<0.2\n",
            "raise RuntimeError('gone')\n",
            5,
            "plugin 'acme-odd' of acme-odd is broken: acme_odd cannot be imported: RuntimeError: gone (acme_odd.py:1); mend it, then make its entry",
        ),
    ],
)
def test_a_distribution_that_cannot_be_listed_is_told(
    metadata: str,
    module: str,
    code: int,
    told: str,
    tmp_path: Path,
    sregym_project: Project,
) -> None:
    _distribution(tmp_path, metadata, "[sregym]\nacme-odd = acme_odd\n")
    (tmp_path / "acme_odd.py").write_text(module)
    seen = {"PYTHONPATH": str(tmp_path)}
    done = sregym_project().run("plugins", "entry", "acme-odd", env=seen)
    assert (done.exit_code, done.out, done.err) == (code, "", f"sregym: {told}\n")
