"""Loading the extensions of the simulation: entry points of the group `sregym.simulation`.

They are listed beside other plugins, have the same statuses and obey the same settings. One that
is none, that raises or that offers what another offers is kept in the list as broken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from sregym_core.plugins import Found, load_group

from sregym_core import error_location

if TYPE_CHECKING:
    from collections.abc import Iterable

    from importlib_metadata import EntryPoint
    from sregym_core.settings import Settings

SIMULATION = "sregym.simulation"


@runtime_checkable
class Extends(Protocol):
    """What an entry point of the group leads to; `Extension`, which need not be imported for that."""

    @property
    def name(self) -> str:
        """The name under which errors speak of it."""

    def components(self) -> list[str]:
        """What it adds, for `sregym plugins`: `server kind acme`."""

    def clash_with(self, other: Any, /) -> str:
        """What it offers that another offers differently: `server kind 'acme'`; empty for nothing.

        None in place of another checks its own names.
        """


def load_extensions(settings: Settings, found: Iterable[EntryPoint] | None = None) -> list[Found]:
    """The extensions of the simulation, sorted by name; blocked and broken ones in place.

    Args:
        settings: Which plugins are allowed and disabled.
        found: Entry points to load instead of the installed ones.
    """
    checked: list[Found] = []
    for one in load_group(SIMULATION, settings, found):
        checked.append(_apart(_checked(one), checked))
    return checked


def _checked(one: Found) -> Found:
    """An extension with what it adds; broken when it is none."""
    if one.status.state != "ok":
        return one
    if isinstance(one.loaded, type) or not isinstance(one.loaded, Extends):
        what = one.loaded.__name__ if isinstance(one.loaded, type) else repr(one.loaded)
        reason = (
            f"its entry point of {SIMULATION!r} leads to {what}, which is no "
            "sregym_apps.simulation.Extension"
        )
        return Found(replace(one.status, state="broken", reason=reason))
    try:
        components = tuple(one.loaded.components())
        told = one.loaded.clash_with(None)
    except BaseException as error:
        if error_location.must_propagate(error):
            raise
        told = error_location.format_with_location(error_location.past_caller(error))
        reason = f"its extension cannot say what it adds: {told}"
        return Found(replace(one.status, state="broken", reason=reason))
    if told or not all(isinstance(name, str) for name in components):
        reason = told or f"its extension adds {components!r:.80}, which are no names"
        return Found(replace(one.status, state="broken", reason=reason))
    return Found(replace(one.status, components=components), one.loaded)


def _apart(one: Found, others: Iterable[Found]) -> Found:
    """An extension that offers nothing that another offers; broken when it does."""
    for other in others if one.status.state == "ok" else ():
        if other.status.state != "ok":
            continue
        what = one.loaded.clash_with(other.loaded)
        if what:
            owners = " and ".join(repr(status.owner) for status in (other.status, one.status))
            reason = (
                f"{what} is offered by two distributions, {owners}; "
                f"uninstall one or set SREGYM_DISABLE={one.status.name}"
            )
            return Found(replace(one.status, state="broken", reason=reason))
    return one
