"""Two recordings of one scenario are the same when masked, and no more than that is masked away."""

from __future__ import annotations

import copy
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

RECORDINGS = Path(__file__).resolve().parent / "recordings"
REPEATS = sorted((RECORDINGS / "repeats").glob("*/*.yaml"))
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    return loaded


@pytest.fixture(scope="module")
def normalise() -> Any:
    spec = importlib.util.spec_from_file_location("normalise", RECORDINGS / "normalise.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", REPEATS, ids=lambda path: path.stem)
def test_a_repeat_is_the_same_and_a_changed_word_is_not(path: Path, normalise: Any) -> None:
    first = load(RECORDINGS / "scenarios" / path.parent.name / path.name)
    again = load(path)
    assert normalise.compared(copy.deepcopy(first), copy.deepcopy(again)) == []
    step, stream = next(
        (step, stream)
        for step in again["steps"]
        for stream in ("stdout", "stderr")
        if step.get(stream) and not step.get("varies")
    )
    step[stream] = re.sub(r"[A-Za-z]{2,}", "Changed", step[stream], count=1)
    assert normalise.compared(first, again) != []


def test_there_are_recordings_to_repeat() -> None:
    assert len(REPEATS) == 24
