"""Errors of queries, with the texts of Loki."""

from __future__ import annotations

from sregym_regex.go_text import readable

SELECTS_ALL = (
    "queries require at least one regexp or equality matcher that does not have an "
    'empty-compatible value. For instance, app=~".*" does not meet this requirement, but '
    'app=~".+" will'
)

_SERIES = 500


def too_many_series(limit: int = _SERIES) -> str:
    """Why a metric query with so many rows is not answered."""
    return (
        f"maximum number of series ({limit}) reached for a single query; consider reducing query "
        "cardinality by adding more specific stream selectors, reducing the time range, or "
        "aggregating results with functions like sum(), count() or topk()"
    )


class LogqlError(ValueError):
    """A query that cannot be read; says where."""

    def __init__(self, text: str) -> None:
        super().__init__(readable(text))


class PipelineError(ValueError):
    """A metric query that met lines which its stages could not take."""
