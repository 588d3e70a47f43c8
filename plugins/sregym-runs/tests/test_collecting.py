"""A proof leaves no reference cycles behind, and what was there before is not looked through."""

from __future__ import annotations

import gc
import weakref

from sregym_runs.proofs import only_own_collected


class Ring:
    """Holds itself."""

    def __init__(self) -> None:
        self.own = self


def test_what_was_there_before_is_not_looked_through() -> None:
    before = weakref.ref(Ring())
    try:
        with only_own_collected():
            own = weakref.ref(Ring())
        assert (before() is None, own() is None) == (False, True)
    finally:
        gc.unfreeze()
