"""Classes of difficulty, from what `sregym difficulty --json` has printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from sregym_core.errors import UsageError
from sregym_core.model.validation import explain

if TYPE_CHECKING:
    from pathlib import Path


class _Measured(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    playbook: bool
    shortcuts: tuple[str, ...] = ()


def classes(file: Path) -> dict[str, str]:
    """By id of the problem: `guessed` by a shortcut, `by lookup` of fixed rules, else `by reasoning`.

    Raises:
        UsageError: The file cannot be read, or is none that `sregym difficulty --json` prints.
    """
    remedy = f"make it with: sregym difficulty --json > {file}"
    try:
        found = TypeAdapter(list[_Measured]).validate_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; {remedy}") from error
    except ValidationError as error:
        wrong = explain(error, list[_Measured], None)
        raise UsageError(f"{file}: {wrong}; {remedy}") from error
    return {
        one.id: "guessed" if one.shortcuts else "by lookup" if one.playbook else "by reasoning"
        for one in found
    }
