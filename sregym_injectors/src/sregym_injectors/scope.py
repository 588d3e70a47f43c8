"""Who suffers from a defect and what users see of it, derived from the application's call graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import ROLLING_KINDS

if TYPE_CHECKING:
    from sregym_core.interfaces import Application
    from sregym_core.model import Component, ObjectRef

LOAD = "load"


def affected(application: Application, component: Component) -> tuple[str, ...]:
    """Names of all components that call this one, directly or through others, nearest first.

    Neither the component itself nor the load generator, which stands for users, is among them.
    """
    parts = {part.name: part for part in application.components()}
    reached = [component.name]
    for name in reached:  # grows while it is walked: breadth first
        for caller in parts[name].callers if name in parts else ():
            if caller not in reached and caller in parts and parts[caller].kind != LOAD:
                reached.append(caller)
    return tuple(reached[1:])


def restartable(component: Component) -> tuple[ObjectRef, ...]:
    """Workloads of a component that `kubectl rollout restart` restarts.

    None of a Job or CronJob, whose next run begins anew anyway, and none of a bare Pod.
    """
    return tuple(ref for ref in component.workloads if ref.kind in ROLLING_KINDS)


def clients(application: Application, component: Component) -> tuple[ObjectRef, ...]:
    """Workloads of the components that call this one directly, the load generator left out.

    As far as they can be restarted; see `restartable`.
    """
    parts = {part.name: part for part in application.components()}
    return tuple(
        ref
        for name in component.callers
        if name in parts and parts[name].kind != LOAD
        for ref in restartable(parts[name])
    )


def impact(component: Component) -> str:
    """What users see when the component does not serve, in one sentence."""
    if not component.operations:
        return "Users notice nothing yet: no user-visible operation passes through it."
    return f"Requests for {_enumerated(component.operations)} fail or time out."


def impact_phrases(component: Component) -> tuple[str, ...]:
    """Synonyms of `impact` in diagnoses."""
    if not component.operations:
        return ("no user-visible impact", "users are not affected")
    by_operation = [
        phrase.format(operation)
        for operation in component.operations
        for phrase in ("{} fails", "{} requests fail", "{} returns errors", "{} is unavailable")
    ]
    return (
        *by_operation,
        "requests fail",
        "requests time out",
        "users see errors",
        "error rate rises",
        "success rate drops",
        "service unavailable",
    )


def _enumerated(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
