"""Parts of the processor time of a node, as functions of virtual time in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_promql.storage import Floats


class Until:
    """A number up to a moment, and 0 from then on."""

    def __init__(self, of: Callable[[Floats], Floats], end: float) -> None:
        self._of, self._end = of, end

    def __call__(self, seconds: Floats) -> Floats:
        """Its value at each moment."""
        return np.where(seconds < self._end, self._of(seconds), 0.0)


class Part:
    """A constant share of a counter of CPU seconds."""

    def __init__(self, of: Callable[[Floats], Floats], share: float) -> None:
        self._of, self._share = of, share

    def __call__(self, seconds: Floats) -> Floats:
        """CPU seconds of the part until each moment."""
        return self._of(seconds) * self._share


class Rest:
    """The time of one core in which it did nothing."""

    def __init__(self, of: Callable[[Floats], Floats], share: float) -> None:
        self._of, self._share = of, share

    def __call__(self, seconds: Floats) -> Floats:
        """Idle seconds of the core until each moment."""
        return np.maximum(seconds - self._of(seconds) * self._share, 0.0)
