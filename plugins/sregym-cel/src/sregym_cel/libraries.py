"""What an environment consists of: functions with what they take, and types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cel.signatures import Overload


@dataclass(frozen=True)
class Library:
    """Functions and types for expressions.

    Attributes:
        functions: What is run, by name, whether it is called on a target, and the number of
            arguments with the target: `("size", True, 1)` is `x.size()`. A name with a dot is
            that of a namespace: `("math.greatest", False, 2)`. A function raises `CelError` where
            it has no value for what it is given.
        overloads: What functions take and give, by name, for `check`; without an entry the
            arguments of a function are not checked and its value may be anything.
        methods: The same for those that are called on a target, which comes first.
        types: Names with dots that stand for types: `net.IP`.
    """

    functions: Mapping[tuple[str, bool, int], Callable[..., Any]] = field(default_factory=dict)
    overloads: Mapping[str, tuple[Overload, ...]] = field(default_factory=dict)
    methods: Mapping[str, tuple[Overload, ...]] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
