"""Entry point of the toolkit: applications side by side, and plugins that extend the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from importlib_metadata import EntryPoint
    from sregym_core.interfaces import Application
    from sregym_core.plugins import PluginStatus
    from sregym_core.settings import Settings


@hookimpl
def sregym_join_applications(parts: Sequence[Application]) -> Application:
    """One application that is all of them, each in its own namespaces."""
    from sregym_apps.together import Together

    return Together(parts)


@hookimpl
def sregym_list_extensions(
    settings: Settings, found: Sequence[EntryPoint] | None
) -> Sequence[PluginStatus]:
    """What is in the group of entry points `sregym.simulation`."""
    from sregym_apps.simulation.loading import load_extensions

    return [one.status for one in load_extensions(settings, found)]
