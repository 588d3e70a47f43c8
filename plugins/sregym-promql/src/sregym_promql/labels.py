"""Label sets, and names of metrics that are still seen though the answer does not have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

# Pairs of name and value, sorted by name, `__name__` among them; no empty values.
Labels: TypeAlias = tuple[tuple[str, str], ...]

NAME = "__name__"


def labels_of(given: Mapping[str, str] | Iterable[tuple[str, str]]) -> Labels:
    """A label set; labels with empty values are as good as none."""
    pairs = given.items() if isinstance(given, Mapping) else given
    return tuple(sorted((name, value) for name, value in pairs if value))


def value_of(labels: Labels, name: str) -> str:
    """The value of a label, empty when it is not there."""
    for known, value in labels:
        if known == name:
            return value
    return ""


def without_name(labels: Labels) -> Labels:
    """The label set without the metric name."""
    if labels and labels[0][0] == NAME:
        # Where it most often stands, by the order of names.
        return labels[1:]
    return tuple(pair for pair in labels if pair[0] != NAME)


class Doomed(str):
    """The value of a label that is still seen, and that the answer does not have."""

    __slots__ = ()


# What goes with the name of a metric: its type and its unit.
_OF_NAMES = (NAME, "__type__", "__unit__")


def with_doomed_name(labels: Labels) -> Labels:
    """The label set whose metric name is to be removed at the end."""
    if not any(name in _OF_NAMES for name, _ in labels):
        return labels
    return tuple((name, Doomed(value) if name in _OF_NAMES else value) for name, value in labels)


def with_kept_name(labels: Labels) -> Labels:
    """The label set whose metric name stays, whatever was to become of it."""
    if not any(isinstance(value, Doomed) for _, value in labels):
        return labels
    return tuple((name, str(value)) for name, value in labels)


def without_doomed(labels: Labels) -> Labels:
    """The label set as an answer has it."""
    if not any(isinstance(value, Doomed) for _, value in labels):
        return labels
    return tuple(pair for pair in labels if not isinstance(pair[1], Doomed))


def format_labels(labels: Labels) -> str:
    """The form of messages: `{__name__="up", a="b"}`."""
    return "{" + ", ".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
