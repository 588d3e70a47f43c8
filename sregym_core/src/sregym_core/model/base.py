"""The base of all written-down values: frozen, and strict about unknown fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable value; an unknown field is an error, since it is nearly always a typing slip."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
