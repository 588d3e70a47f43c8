"""Which component of a plugin was at work when an exception came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.error_location import definition_location, format_error, frames, plugin_location
from sregym_core.registry import KINDS, base_of

if TYPE_CHECKING:
    from sregym_core.registry import Registry


def blamed(error: BaseException, registry: Registry) -> str:
    """An exception, then whose it is: ` (KIND NAME of DISTRIBUTION VERSION, FILE:LINE)`.

    Nothing is added where no component of a plugin was at work.
    """
    kind, component = _component(error)
    function = getattr(component, "__wrapped__", None)
    if function is not None:  # a function of the caller's in the place of a component
        name = getattr(function, "__qualname__", type(function).__qualname__)
        where = plugin_location(error) or definition_location(function)
        return f"{format_error(error)} ({', '.join(filter(None, (f'function {name!r}', where)))})"
    where = (
        component and plugin_location(error, type(component).__module__.partition(".")[0])
    ) or plugin_location(error)
    whose = ", ".join(filter(None, (_owned(kind, component, registry), where)))
    return f"{format_error(error)} ({whose})" if whose else format_error(error)


def is_a_plugins(error: BaseException) -> bool:
    """Whether a component of a plugin was at work when an exception came."""
    component = _component(error)[1]
    return component is not None and not type(component).__module__.startswith("sregym_core.")


def _component(error: BaseException) -> tuple[str, Any]:
    """The innermost component on the way to an exception, with its kind; None when there is none."""
    for frame, _ in reversed([*frames(error.__traceback__)]):
        owner = frame.f_locals.get("self")
        for kind in KINDS if owner is not None else ():
            if isinstance(owner, base_of(kind)) and isinstance(getattr(owner, "name", None), str):
                return kind, owner
    return "", None


def _owned(kind: str, component: Any, registry: Registry) -> str:
    if component is None:
        return ""
    try:
        return f"{kind} {component.name!r} of {registry.owner(kind, component.name).owner}"
    except KeyError:  # it was not offered: one of a test, or an object of the caller's
        return f"{kind} {component.name!r}"
