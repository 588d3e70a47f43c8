"""An episode as one self-contained page: nothing in it comes from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from sregym_replay.terminal import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import EpisodeRecord

    from sregym_replay.story import Moment


def page(record: EpisodeRecord, moments: Sequence[Moment]) -> str:
    """The page as text; without JavaScript it is one long list, and so it is printed."""
    environment = Environment(
        loader=PackageLoader("sregym_replay", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["line"] = lambda call: command(call.tool, call.arguments)
    return environment.get_template("replay.html").render(record=record, moments=moments)
