"""Contract tests for every problem file before `sregym verify` proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sregym_core.conductor.component_factory import ComponentFactory
from sregym_core.model import Problem, kind_of
from sregym_core.plugins import Plugins
from sregym_core.problems import parse_problem
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_lint import lint_problem

from sregym_testing.targets import choose_target

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class ProblemContract:
    """Override `folder`. Faults, oracles and noise come from the installed plugins."""

    @pytest.fixture
    def folder(self) -> Traversable:
        """The folder of problem files under test."""
        raise NotImplementedError("override the fixture `folder`")

    @pytest.fixture(scope="class")
    @classmethod
    def registry(cls) -> Registry:
        """What the installed plugins offer."""
        return Registry(Plugins(Settings()))

    @pytest.fixture(scope="class")
    @classmethod
    def factory(cls, registry: Registry) -> ComponentFactory:
        """What makes them; each application once."""
        return ComponentFactory(Settings(), registry.plugins)

    @pytest.fixture
    def problems(self, folder: Traversable) -> list[Problem]:
        """The problems, in the order of their files."""
        return list(_read(folder).values())

    def test_files_are_problems(self, folder: Traversable) -> None:
        """Each YAML file is one; there is at least one."""
        assert _read(folder)

    def test_files_are_without_defects(
        self, folder: Traversable, factory: ComponentFactory
    ) -> None:
        """Names, parameters, targets and the layer: each defect is told with its line and field."""
        found = [
            str(defect)
            for file in _files(folder)
            for defect in lint_problem(file.read_text(encoding="utf-8"), file.name, factory)
        ]
        assert not found, "\n".join(found)

    def test_files_are_named_like_their_problems(self, folder: Traversable) -> None:
        """Who knows the id finds the file."""
        assert {name: problem.id for name, problem in _read(folder).items()} == {
            name: name.rpartition(".")[0] for name in _read(folder)
        }

    def test_ids_are_unique(self, problems: list[Problem]) -> None:
        """One problem an id."""
        ids = [problem.id for problem in problems]
        assert sorted(ids) == sorted(set(ids))

    def test_components_are_installed(self, problems: list[Problem], registry: Registry) -> None:
        """Application, faults, oracles and noise are offered by installed plugins."""
        for problem in problems:
            registry.application(problem.application)
            for ref in problem.faults:
                registry.load("fault", ref.fault)
            for name in (*problem.oracles.diagnosis, *problem.oracles.mitigation):
                registry.load("oracle", name)
            for name in problem.noise:
                registry.load("noise source", name)

    def test_faults_fit_their_targets(
        self, problems: list[Problem], factory: ComponentFactory
    ) -> None:
        """The target exists, and the fault fits it with the parameters of the file."""
        for problem in problems:
            application = factory.application(problem.application)
            for ref in problem.single_faults:
                for name in ref.components:
                    component = application.component(name)
                    assert component is not None, f"{problem.id}: no component {name!r}"
                fault = factory.fault(ref.fault)
                target = choose_target(application, ref.targets[0])
                what = f"{problem.id}: {ref.fault} does not fit {ref.target}"
                assert kind_of(target) in fault.takes, what
                assert fault.fits(target), what
                fault.Parameters.model_validate(ref.parameters)

    def test_layers_agree(self, problems: list[Problem], registry: Registry) -> None:
        """The layer of a problem is that of one of its faults."""
        for problem in problems:
            layers = {registry.load("fault", ref.fault).layer for ref in problem.faults}
            assert problem.layer in layers, f"{problem.id}: {problem.layer} is none of {layers}"


def _read(folder: Traversable) -> dict[str, Problem]:
    return {
        file.name: parse_problem(file.read_text(encoding="utf-8"), file.name)
        for file in _files(folder)
    }


def _files(folder: Traversable) -> list[Traversable]:
    every = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return [file for file in every if file.name.endswith((".yaml", ".yml"))]
