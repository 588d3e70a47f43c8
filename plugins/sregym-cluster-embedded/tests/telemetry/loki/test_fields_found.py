"""Fields that are found in lines without being told: by JSON, then by pairs, with their types."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sregym_cluster_embedded.telemetry.loki.detecting import Found, fields_found, labels_found
from sregym_logql import Entry
from sregym_logql.memory import Memory
from sregym_logql.nodes import Logs
from sregym_logql.parsing import parse


def lines_of(lines: Sequence[str]) -> Memory:
    """One stream, a line each second from second 1 on."""
    return Memory(
        [((("app", "a"),), Entry(second * 10**9, line)) for second, line in enumerate(lines, 1)]
    )


def found(memory: Memory, query: str, most: int = 100) -> dict[str, Found]:
    node = parse(query)
    assert isinstance(node, Logs)
    return fields_found(node, memory.select(node.matchers, 0, 10**12), most)


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("a=1 b=-7 c=1.5 d=1e3", {"a": "int", "b": "int", "c": "float", "d": "float"}),
        ("a=true b=F c=20ms d=1KB e=x f=", {"a": "boolean", "b": "boolean", "c": "duration", "d": "bytes", "e": "string"}),
        ('{"a": 1, "b": {"c": "5s"}, "d": null}', {"a": "int", "b_c": "duration"}),
        ("nothing at all", {}),
    ],
)  # fmt: skip
def test_types(line: str, kinds: dict[str, str]) -> None:
    fields = found(lines_of([line]), '{app="a"}')
    parser = ("json",) if line.startswith("{") else ("logfmt",)
    assert {name: one.kind for name, one in fields.items()} == kinds
    assert {one.parsers for one in fields.values()} <= {parser}


def test_values_and_what_the_query_takes_out() -> None:
    memory = lines_of(["level=info n=1", "level=warn n=1", '{"level": "x"}', "n=2"])
    fields = found(memory, '{app="a"} | logfmt | n > 0')
    assert fields == {
        "level": Found({"info": None, "warn": None}, (), "string"),
        "n": Found({"1": None, "2": None}, (), "int"),
    }
    assert list(found(memory, '{app="a"}', most=1)) == ["level"]


def test_labels_that_only_tell_ids_are_left_out() -> None:
    sets = [
        (("app", "web"), ("pod", "1"), ("shard", "1"), ("trace", "0a1b2c3d-0000-1111-2222-333344445555")),
        (("app", "7"), ("pod", "2"), ("shard", "2")),
    ]  # fmt: skip
    assert labels_found(sets) == [
        {"label": "app", "cardinality": 2},
        {"label": "pod", "cardinality": 2},
    ]
