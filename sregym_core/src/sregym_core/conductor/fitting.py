"""Whether a fault can act on a target, and if not, why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import ComponentTarget, kind_of

if TYPE_CHECKING:
    from sregym_core.interfaces import Fault
    from sregym_core.model import FaultTarget, Target


def why_unfit(fault: Fault, asked: Target, found: FaultTarget) -> str:
    """Why a fault cannot act on a target, as a sentence without its beginning; empty if it can.

    Args:
        fault: The fault.
        asked: The target as a problem names it.
        found: The target as it is.
    """
    kind = kind_of(found)
    if kind not in fault.takes:
        takes = " and ".join(f"{kind}s" for kind in fault.takes)
        return f"acts on {takes}, but its target is {str(asked)!r}, a {kind}"
    named = asked.component.parts if isinstance(asked, ComponentTarget) else ()
    for part in named:
        if part not in fault.parts:
            return f"cannot be pointed at a {part} of a component, but its target is {str(asked)!r}"
    if fault.fits(found):
        return ""
    reason = fault.misfit(found)
    because = f": {reason}" if reason else ""
    return f"does not fit {kind} {str(asked)!r}{because} (see: sregym faults pairs)"
