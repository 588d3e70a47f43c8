"""What stands in a folder of recordings, and the rules that make two texts comparable."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class FolderError(Exception):
    """The folder cannot be replayed; the message says why and what to do."""


@dataclass(frozen=True)
class Comparable:
    """One command and its answer, masked."""

    command: str
    exit_code: int
    text: str
    varies: bool


class Rules(Protocol):
    """How a recording becomes a list of comparable answers, one for each step with a command."""

    def __call__(self, recording: dict[str, Any]) -> list[Comparable]: ...


@dataclass(frozen=True)
class Folder:
    """A folder of recordings.

    Attributes:
        path: Where.
        scenarios: Files of recorded commands, `scenarios/AREA/ID.yaml`.
        sequences: Files of recorded watches, `sequences/ID.yaml`.
        documents: Files of recorded answers to GET, by area (`tables`, `discovery`).
        normaliser: The module that masks what differs from run to run, or None.
    """

    path: Path
    scenarios: tuple[Path, ...]
    sequences: tuple[Path, ...]
    documents: dict[str, tuple[Path, ...]]
    normaliser: Path | None

    @property
    def rules(self) -> Rules:
        """The folder's own rules; without them, texts are compared as they are."""
        return as_they_are if self.normaliser is None else from_module(self.normaliser)


def find(path: Path) -> Folder:
    """What can be replayed of `path`.

    Raises:
        FolderError: There is no such folder, or it holds no recordings.
    """
    if not path.is_dir():
        raise FolderError(
            f"no recordings: the folder {path} does not exist. Name one that holds "
            "scenarios/AREA/ID.yaml: tox -e conformance -- FOLDER"
        )
    normaliser = path / "normalise.py"
    folder = Folder(
        path=path,
        scenarios=tuple(sorted(path.glob("scenarios/*/*.yaml"))),
        sequences=tuple(sorted(path.glob("sequences/*.yaml"))),
        documents={
            area: found
            for area in ("tables", "discovery")
            if (found := tuple(sorted((path / area).rglob("*.json"))))
        },
        normaliser=normaliser if normaliser.is_file() else None,
    )
    if not (folder.scenarios or folder.sequences or folder.documents):
        raise FolderError(
            f"no recordings in {path}: it holds neither scenarios/AREA/ID.yaml, "
            "sequences/ID.yaml, tables/NAME.json nor discovery/NAME.json"
        )
    return folder


def load(path: Path) -> dict[str, Any]:
    """A recording as it was written."""
    recording: dict[str, Any] = yaml.load(path.read_text(), Loader=LOADER)
    return recording


def as_they_are(recording: dict[str, Any]) -> list[Comparable]:
    """The answers without any masking."""
    return [
        Comparable(
            step["run"],
            step["rc"],
            joined(step["stdout"], step["stderr"]),
            bool(step.get("varies")),
        )
        for step in recording["steps"]
        if "run" in step
    ]


def joined(stdout: str, stderr: str) -> str:
    """Both streams as one text."""
    return stdout + (f"--- stderr\n{stderr}" if stderr else "")


def from_module(path: Path) -> Rules:
    """The function `steps` of the module at `path`, which stands beside the recordings."""
    spec = importlib.util.spec_from_file_location("recordings_normaliser", path)
    if spec is None or spec.loader is None:
        raise FolderError(f"{path} cannot be imported as a module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def rules(recording: dict[str, Any]) -> list[Comparable]:
        return [Comparable(*step) for step in module.steps(recording)]

    return rules
