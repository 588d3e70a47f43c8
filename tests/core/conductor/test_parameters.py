"""Wrong parameters of a fault are refused with whose they are and what there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator
from sregym_core.errors import UsageError

from .conftest import WrongCurrency

if TYPE_CHECKING:
    from .conftest import Theatre


class _Currency(BaseModel):
    model_config = ConfigDict(extra="forbid")

    currency: str = "XXX"
    digits: int = Field(default=2, ge=0)

    @field_validator("currency")
    @classmethod
    def _is_short(cls, value: str) -> str:
        if len(value) != 3:
            msg = "a currency has three letters"
            raise ValueError(msg)
        return value


class _Chosen(WrongCurrency):
    Parameters: ClassVar[type[BaseModel]] = _Currency


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("curency", "EUR", "unknown; did you mean 'currency'?"),
        ("digits", -1, "must be at least 0, not -1"),
        ("currency", "EURO", "a currency has three letters"),
    ],
)
def test_the_parameter_is_named(theatre: Theatre, name: str, value: Any, told: str) -> None:
    theatre.components["injectors"] = [_Chosen]
    factory = theatre.factory()
    with pytest.raises(UsageError) as caught:
        factory.parameters(factory.fault("wrong-currency"), {name: value}, "problem 'cart'")
    assert str(caught.value) == (
        f"problem 'cart', fault 'wrong-currency' (local 0): parameter {name!r}: {told}"
    )
