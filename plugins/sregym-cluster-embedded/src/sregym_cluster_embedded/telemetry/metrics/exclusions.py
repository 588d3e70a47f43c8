"""The samples of a storage without those of some things, so that no sum counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_kubernetes.telemetry_redaction import names_hidden
from sregym_promql.storage import Found, Newest, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Labels, Matcher, Quick, StoredSeries


class Without:
    """Implements `promql.data.Quick`.

    Args:
        below: All samples.
        words: Series with one of these for a label are left out.
    """

    def __init__(self, below: Quick, words: frozenset[str]) -> None:
        self._below = below
        self._words = words

    def select(
        self, matchers: Sequence[Matcher], start_ms: int, end_ms: int
    ) -> Sequence[StoredSeries]:
        """What is left."""
        found = self._below.select(matchers, start_ms, end_ms)
        return Found(series for series in found if self._stays(series.labels))

    def newest(self, matchers: Sequence[Matcher], at_ms: int, lookback_ms: int) -> Newest | None:
        """What is left, quicker."""
        found = self._below.newest(matchers, at_ms, lookback_ms)
        if found is None:
            return None
        kept = [number for number, labels in enumerate(found.labels) if self._stays(labels)]
        return Newest(
            Rows(found.labels[number] for number in kept),
            [found.values[number] for number in kept],
            [found.times[number] for number in kept],
        )

    def _stays(self, labels: Labels) -> bool:
        return stays(labels, self._words)


def stays(labels: Labels, words: frozenset[str]) -> bool:
    """Whether series with these labels are not left out."""
    return not any(names_hidden(value, words) for _, value in labels)
