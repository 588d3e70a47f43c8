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


@pytest.mark.parametrize(
    ("one", "again"),
    [
        ("Warning: a b; c d\n", "Warning: c d; a b\n"),
        ("pod/lone evicted\npod/web evicted\n", "pod/web evicted\npod/lone evicted\n"),
        ("evicting pod a/lone\nevicting pod a/web\n", "evicting pod a/web\nevicting pod a/lone\n"),
        (
            " Container  cpu  -  -  50m  100m  -\n Container  memory  -  1Gi  64Mi  64Mi  -\n",
            " Container  memory  -  1Gi  64Mi  64Mi  -\n Container  cpu  -  -  50m  100m  -\n",
        ),
        (
            "[pod/app/app] 1\n[pod/app/app] 2\n[pod/app/wait] 1\n",
            "[pod/app/wait] 1\n[pod/app/app] 1\n[pod/app/app] 2\n",
        ),
        (
            "Container  cpu  10m  500m  100m  200m  4\nContainer  memory  -  256Mi  64Mi  128Mi  -\n",
            "Container  memory  -  256Mi  64Mi  128Mi  -\nContainer  cpu  10m  500m  100m  200m  4\n",
        ),
    ],
)
def test_lines_that_come_in_no_order(one: str, again: str, normalise: Any) -> None:
    assert normalise.mask(one) == normalise.mask(again) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Warning: a\n", "a\n"),
        ("[pod/app/app] 1\n[pod/app/app] 2\n", "[pod/app/app] 2\n[pod/app/app] 1\n"),
        ("pod/lone evicted\nnode/one drained\n", "node/one drained\npod/lone evicted\n"),
    ],
)
def test_lines_that_come_in_order(one: str, other: str, normalise: Any) -> None:
    assert normalise.mask(one) != normalise.mask(other)
