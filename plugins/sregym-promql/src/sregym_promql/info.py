"""`info`: series with the labels of the info series that stand beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.errors import EvaluationError
from sregym_promql.samples import NAME, Labels, Matcher, Vector, labels_of, stacked, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.samples import Floats, Mask

# What says that an info series and another one are about the same.
IDENTIFYING = ("instance", "job")
_DEFAULT = Matcher(NAME, "=", "target_info")


class InfoSelector:
    """What the second argument of `info` says, its name as a matcher among the others.

    Args:
        matchers: All of them; none where there is no such argument.
    """

    def __init__(self, matchers: Sequence[Matcher]) -> None:
        self._names = [one for one in matchers if one.name == NAME]
        self._data = [one for one in matchers if one.name != NAME]

    def matchers(self) -> list[Matcher]:
        """Which info series are asked for: `target_info` where none is named."""
        return [*(self._names or [_DEFAULT]), *self._data]

    def is_info(self, labels: Labels) -> bool:
        """Whether a series is one that others are to be enriched with."""
        names = self._names or [_DEFAULT]
        if not any(one.op in ("=", "=~") for one in names):
            return False
        return all(one.matches(value_of(labels, NAME)) for one in names)

    def takes(self, label: str) -> bool:
        """Whether a label is taken over from info series."""
        if label == NAME or label in IDENTIFYING:
            return False
        return not self._data or any(one.name == label for one in self._data)

    @property
    def may_be_missing(self) -> bool:
        """Whether series stay for which there is no info series."""
        return all(one.matches("") for one in self._data)


def enriched(base: Vector, infos: Vector, sampled: Floats, wanted: InfoSelector) -> Vector:
    """The series of `base` with labels of `infos`, of which the newest counts.

    Args:
        base: Series; those that are info series themselves stay as they are.
        infos: The info series.
        sampled: When their samples were taken, rows by steps.
        wanted: What is taken over from them.

    Raises:
        EvaluationError: Info series of two names differ in a label.
    """
    steps = base.values.shape[1]
    by_key: dict[Labels, list[int]] = {}
    for row, labels in enumerate(infos.labels):
        by_key.setdefault(_identity(labels), []).append(row)
    parts: list[Vector] = []
    for row, labels in enumerate(base.labels):
        values, present = base.values[row : row + 1], base.present[row : row + 1]
        key = _identity(labels)
        rows = by_key.get(key, []) if key else []
        if wanted.is_info(labels):
            parts.append(Vector([labels], values, present))
            continue
        seen: dict[Labels, Mask] = {}
        for step in np.flatnonzero(present[0]):
            found = _with_data(labels, infos, _newest(rows, infos, sampled, int(step)), wanted)
            if found is not None:
                seen.setdefault(found, np.zeros(steps, dtype=np.bool_))[step] = True
        parts.extend(Vector([one], values, there[np.newaxis]) for one, there in seen.items())
    return stacked(parts, steps)


def _identity(labels: Labels) -> Labels:
    return tuple(pair for pair in labels if pair[0] in IDENTIFYING)


def _newest(rows: Sequence[int], infos: Vector, sampled: Floats, step: int) -> list[int]:
    """Of the info series of each name the one with the newest sample."""
    best: dict[str, int] = {}
    for row in rows:
        if infos.present[row, step]:
            name = value_of(infos.labels[row], NAME)
            known = best.get(name)
            if known is None or sampled[row, step] > sampled[known, step]:
                best[name] = row
    return list(best.values())


def _with_data(
    labels: Labels, infos: Vector, rows: Sequence[int], wanted: InfoSelector
) -> Labels | None:
    """Labels with those of info series; None where the series does not stay."""
    if not rows:
        return labels if wanted.may_be_missing else None
    own = {name for name, _ in labels}
    added: dict[str, str] = {}
    for row in rows:
        for name, value in infos.labels[row]:
            if name in own or not wanted.takes(name):
                continue
            if added.setdefault(name, value) != value:
                message = f"conflicting label: {name}"
                raise EvaluationError(message)
    return labels_of([*labels, *added.items()]) if added else labels
