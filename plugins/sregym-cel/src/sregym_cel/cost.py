"""What one evaluation may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cel.values import CelError

if TYPE_CHECKING:
    from sregym_cel.program import Variables

# How many items all comprehensions of one evaluation may look at.
MOST_ITEMS = 1_000_000
# Where the variables of an evaluation hold how many are left.
LEFT = "@left"


def spend(variables: Variables) -> None:
    """Count one item that a comprehension looks at.

    Raises:
        CelError: There were too many.
    """
    count = variables[LEFT]
    count[0] -= 1
    if count[0] < 0:
        message = "operation cancelled: actual cost limit exceeded"
        raise CelError(message)
