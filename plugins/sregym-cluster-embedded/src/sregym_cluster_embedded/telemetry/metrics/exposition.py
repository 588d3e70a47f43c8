"""What exporters say: families of metrics, the targets that are scraped, rows of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from sregym_promql.storage import Floats

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.metrics.view import View

INTERVAL_S = 15.0
FOREVER = float("inf")
BEGINNING = float("-inf")

Pairs: TypeAlias = tuple[tuple[str, str], ...]
# A number that stands, or one for each of many virtual seconds.
Value: TypeAlias = float | Callable[[Floats], Floats]

_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}


class Family(NamedTuple):
    """One family of metrics as an exporter describes it.

    Attributes:
        name: Of its samples; without `_bucket` and the like.
        type: As in the exposition format: `counter`, `gauge`, `histogram`, `summary`, `unknown`.
        help: The exporter's help text.
    """

    name: str
    type: str
    help: str

    @property
    def samples(self) -> tuple[str, ...]:
        """The names that its samples have."""
        return tuple(self.name + suffix for suffix in _SUFFIXES.get(self.type, ("",)))


class Target(NamedTuple):
    """Something that is scraped.

    Attributes:
        pool: Scrape pool.
        url: Where.
        labels: What it adds to all of its samples; `job` and `instance` among them.
        subject: What the exporter knows of it.
        since: Virtual second from which it is known to the service discovery.
        until: To which.
        honours: Whether labels of samples win over those of the target.
        answers: Spans of virtual seconds in which scrapes succeed.
    """

    pool: str
    url: str
    labels: Pairs
    subject: object = None
    since: float = BEGINNING
    until: float = FOREVER
    honours: bool = False
    answers: tuple[tuple[float, float], ...] = ((BEGINNING, FOREVER),)


class Row(NamedTuple):
    """One series of a target, for as long as it is exported.

    Attributes:
        labels: Besides name and target labels.
        value: At the moments of scrapes.
        since: Virtual second.
        until: Virtual second at which it is exported no more.
    """

    labels: Pairs
    value: Value
    since: float = BEGINNING
    until: float = FOREVER


class Part(NamedTuple):
    """Rows of a target that belong together: they are worked out, and kept, together.

    Attributes:
        key: Tells it from the other parts of the target.
        basis: Objects on which the rows depend: kept as long as these are the same ones.
        labels: That all of its rows have; the label's value, or what it cannot be without.
        since: Virtual second before which there are no rows.
        until: Virtual second after which there are none.
        rows: Works them out.
    """

    key: object
    basis: Sequence[object]
    labels: Pairs
    since: float
    until: float
    rows: Callable[[], Iterable[Row]]


class Exporter:
    """One kind of target, with the families it exports.

    Attributes:
        title: Heading in the reference of metrics, for those of servers and extensions.
        about: What stands below it: jobs, labels, and what is worth knowing.
        families: All families, in the order of the documentation.
        reads: What targets and rows depend on, as `View.basis` has it.
        found_by: What targets alone depend on; as much as rows, if nothing is said.

    Targets, and rows once they are made, know of no view and no world: forks for which they are
    the same share them.
    """

    title: str = ""
    about: str = ""
    families: Sequence[Family]
    reads: tuple[str, ...] = ()
    found_by: tuple[str, ...] | None = None

    def reads_for(self, _sample: str) -> tuple[str, ...]:
        """What the rows of one sample name depend on; as much as all of them, if nothing is said."""
        return self.reads

    def alike(self, _sample: str) -> bool:
        """Whether series of one sample name have no labels that others have not.

        Labels may be empty. Then one series tells what there can be.
        """
        return False

    def targets(self, view: View) -> Sequence[Target]:
        """All targets that there ever were."""
        raise NotImplementedError

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one sample name at a target, of all the time."""
        raise NotImplementedError

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """The rows in parts; all of them together, when it is not said otherwise."""
        basis = (target, *view.basis(self.reads))
        return (Part((), basis, (), BEGINNING, FOREVER, lambda: self.rows(view, target, sample)),)


class Steps:
    """A number that changes at moments.

    Args:
        times: Virtual seconds, ascending; the first value also stands before the first.
        values: As many.
    """

    def __init__(self, times: Sequence[float], values: Sequence[float]) -> None:
        self._times = np.asarray(times, dtype=np.float64)
        self._values = np.asarray(values, dtype=np.float64)

    def __call__(self, seconds: Floats) -> Floats:
        """The value at each moment."""
        position = np.searchsorted(self._times, seconds, side="right") - 1
        found: Floats = self._values[np.maximum(position, 0)]
        return found

    def at(self, second: float) -> float:
        """The value at one moment."""
        position = int(self._times.searchsorted(second, "right")) - 1
        return float(self._values[max(position, 0)])
