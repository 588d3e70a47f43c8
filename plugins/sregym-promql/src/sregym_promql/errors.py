"""What a query can fail with, in the words and error types of Prometheus."""

from __future__ import annotations

TOO_MANY = "query processing would load too many samples into memory in query execution"


class ParseError(ValueError):
    """A query that cannot be read (`bad_data`); the text has line and column where known."""


class EvaluationError(ValueError):
    """A query that can be read and not be carried out (`execution`)."""
