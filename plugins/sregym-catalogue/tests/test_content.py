"""What the pages say."""

from __future__ import annotations

from sregym_catalogue.content import Cell, Row, heat
from sregym_core.api import Problem
from sregym_core.model import Problem as Model
from sregym_runs import Pair


def _pair(fault: str, application: str, name: str) -> Pair:
    ref = {"fault": fault, "target": name}
    problem = Model.model_validate(
        {"id": name, "title": "", "application": application, "layer": "", "faults": [ref]}
    )
    return Pair(fault, application, problem.faults[0].targets[0])


def test_pairs_and_problems_are_counted_by_fault_and_application() -> None:
    fitting = [_pair("image-wrong", "shop", name) for name in ("web", "store", "cart")]
    fitting.append(_pair("dns-down", "bank", "web"))
    curated = Problem.model_validate(
        {
            "id": "two",
            "title": "",
            "application": "shop:size=3",
            "layer": "kubernetes",
            "faults": [{"fault": "image-wrong", "target": ["web", "cart"]}],
        }
    )
    layers = {"image-wrong": "kubernetes", "dns-down": "network", "unused": "kubernetes"}
    assert heat(fitting, [curated], ["bank", "shop"], layers) == (
        Row("image-wrong", "kubernetes", (Cell(0, 0, 0), Cell(3, 1, 2))),
        Row("unused", "kubernetes", (Cell(0, 0, 0), Cell(0, 0, 0))),
        Row("dns-down", "network", (Cell(1, 0, 1), Cell(0, 0, 0))),
    )


def test_the_darkest_shade_is_never_passed() -> None:
    fitting = [_pair("image-wrong", "shop", f"web{n}") for n in range(600)]
    (row,) = heat(fitting, [], ["shop"], {"image-wrong": "kubernetes"})
    assert row.cells == (Cell(600, 0, 9),)
    assert row.pairs == 600
