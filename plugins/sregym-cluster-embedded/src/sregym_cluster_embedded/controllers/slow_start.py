"""Many pods are made in batches that double, so that one refusal is not met a hundred times."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sregym_cluster_embedded.api.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_Item = TypeVar("_Item")


def create_in_batches(items: Iterable[_Item], create: Callable[[_Item], None]) -> ApiError | None:
    """Create one, then two, then four …; what is begun of a batch is finished.

    Args:
        items: What to create something for.
        create: Creates it.

    Returns:
        The first refusal, after whose batch no further one begins; None when there was none.
    """
    refusal: ApiError | None = None
    size, left = 1, 1
    for item in items:
        if left == 0:
            if refusal is not None:
                return refusal
            size = left = size * 2
        left -= 1
        try:
            create(item)
        except ApiError as error:
            refusal = refusal or error
    return refusal
