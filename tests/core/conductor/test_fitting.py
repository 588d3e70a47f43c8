"""Why a fault does not fit, and what it fits instead."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.fitting import mismatch_reason_of
from sregym_core.model import Component, ComponentChoice, ComponentTarget
from sregym_testing import FullShop


class _Many(FullShop):
    """A shop with many components that are alike."""

    def components(self) -> Any:
        [first, *_] = super().components()
        return [first.model_copy(update={"name": f"part-{n}"}) for n in range(15)]


class _Chosen:
    """Fits components with these names."""

    takes = ("component",)
    parts = ()

    def __init__(self, *names: str) -> None:
        self.names = names

    def fits(self, target: Component) -> bool:
        return target.name in self.names

    def mismatch_reason(self, target: Component) -> str:
        return f"{target.name} is no good"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], "it fits nothing of shop (see: sregym faults pairs)"),
        (["part-3"], "it fits part-3"),
        (
            [f"part-{n}" for n in range(1, 15)],
            "it fits part-1, part-2, part-3, part-4, part-5, part-6, part-7, part-8, part-9, "
            "part-10, part-11, part-12 and 2 more (see: sregym faults pairs)",
        ),
    ],
)
def test_what_fits_is_named(names: list[str], told: str) -> None:
    fault: Any = _Chosen(*names)
    shop = _Many()
    part = shop.components()[0]
    asked = ComponentTarget(component=ComponentChoice(name="part-0"))
    assert mismatch_reason_of(fault, asked, part, shop) == (
        f"does not fit component 'part-0': part-0 is no good; {told}"
    )
