from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core.problems import parse_problem

if TYPE_CHECKING:
    from sregym_app_astronomy_shop.application import AstronomyShop

FOLDER = files("sregym_app_astronomy_shop") / "problems"


def test_problems_and_what_they_break(shop: AstronomyShop) -> None:
    problems = {
        file.name: parse_problem(file.read_text(encoding="utf-8"), file.name)
        for file in sorted(FOLDER.iterdir(), key=lambda file: file.name)
    }
    broken = {
        problem.id: [(fault.fault, fault.target) for fault in problem.faults]
        for problem in problems.values()
    }

    assert list(problems) == [f"{problem.id}.yaml" for problem in problems.values()]
    assert {problem.suites for problem in problems.values()} == {("astronomy-shop",)}
    assert broken == {
        "incorrect_image": [("image-wrong", "product-catalog")],
        "init_container_dependency_hang_astronomy_shop": [("init-hang", "frontend")],
        "liveness_probe_misconfiguration_astronomy_shop": [("liveness-probe-wrong", "frontend")],
        "missing_service_astronomy_shop": [("service-missing", "ad")],
        "readiness_probe_misconfiguration_astronomy_shop": [("readiness-probe-wrong", "frontend")],
        "wrong_service_selector_astronomy_shop": [("service-selector", "frontend")],
    }
    for targets in broken.values():
        assert all(shop.component(target) is not None for _, target in targets)
