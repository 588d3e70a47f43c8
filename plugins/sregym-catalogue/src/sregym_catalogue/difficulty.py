"""Measured difficulty, as `sregym difficulty --json` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from sregym_core.errors import UsageError
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from pathlib import Path


class Difficulty(BaseModel):
    """How hard a problem is.

    Attributes:
        id: Of the problem.
        expert_steps: Commands of an agent that knows the answer.
        playbook: Whether an analyser with fixed rules finds the root cause.
        shortcuts: Names of guesses without any knowledge that name the component.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    expert_steps: int
    playbook: bool
    shortcuts: tuple[str, ...] = ()


def measured(file: Path) -> dict[str, Difficulty]:
    """Figures by id of the problem.

    Raises:
        UsageError: The file cannot be read, or is none that `sregym difficulty --json` prints.
    """
    try:
        found = TypeAdapter(list[Difficulty]).validate_json(file.read_bytes())
    except OSError as error:
        text = f"{file}: {error.strerror}; make it with: sregym difficulty --json > {file}"
        raise UsageError(text) from error
    except ValidationError as error:
        wrong = explain(error, list[Difficulty], None)
        remedy = f"make it again with: sregym difficulty --json > {file}"
        raise UsageError(f"{file}: {wrong}; {remedy}") from error
    return {one.id: one for one in found}
