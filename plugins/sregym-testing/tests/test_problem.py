"""The problem contract accepts a good folder of problems and finds each kind of bad one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict
from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.errors import SregymError
from sregym_core.settings import Settings
from sregym_testing import LocalPlugins, ProblemContract, Shop

from sregym_core import Registration

GOOD = """\
id: cart-port
title: The cart cannot be reached
application: shop
layer: kubernetes
faults:
  - {fault: port-off, target: cart, parameters: {offset: 3}}
oracles: {diagnosis: [words], mitigation: [deeds]}
"""


class PortOff:
    """As much of a fault as this contract looks at."""

    name = "port-off"
    layer = "kubernetes"

    class Parameters(BaseModel):
        model_config = ConfigDict(extra="forbid")
        offset: int = 1

    def fits(self, component) -> bool:
        return component.name == "cart"


@pytest.fixture
def registry(register_plugin: LocalPlugins):
    from sregym_core.interfaces import Fault, Oracle

    fault = type("RealPortOff", (PortOff, Fault), {})
    fault.__abstractmethods__ = frozenset()

    def sregym_register_applications():
        return [Registration("shop", Shop)]

    def sregym_register_injectors():
        return [Registration("port-off", fault)]

    def sregym_register_oracles():
        names = ("words", "deeds")
        return [Registration(name, type(name, (Oracle,), {"name": name})) for name in names]

    return register_plugin(
        sregym_register_applications, sregym_register_injectors, sregym_register_oracles
    )


BAD: dict[str, dict[str, str]] = {
    "test_files_are_problems": {"readme.txt": "none here"},
    "test_files_are_named_like_their_problems": {"other.yaml": GOOD},
    "test_ids_are_unique": {"cart-port.yaml": GOOD, "cart-port.yml": GOOD},
    "test_components_are_installed": {"cart-port.yaml": GOOD.replace("[deeds]", "[wishes]")},
    "test_faults_fit_their_targets": {
        "cart-port.yaml": GOOD.replace("target: cart", "target: web")
    },
    "test_files_are_without_defects": {
        "cart-port.yaml": GOOD.replace("offset: 3", "ofset: 3").replace(
            "target: cart", "target: crt"
        )
    },
    "test_layers_agree": {"cart-port.yaml": GOOD.replace("layer: kubernetes", "layer: os")},
}
# Further ways to break the same promises.
WORSE: list[tuple[str, dict[str, str]]] = [
    ("test_files_are_problems", {"cart-port.yaml": "id: [unclosed"}),
    ("test_components_are_installed", {"cart-port.yaml": GOOD.replace("shop", "mall")}),
    ("test_components_are_installed", {"cart-port.yaml": GOOD.replace("port-off", "port-on")}),
    ("test_components_are_installed", {"cart-port.yaml": f"{GOOD}noise: [thunder]\n"}),
    ("test_faults_fit_their_targets", {"cart-port.yaml": GOOD.replace("offset: 3", "offset: x")}),
    (
        "test_faults_fit_their_targets",
        {"cart-port.yaml": GOOD.replace("target: cart", "target: x")},
    ),
]


def folder_of(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def play(check: str, folder: Path, registry, run_check) -> None:
    from sregym_testing.problems import _read

    problems = list(_read(folder).values())
    factory = ComponentFactory(Settings(), registry.plugins)
    run_check(
        ProblemContract,
        check,
        folder=folder,
        registry=registry,
        factory=factory,
        problems=problems,
    )


@pytest.mark.parametrize("check", BAD)
def test_good_problems_are_accepted(check, registry, run_check, tmp_path) -> None:
    play(check, folder_of(tmp_path, {"cart-port.yaml": GOOD}), registry, run_check)


@pytest.mark.parametrize(("check", "files"), [*BAD.items(), *WORSE])
def test_bad_problem_is_found(check, files, registry, run_check, tmp_path) -> None:
    with pytest.raises((AssertionError, SregymError, ValueError)):
        play(check, folder_of(tmp_path, files), registry, run_check)


def test_every_check_has_a_bad_problem(checks_of) -> None:
    assert set(BAD) == checks_of(ProblemContract)
