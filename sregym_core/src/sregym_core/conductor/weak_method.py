"""Methods for those whom their object keeps.

An object that hands its methods to what it holds refers to itself. It would stay with all that it
holds, a world among it, until the garbage collector comes, and training drops worlds by the hundred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def weak_method(method: Callable[P, R]) -> Callable[P, R]:
    """A bound method that does not keep its object alive; it may be called only while that is."""
    known = WeakMethod(method)

    def call(*arguments: P.args, **named: P.kwargs) -> R:
        bound = known()
        if bound is None:
            msg = "the episode is gone: keep its environment for as long as its session is used"
            raise ReferenceError(msg)
        return bound(*arguments, **named)

    return call
