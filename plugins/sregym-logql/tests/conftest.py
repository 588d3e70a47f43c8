"""Questions about a handful of lines, and whole answers in a form that fits into a row of a table.

Lines are a second apart, the first at second 1 of the epoch. Each may name its stream:
`app=a env=x :: text`; without, it is of the stream `{app="a"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from sregym_logql import Engine, Entry
from sregym_logql.memory import Memory
from sregym_promql.formats import number_text
from sregym_promql.storage import Labels, labels_of

NS = 1_000_000_000

Ask: TypeAlias = Callable[[str, Sequence[str]], list[str]]


def stored(lines: Sequence[str]) -> Memory:
    entries: list[tuple[Labels, Entry]] = []
    for second, line in enumerate(lines, 1):
        head, found, text = line.partition(" :: ")
        if not found:
            head, text = "app=a", line
        labels = labels_of(dict(word.split("=", 1) for word in head.split()))
        entries.append((labels, Entry(second * NS, text)))
    return Memory(entries)


def shown(labels: Labels) -> str:
    return " ".join(f"{name}={value}" for name, value in labels if (name, value) != ("app", "a"))


@pytest.fixture(scope="session")
def ask_logs() -> Ask:
    """Lines in the order of their times: the labels but `app="a"`, and the text behind `::`."""

    def ask(query: str, lines: Sequence[str]) -> list[str]:
        answer = Engine(stored(lines)).logs(query, 0, 1000 * NS, 100, forward=True)
        found = [
            (entry.at_ns, f"{shown(stream.labels)} :: {entry.line}".removeprefix(" :: "))
            for stream in answer.streams
            for entry in stream.entries
        ]
        return [text for _, text in sorted(found)]

    return ask


@pytest.fixture(scope="session")
def ask_value() -> Ask:
    """Rows of a metric query at second 10: the labels but `app="a"`, and the number."""

    def ask(query: str, lines: Sequence[str]) -> list[str]:
        answer = Engine(stored(lines)).instant(query, 10 * NS)
        return [f"{shown(labels)} {number_text(value)}".strip() for labels, value in answer.rows]

    return ask


@pytest.fixture(scope="session")
def lines_of() -> Callable[[Sequence[str]], Memory]:
    """A storage of lines written as rows have them."""
    return stored
