"""Answers that were given before: the same question to the same model is asked once."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from sregym_oracle_judge.verdict_schema import ModelAnswers


class Memory:
    """A folder with a file for each question and its answers; what cannot be read is asked anew.

    Args:
        folder: Made when first written to; None remembers nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, *asked: str) -> ModelAnswers | None:
        """The answers to what was asked, word for word; None where it was not asked yet."""
        if self._folder is None:
            return None
        try:
            return ModelAnswers.model_validate_json(self._file(self._folder, asked).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(self, said: ModelAnswers, *asked: str) -> None:
        """Remember them. A folder that cannot be written to is no reason to fail."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Written beside its place and moved there: another process may read in this moment.
            handle, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(said.model_dump_json())
            Path(name).replace(self._file(self._folder, asked))

    def _file(self, folder: Path, asked: tuple[str, ...]) -> Path:
        return folder / f"{hashlib.sha256(json.dumps(asked).encode()).hexdigest()}.json"
