"""What Loki refuses with 400."""

from __future__ import annotations

from sregym_logql.errors import LogqlError, PipelineError


class BadRequest(ValueError):
    """A request that Loki refuses with 400: the text of its answer."""


REFUSALS = (BadRequest, LogqlError, PipelineError)
