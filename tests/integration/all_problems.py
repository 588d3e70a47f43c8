"""All problems proved through the second world: minutes, so asked for by name.

`tox -e second-world`, or `python -m pytest tests/integration/all_problems.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sregym_core.conductor import ComponentFactory
from sregym_testing import SregymProject

PACE = 200.0


def test_all_problems_are_proved(
    factory: ComponentFactory,
    serve: Callable[..., Any],
    tmp_path: Path,
    module_project: SregymProject,
) -> None:
    with serve(factory, tmp_path, PACE) as world:
        words = ("verify", "--cluster", world.choice, "--json")
        content = module_project.run(*words, timeout_s=1800).json()
    failed = {
        problem["id"]: [check for check in problem["checks"] if not check["ok"]]
        for problem in content["problems"]
        if not problem["proved"]
    }
    assert failed == {}
    assert content["proved"] == len(factory.problems.all())
