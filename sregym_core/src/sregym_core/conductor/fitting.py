"""Whether a fault can act on a target, and if not, why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import ComponentTarget, kind_of

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Fault
    from sregym_core.model import FaultTarget, Target

_NAMED = 12


def mismatch_reason_of(
    fault: Fault, asked: Target, found: FaultTarget, application: Application
) -> str:
    """Why a fault cannot act on a target, as a sentence without its beginning; empty if it can.

    Args:
        fault: The fault.
        asked: The target as a problem names it.
        found: The target as it is.
        application: To which it belongs: its targets that fit are named.
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
    reason = fault.mismatch_reason(found)
    because = f": {reason}" if reason else ""
    return f"does not fit {kind} {str(asked)!r}{because}; {_fitting(fault, application)}"


def _fitting(fault: Fault, application: Application) -> str:
    """What of an application a fault fits, in words."""
    from sregym_core.conductor.targets import candidates

    names = [
        str(target)
        for target, found in candidates(application, fault.takes, fault.parts)
        if fault.fits(found)
    ]
    if not names:
        return f"it fits nothing of {application.name} (see: sregym faults pairs)"
    more = f" and {len(names) - _NAMED} more (see: sregym faults pairs)" if names[_NAMED:] else ""
    return f"it fits {', '.join(names[:_NAMED])}{more}"
