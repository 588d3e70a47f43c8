"""What the pages say, as data: nothing in it names a root cause of a problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import instruction, problems
from sregym_runs import pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_core.api import Problem, Workspace
    from sregym_runs import Pair

    from sregym_catalogue.difficulty import Difficulty


@dataclass(frozen=True)
class Entry:
    """A problem without what its title and its faults would tell.

    Attributes:
        id: Of the problem.
        application: Its application.
        layer: The layer of the faults.
        suites: Suites that it belongs to.
        modes: In which ways the system fails.
        upstream: Its id in the upstream benchmark; empty if it has none there.
        faults: How many faults it has.
        silent: Whether users notice nothing yet.
        instruction: What an agent is told.
        difficulty: Measured figures, if there are any.
    """

    id: str
    application: str
    layer: str
    suites: tuple[str, ...]
    modes: tuple[str, ...]
    upstream: str
    faults: int
    silent: bool
    instruction: str
    difficulty: Difficulty | None


@dataclass(frozen=True)
class Cell:
    """A fault primitive in an application.

    Attributes:
        pairs: Targets of the application that it fits.
        problems: Curated problems with it.
        shade: 0 to 9, by the number of pairs.
    """

    pairs: int
    problems: int
    shade: int


@dataclass(frozen=True)
class Row:
    """A fault primitive with a cell for each application."""

    fault: str
    layer: str
    cells: tuple[Cell, ...]

    @property
    def pairs(self) -> int:
        """In all applications together."""
        return sum(cell.pairs for cell in self.cells)


@dataclass(frozen=True)
class Content:
    """Everything that the pages show."""

    applications: tuple[str, ...]
    rows: tuple[Row, ...]
    entries: tuple[Entry, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How much there is of what."""
        return {
            "applications": len(self.applications),
            "faults": len(self.rows),
            "pairs": sum(row.pairs for row in self.rows),
            "problems": len(self.entries),
        }

    @property
    def layers(self) -> tuple[str, ...]:
        """Layers of problems, sorted."""
        return tuple(sorted({entry.layer for entry in self.entries}))

    @property
    def measured(self) -> bool:
        """Whether the difficulty of any problem was measured."""
        return any(entry.difficulty for entry in self.entries)

    @property
    def modes(self) -> tuple[str, ...]:
        """Ways in which systems fail, sorted."""
        return tuple(sorted({mode for entry in self.entries for mode in entry.modes}))

    @property
    def suites(self) -> tuple[str, ...]:
        """Suites of problems, sorted."""
        return tuple(sorted({suite for entry in self.entries for suite in entry.suites}))


def collected(workspace: Workspace, figures: Mapping[str, Difficulty]) -> Content:
    """What is installed.

    Args:
        workspace: The plugins.
        figures: Measured difficulty by id; problems without are shown all the same.
    """
    fitting = pairs(workspace=workspace)
    registry = workspace.factory.registry
    installed = registry.names("application")
    curated = [
        problem
        for problem in problems(workspace=workspace)
        if all(name in installed for name in _plain(problem.application).split("+"))
    ]
    applications = sorted(
        {one.application for one in fitting} | {_plain(one.application) for one in curated}
    )
    layers = {name: workspace.factory.fault(name).layer for name in registry.names("fault")}
    return Content(
        applications=tuple(applications),
        rows=heat(fitting, curated, applications, layers),
        entries=tuple(
            Entry(
                id=problem.id,
                application=_plain(problem.application),
                layer=problem.layer,
                suites=workspace.factory.problems.suites_of(problem),
                modes=tuple(map(str, problem.modes)),
                upstream=problem.upstream,
                faults=len(problem.single_faults),
                silent=problem.silent,
                instruction=instruction(problem, workspace=workspace),
                difficulty=figures.get(problem.id),
            )
            for problem in curated
        ),
    )


def _plain(application: str) -> str:
    """Applications without their options: `synthetic` of `synthetic:services=20`."""
    return "+".join(name.partition(":")[0] for name in application.split("+"))


def heat(
    fitting: Iterable[Pair],
    curated: Iterable[Problem],
    applications: Iterable[str],
    layers: Mapping[str, str],
) -> tuple[Row, ...]:
    """A row for each fault, by layer and name.

    Args:
        fitting: All fitting pairs.
        curated: Problems.
        applications: The columns.
        layers: The layer of each fault.
    """
    numbers = Counter((one.fault, one.application) for one in fitting)
    used = Counter((ref.fault, _plain(one.application)) for one in curated for ref in one.faults)
    columns = tuple(applications)
    return tuple(
        Row(
            fault,
            layer,
            tuple(
                Cell(numbers[fault, name], used[fault, name], _shade(numbers[fault, name]))
                for name in columns
            ),
        )
        for fault, layer in sorted(layers.items(), key=lambda item: (item[1], item[0]))
    )


def _shade(number: int) -> int:
    """One step for each doubling: 1 is the lightest, 256 and more the darkest."""
    return min(9, number.bit_length())
