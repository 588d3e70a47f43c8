"""The base of all written-down values: frozen, and strict about unknown fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler


class Value(BaseModel):
    """An immutable value; an unknown field is an error, since it is nearly always a typing slip."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Shorthand:
    """Declares in a JSON Schema what may stand for a value besides: what a validator turns into one.

    Stands last in `Annotated[..., BeforeValidator(...), Shorthand("string")]`.

    Args:
        types: Types of JSON Schema: `string`, `number`, `boolean`.
    """

    def __init__(self, *types: str) -> None:
        self._types = types

    def __get_pydantic_json_schema__(
        self, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Either the value itself, or one of the types."""
        return {"anyOf": [*({"type": name} for name in self._types), handler(core_schema)]}
