"""Entry point of the plugin: logs each event when `SREGYM_LOG` is `text` or `json`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sregym_core import hookimpl

if TYPE_CHECKING:
    from sregym_core.events import EpisodeEvent


@hookimpl
def sregym_episode_event(episode: str, at_s: float, event: EpisodeEvent) -> None:
    """Write the event, if the user asked for it."""
    # Looked up at each event: a process may change its mind, and tests need no reload.
    form = os.environ.get("SREGYM_LOG", "")
    if form:
        from sregym_observer_log.lines import write

        write(form, episode, at_s, event)
