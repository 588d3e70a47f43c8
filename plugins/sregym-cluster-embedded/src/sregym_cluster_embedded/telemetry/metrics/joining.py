"""Exporters of different things that export metrics of the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Part, Row, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.metrics.view import View


class Owned(NamedTuple):
    """What a target of several exporters is about.

    Attributes:
        exporter: Which of them has it.
        target: As that one has it.
    """

    exporter: Exporter
    target: Target


class Joined(Exporter):
    """Several exporters as one: a metric of one name is asked of all who export it.

    Args:
        members: These; how the first describes a family counts.
    """

    def __init__(self, members: Sequence[Exporter]) -> None:
        self.members = tuple(members)
        named: dict[str, Family] = {}
        for member in members:
            for family in member.families:
                named.setdefault(family.name, family)
        self.families: Sequence[Family] = tuple(named.values())
        self.reads = _every(member.reads for member in members)
        self.found_by = _every(
            member.reads if member.found_by is None else member.found_by for member in members
        )
        self._samples = {
            member: {name for family in member.families for name in family.samples}
            for member in members
        }

    def _who(self, sample: str) -> Iterator[Exporter]:
        return (member for member in self.members if sample in self._samples[member])

    def reads_for(self, sample: str) -> tuple[str, ...]:
        """What those that have it read."""
        return _every(member.reads_for(sample) for member in self._who(sample))

    def alike(self, sample: str) -> bool:
        """Whether it is exported by one alone, whose series are alike."""
        first, *others = self._who(sample)
        return not others and first.alike(sample)

    def targets(self, view: View) -> Sequence[Target]:
        """Those of each."""
        return [
            target._replace(subject=Owned(member, target))
            for member in self.members
            for target in member.targets(view)
        ]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """What the one whose target it is says."""
        owned = target.subject
        assert isinstance(owned, Owned)
        if sample in self._samples[owned.exporter]:
            yield from owned.exporter.rows(view, owned.target, sample)

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """As the one whose target it is has them."""
        owned = target.subject
        assert isinstance(owned, Owned)
        if sample not in self._samples[owned.exporter]:
            return ()
        return owned.exporter.parts(view, owned.target, sample)


def joined(exporters: Sequence[Exporter]) -> tuple[Exporter, ...]:
    """The exporters, those that share names of samples as one, in the place of the first."""
    groups: list[list[Exporter]] = []
    for exporter in exporters:
        own = _names(exporter)
        sharing = [group for group in groups if any(own & _names(other) for other in group)]
        if not sharing:
            groups.append([exporter])
            continue
        first, *others = sharing
        for group in others:
            first.extend(group)
            groups.remove(group)
        first.append(exporter)
    return tuple(group[0] if len(group) == 1 else Joined(group) for group in groups)


def _names(exporter: Exporter) -> set[str]:
    return {name for family in exporter.families for name in family.samples}


def _every(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in several for name in one))
