"""Reads files in YAML and TOML with any content, as programs of the cluster do.

Anybody who may write a ConfigMap writes them: what no parser goes along with is an error of the
program that reads it, and never one of the simulation.
"""

from __future__ import annotations

import tomllib
from typing import Any

import yaml

from sregym_cluster_embedded.api import aliases

_TOO_DEEP = "exceeded max depth"


class DocumentError(ValueError):
    """A file that cannot be read; the text is why.

    Attributes:
        line: Number of the line, counted from 1; 0 where none is to blame.
        column: Likewise in the line.
    """

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.line, self.column = line, column


def read_yaml(text: str) -> Any:
    """The content of a file in YAML.

    Raises:
        DocumentError: It is none, is nested too deeply, or its aliases stand for too much.
    """
    try:
        return aliases.checked(yaml.safe_load(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = (0, 0) if mark is None else (mark.line + 1, mark.column + 1)
        raise DocumentError(str(error.problem), *place) from None
    except (yaml.YAMLError, ValueError) as error:
        # Characters that may not be there, moments and numbers that there cannot be.
        raise DocumentError(str(error).partition("\n")[0]) from None
    except RecursionError:
        raise DocumentError(_TOO_DEEP) from None


def read_toml(text: str) -> dict[str, Any]:
    """The content of a file in TOML.

    Raises:
        DocumentError: It is none, or is nested too deeply.
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise DocumentError(str(error)) from None
    except RecursionError:
        raise DocumentError(_TOO_DEEP) from None
