"""All functions that expressions may call, by name, form and number of arguments."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.cel import (
    authorization,
    conversions,
    formats,
    kubernetes,
    lists,
    operators,
    strings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# (name, whether it is called on a target, number of arguments with the target).
FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = MappingProxyType(
    {
        **operators.FUNCTIONS,
        **conversions.FUNCTIONS,
        **strings.FUNCTIONS,
        **lists.FUNCTIONS,
        **kubernetes.FUNCTIONS,
        **formats.FUNCTIONS,
        **authorization.FUNCTIONS,
    }
)
NAMES = frozenset(name for name, _, _ in FUNCTIONS)
