"""Each project folder is a complete distribution of its own, and looks like the others."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import yaml
from sregym_core.api import Workspace
from sregym_testing import blocks_of
from workspace import ROOT, Project, projects, together

import sregym_core

PROJECTS = projects()
PLUGINS = [project for project in PROJECTS if project.is_plugin]
LIBRARIES = [project for project in PROJECTS if project.is_library]
EXTENSIONS = [
    project
    for project in PLUGINS
    if project.name.startswith(("sregym-server-", "sregym-operator-"))
]
KINDS = (
    *("agent", "app", "cluster", "injector", "mode", "noise", "observer", "operator", "oracle"),
    *("reporter", "reward", "routine", "runner", "server", "tools"),
)
# Named by what they add to the command line.
COMMANDS = tuple(
    f"sregym-{name}"
    for name in (
        "audit",
        "dev",
        "doctor",
        "catalogue",
        "campaign",
        "dataset",
        "index",
        "judge",
        "leaderboard",
        "quickstart",
        "replay",
        "runs",
        "sample",
        "up",
    )
)
# Named by the library of trainers and harnesses that they put SREGym into; they offer the core nothing.
ADAPTERS = [
    project
    for project in PLUGINS
    if project.name.removeprefix("sregym-")
    in ("gymnasium", "harbor", "inspect", "openenv", "pytest", "trl", "verifiers")
]
# The contract kit and what lints files, upon which toolkits and plugins build their own; they offer the core nothing.
KITS = [
    project
    for project in PLUGINS
    if project.name in ("sregym-testing", "sregym-lint", "sregym-rollouts")
]
OFFERING = [project for project in PLUGINS if project not in (*ADAPTERS, *KITS)]
ALONE = [project for project in PROJECTS if project.stands_alone]


def name_of(project: Project) -> str:
    return project.name


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_has_the_files_of_a_project(project: Project) -> None:
    needed = ["pyproject.toml", "README.md", f"src/{project.module}/py.typed"]
    if project in OFFERING:
        needed.append(f"src/{project.module}/plugin.py")
    assert [name for name in needed if not (project.folder / name).exists()] == []


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_has_tests(project: Project) -> None:
    # The core's tests stand in tests/core: they use the kit, which stands upon it.
    folder = ROOT / "tests" / "core" if project.name == "sregym-core" else project.folder / "tests"
    assert list(folder.rglob("test_*.py"))


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_source_is_one_package_in_src(project: Project) -> None:
    found = [path.name for path in (project.folder / "src").iterdir() if path.is_dir()]
    assert [name for name in found if not name.endswith(".egg-info")] == [project.module]


@pytest.mark.parametrize("project", together(), ids=name_of)
def test_is_imported_from_src(project: Project) -> None:
    """A folder at the root must not shadow the package that it holds."""
    module = importlib.import_module(project.module)
    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == (project.source / "__init__.py").resolve()


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_versions_are_in_lockstep(project: Project) -> None:
    assert project.settings["project"]["version"] == sregym_core.__version__


def test_version_of_the_root() -> None:
    assert Project(ROOT).settings["project"]["version"] == sregym_core.__version__


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_says_whose_it_is_and_by_which_licence(project: Project) -> None:
    """As the root does; and each wheel carries the licence."""
    fields = ("readme", "requires-python", "license", "license-files", "authors")
    mine, roots = project.settings["project"], _root()["project"]
    assert {name: mine[name] for name in fields} == {name: roots[name] for name in fields}
    assert mine["classifiers"] == [*roots["classifiers"], "Typing :: Typed"]
    assert (project.folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_siblings_are_required_by_range(project: Project) -> None:
    """One minor version, never exactly one release; and siblings come from their folders here."""
    settings = project.settings
    siblings = [line for line in settings["project"]["dependencies"] if line.startswith("sregym")]
    major, minor = map(int, sregym_core.__version__.split(".")[:2])
    ending = f">={major}.{minor},<{major}.{minor + 1}"
    assert [
        line for line in siblings if not re.fullmatch(rf"[a-z-]+(\[[a-z]+\])?{ending}", line)
    ] == []
    named = {re.match(r"[a-z-]+", line).group() for line in [*siblings, *project.test_group]}
    sources = settings.get("tool", {}).get("uv", {}).get("sources", {})
    needed = {name for name in named if name.startswith("sregym") and name != project.name}
    assert needed <= set(sources)


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_every_requirement_has_a_floor(project: Project) -> None:
    lines = [*project.settings["project"]["dependencies"], *project.test_group]
    assert [line for line in lines if ">" not in line and not line.startswith("sregym")] == []


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_tools_are_set_up_in_one_place(project: Project) -> None:
    assert set(project.settings.get("tool", {})) <= {"hatch", "sregym", "uv"}


@pytest.mark.parametrize("project", PLUGINS, ids=name_of)
def test_plugin_is_named_by_kind(project: Project) -> None:
    assert project.name == project.folder.name
    kind = project.name.removeprefix("sregym-").partition("-")[0]
    assert kind in KINDS or project.name in COMMANDS or project in (*ADAPTERS, *KITS)


@pytest.mark.parametrize("project", OFFERING, ids=name_of)
def test_plugin_has_one_entry_point(project: Project) -> None:
    name = project.name.removeprefix("sregym-")
    expected = {"sregym": {name: f"{project.module}.plugin"}}
    if project in EXTENSIONS:
        expected = {"sregym.simulation": {name: f"{project.module}.plugin:EXTENSION"}}
    assert project.settings["project"]["entry-points"] == expected


@pytest.mark.parametrize("project", OFFERING, ids=name_of)
def test_plugin_runs_its_contract(project: Project) -> None:
    texts = [path.read_text(encoding="utf-8") for path in project.folder.glob("tests/**/test_*.py")]
    contract = "(ExtensionContract)" if project in EXTENSIONS else "(PluginContract)"
    assert any(contract in text and f'"{project.name}"' in text for text in texts)


@pytest.mark.parametrize("project", ADAPTERS, ids=name_of)
def test_example_of_an_adapter_is_run(project: Project) -> None:
    """Where its library is: in the tests of its folder."""
    assert (project.folder / "tests" / "test_readme.py").exists()
    assert any(block.verb == "run" for block in blocks_of(project.folder / "README.md"))


@pytest.mark.parametrize("project", LIBRARIES, ids=name_of)
def test_library_needs_of_siblings_libraries_alone(project: Project) -> None:
    assert project.folder == ROOT / "plugins" / project.name
    named = [
        re.match(r"[a-z0-9-]+", line).group()
        for line in project.settings["project"]["dependencies"]
    ]
    siblings = {name for name in named if name.startswith("sregym")}
    assert siblings <= {library.name for library in LIBRARIES}
    assert "entry-points" not in project.settings["project"]


@pytest.mark.parametrize("project", ALONE, ids=name_of)
def test_who_stands_alone_has_pins_of_its_own(project: Project) -> None:
    lines = (project.folder / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"#.*|[a-z0-9._-]+==\S+", line)] == []


def test_who_stands_alone_is_left_out_of_what_all_share() -> None:
    tools = _root()["tool"]
    names = [project.name for project in ALONE]
    [typed] = tools["mypy"]["exclude"]
    assert [p.name for p in PROJECTS if re.match(typed, f"{p.relative}/src/x.py")] == names
    assert [n for n in tools["pytest"]["ini_options"]["norecursedirs"] if "sregym" in n] == names
    assert tools["uv"]["workspace"]["exclude"] == [project.relative for project in ALONE]


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_readme_names_it_and_its_owner(project: Project) -> None:
    text = (project.folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {project.name}\n")
    assert re.search(r"(?m)^Owner: \S", text)


def test_installing_the_root_brings_only_projects_of_this_repository() -> None:
    names = {re.match(r"[a-z-]+", line).group() for line in _root()["project"]["dependencies"]}
    assert names <= {project.name for project in PROJECTS}


def test_imports_are_checked_for_every_package() -> None:
    linter = _root()["tool"]["importlinter"]
    modules = [project.module for project in PROJECTS]
    contracts = {contract["name"]: contract for contract in linter["contracts"]}
    extensions = sorted(project.module for project in EXTENSIONS)
    # Below the kit and the other toolkits, which enforce the same policy and read with it.
    shared = ["sregym_lint", "sregym_mode_basic", "sregym_rollouts", "sregym_runs"]
    lowest = ["sregym_kubernetes"]
    low = {*lowest, *shared}
    kits = [project.module for project in KITS if project.module not in low]
    plugins = sorted({p.module for p in PLUGINS if p not in (*EXTENSIONS, *KITS)} - low)
    libraries = sorted(project.module for project in LIBRARIES)
    toolkits = sorted(
        set(modules) - {"sregym_core", *plugins, *extensions, *kits, *libraries, *low}
    )
    assert sorted(linter["root_packages"]) == sorted(modules)
    assert sorted(contracts["Plugins are unaware of each other"]["modules"]) == plugins
    assert sorted(contracts["Toolkits are unaware of each other"]["modules"]) == toolkits
    rows = [row.split(" | ") for row in contracts["Core knows no one above it"]["layers"]]
    core_row = rows.index(["sregym_core"])
    # Extensions may stand upon each other: an operator upon the servers that it runs.
    assert sorted(name for row in rows[: core_row - 5] for name in row) == extensions
    assert [sorted(row) for row in rows[core_row - 5 : core_row]] == [
        plugins,
        toolkits,
        kits,
        shared,
        lowest,
    ]
    assert sorted(name for row in rows[core_row + 1 :] for name in row) == libraries
    assert sorted(contracts["The core needs no library"]["forbidden_modules"]) == libraries
    promised = contracts["Extensions of the simulation know of it what is promised to them"]
    assert sorted(promised["source_modules"]) == extensions
    embedded = next(project for project in PLUGINS if project.name == "sregym-cluster-embedded")
    parts = {name for name in embedded.modules() if name.count(".") == 1}
    assert sorted(promised["forbidden_modules"]) == sorted(
        (parts - {f"{embedded.module}.sdk"})
        | (set(modules) - {"sregym_core", "sregym_apps", embedded.module, *extensions, *libraries})
    )
    agents = contracts["Agent adapters cannot see faults or verdicts"]
    assert sorted(agents["source_modules"]) == [m for m in sorted(modules) if "_agent" in m]
    adapters = contracts[
        "Adapters of trainers and harnesses know of the core its interface for programs alone"
    ]
    assert adapters["source_modules"] == [project.module for project in ADAPTERS]
    core = next(project for project in PROJECTS if project.name == "sregym-core")
    assert sorted(adapters["forbidden_modules"]) == sorted(
        {name for name in core.modules() if name.count(".") == 1}
        - {"sregym_core.api", "sregym_core.errors"}
        | {"sregym_core.__main__"}
    )
    seen = [m for m in sorted(modules) if "_injector" in m or "_oracle" in m or m == "sregym_nodes"]
    assert sorted(agents["forbidden_modules"]) == seen


def _root() -> dict:
    return Project(ROOT).settings


@pytest.mark.parametrize(
    "project", [p for p in PLUGINS if list(p.folder.glob("src/*/problems/*.yaml"))], ids=name_of
)
def test_tests_of_problems_declare_the_faults_that_these_name(project: Project) -> None:
    registry = Workspace().factory.registry
    texts = [path.read_text("utf-8") for path in project.folder.glob("src/*/problems/*.yaml")]
    named = {ref["fault"] for text in texts for ref in yaml.safe_load(text)["faults"]}
    owners = {registry.owner("fault", name).distribution for name in named}
    group = project.settings["dependency-groups"]["test"]
    declared = {re.match(r"[a-z-]+", line).group() for line in group if isinstance(line, str)}
    assert owners - declared == set()
