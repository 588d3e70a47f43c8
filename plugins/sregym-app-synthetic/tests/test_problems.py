"""Problems of generated applications fit what is generated."""

from __future__ import annotations

from importlib.resources import files

from sregym_app_synthetic.application import Synthetic
from sregym_core.problems import parse_problem


def test_targets_can_be_told_how_often_to_try_again() -> None:
    found = {}
    for file in sorted(
        (files("sregym_app_synthetic") / "problems").iterdir(), key=lambda one: one.name
    ):
        problem = parse_problem(file.read_text(encoding="utf-8"), file.name)
        options = dict(part.split("=") for part in problem.application.partition(":")[2].split(","))
        application = Synthetic().with_options(options)
        (target,) = problem.faults[-1].components
        component = application.component(target)
        assert component is not None
        found[problem.id] = [setting.name for setting in component.settings]
    retried = ["RPC_ATTEMPTS", "RPC_TIMEOUT"]
    assert found == {"retry_storm_at_a_generated_gateway": retried}
