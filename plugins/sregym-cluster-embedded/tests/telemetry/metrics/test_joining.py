"""Exporters that export metrics of the same names count as one, whatever they are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Row, Target
from sregym_cluster_embedded.telemetry.metrics.joining import Joined, joined


class Shop(Exporter):
    """One target with families of the given names."""

    found_by = ("pods",)

    def __init__(self, name: str, *families: str, reads: tuple[str, ...] = ("pods",)) -> None:
        self.name, self.reads = name, reads
        self.families: Sequence[Family] = [Family(one, "gauge", name) for one in families]

    def alike(self, _sample: str) -> bool:
        return True

    def targets(self, _view: Any) -> Sequence[Target]:
        return [Target(self.name, f"http://{self.name}/metrics", (("job", self.name),), "mine")]

    def rows(self, _view: Any, target: Target, sample: str) -> Iterator[Row]:
        assert target.subject == "mine"
        yield Row((("sample", sample),), float(len(self.name)))


class Seen:
    """A view of which only the basis is asked."""

    def basis(self, reads: Sequence[str]) -> tuple[str, ...]:
        return tuple(reads)


def test_those_that_share_nothing_stay_as_they_are() -> None:
    one, other = Shop("a", "x"), Shop("b", "y")
    assert joined([one, other]) == (one, other)


def test_those_that_share_a_name_are_one_in_the_place_of_the_first() -> None:
    first, between, last = Shop("a", "x", "y"), Shop("bb", "z"), Shop("ccc", "y", "w")
    both, rest = joined([first, between, last])
    assert isinstance(both, Joined)
    assert (both.members, rest) == ((first, last), between)
    assert [(family.name, family.help) for family in both.families] == [
        ("x", "a"), ("y", "a"), ("w", "ccc"),
    ]  # fmt: skip


def test_one_that_shares_names_with_two_joins_all_three() -> None:
    one, two, bridge = Shop("a", "x"), Shop("b", "y"), Shop("c", "y", "x")
    (every,) = joined([one, two, bridge])
    assert isinstance(every, Joined)
    assert every.members == (one, two, bridge)


def test_each_target_is_asked_of_the_one_whose_it_is() -> None:
    view: Any = Seen()
    (both,) = joined(
        [Shop("a", "x", "y", reads=("pods", "writes")), Shop("ccc", "y", reads=("lives",))]
    )
    here, there = both.targets(view)
    assert [target.pool for target in (here, there)] == ["a", "ccc"]
    said = [[row.value for row in both.rows(view, target, "y")] for target in (here, there)]
    assert said == [[1.0], [3.0]]
    assert [*both.rows(view, there, "x")] == []
    assert [*both.parts(view, there, "x")] == []
    (part,) = both.parts(view, there, "y")
    assert [row.value for row in part.rows()] == [3.0]
    assert [*part.basis[1:]] == ["lives"]


def test_what_is_read_is_what_those_who_have_the_metric_read() -> None:
    (both,) = joined(
        [Shop("a", "x", "y", reads=("pods", "writes")), Shop("ccc", "y", reads=("lives",))]
    )
    assert both.reads == ("pods", "writes", "lives")
    assert both.found_by == ("pods",)
    assert (both.reads_for("x"), both.reads_for("y")) == (("pods", "writes"), both.reads)
    assert (both.alike("x"), both.alike("y")) == (True, False)
