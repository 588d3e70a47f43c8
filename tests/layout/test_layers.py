"""Layers within a package: each part has its place, and the page on architecture shows them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from workspace import ROOT, Project, projects

CORE = "Parts of the core know only those below"
EMBEDDED = "Layers of the embedded cluster know only those below"
PROMISES = "Plugins use of the core what it promises"
PROMQL = "Users of PromQL use of it what it promises"
KIT = "The contract kit uses of the core's inside what it plays with components"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def contract(name: str) -> dict[str, Any]:
    linter = Project(ROOT).settings["tool"]["importlinter"]
    (found,) = [one for one in linter["contracts"] if one["name"] == name]
    return found


def parts(module: str) -> set[str]:
    (project,) = [one for one in projects() if one.module == module]
    found = {name.partition(".")[2] for name in project.modules() if name.count(".") == 1}
    return found | {path.stem for path in project.source.glob("__main__.py")}


@pytest.mark.parametrize(
    ("name", "module"), [(CORE, "sregym_core"), (EMBEDDED, "sregym_cluster_embedded")]
)
def test_layers_have_no_gaps(name: str, module: str) -> None:
    """Every part is in one layer, no two of a layer know each other, and nothing is excepted."""
    layers = contract(name)["layers"]
    placed = [part for row in layers for part in row.split(" | ")]
    assert sorted(placed) == sorted(parts(module))
    assert {*contract(name)} == {"name", "type", "containers", "exhaustive", "layers"}
    assert contract(name)["exhaustive"] is True


@pytest.mark.parametrize("name", [CORE, EMBEDDED])
def test_the_page_on_architecture_shows_the_layers(name: str) -> None:
    assert "```text\n" + "\n".join(contract(name)["layers"]) + "\n```" in PAGE


def test_plugins_may_import_of_the_core_what_the_page_promises() -> None:
    (sentence,) = re.findall(r"(?m)^Promises are carried by (.*?);", PAGE)
    promised = set(re.findall(r"`(?:sregym_core)?\.(\w+)`", sentence))
    assert {*contract(PROMISES)["forbidden_modules"]} == {
        f"sregym_core.{part}" for part in parts("sregym_core") - promised
    }
    plugins = {project.module for project in projects() if project.is_plugin}
    assert sorted(contract(PROMISES)["source_modules"]) == sorted(
        plugins - {"sregym_testing", "sregym_lint", "sregym_runs"}
    )


def test_the_contract_kit_is_kept_from_the_rest_of_the_core() -> None:
    granted = [
        "conductor",
        "hookspecs",
        "modes",
        "plugins",
        "problems",
        "proof",
        "registry",
        "settings",
    ]
    assert {*contract(KIT)["forbidden_modules"]} == {*contract(PROMISES)["forbidden_modules"]} - {
        f"sregym_core.{part}" for part in granted
    }


def test_users_of_promql_may_import_what_its_page_promises() -> None:
    (folder,) = [one.folder for one in projects() if one.module == "sregym_promql"]
    page = (folder / "README.md").read_text(encoding="utf-8")
    promised = set(re.findall(r"(?m)^\| `sregym_promql\.(\w+)` \|", page)) | {"__main__"}
    assert {*contract(PROMQL)["forbidden_modules"]} == {
        f"sregym_promql.{part}" for part in parts("sregym_promql") - promised
    }
    assert contract(PROMQL)["source_modules"] == ["sregym_cluster_embedded", "sregym_logql"]
