"""One line an event, on standard error: for people (`text`) or for programs (`json`).

Lines carry the episode's clock and no wall clock, so two runs with one seed log the same.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import structlog
from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from sregym_core.events import EpisodeEvent
    from structlog.typing import Processor


def write(form: str, episode: str, at_s: float, event: EpisodeEvent) -> None:
    """Write one event.

    Raises:
        UsageError: `form` is neither `text` nor `json`.
    """
    logger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[structlog.processors.add_log_level, _renderer(form)],
    )
    logger.info(type(event).__name__, episode=episode, at_s=round(at_s, 3), **asdict(event))


def _renderer(form: str) -> Processor:
    if form == "json":
        return structlog.processors.JSONRenderer(sort_keys=True)
    if form == "text":
        return structlog.processors.KeyValueRenderer(key_order=["at_s", "episode", "event"])
    msg = f"SREGYM_LOG is {form!r}, which sregym-observer-log does not know; set it to text or json, or unset it"
    raise UsageError(msg)
