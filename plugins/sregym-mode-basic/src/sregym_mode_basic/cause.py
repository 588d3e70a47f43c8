"""The cause of an incident in the words of an engineer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import GroundTruth


def describe_cause(truth: GroundTruth) -> str:
    """Sentences that say where the defect is, what was expected and found, and who suffers."""
    part = "" if truth.component == truth.object_name else f", part of {truth.component},"
    change = truth.changed
    # Settings, files and sentences stand there: apart from each other, not as parts of one sentence.
    detail = f"{_upper(change.what)}. Expected: {change.before or 'none'}. Found: {change.after or 'none'}."
    others = ""
    if truth.contributing:
        others = f" It takes {_listed(truth.contributing)} as well to bring it about."
    victims = f" It also hurts {_listed(truth.affected)}." if truth.affected else ""
    return (
        f"It is {truth.kind} {truth.object_name} in namespace {truth.namespace}{part} with this "
        f"defect: {truth.mechanism.replace('-', ' ')}. {detail}{others}{victims} {truth.impact}"
    ).strip()


def _upper(text: str) -> str:
    """A field's path begins a sentence as it is written; words begin it in upper case."""
    path = any(mark in text.split(" ")[0] for mark in ".[")
    return text if path else text[:1].upper() + text[1:]


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
