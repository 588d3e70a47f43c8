"""What a query can fail with, in the words and error types of Prometheus."""

from __future__ import annotations

TOO_MANY = "query processing would load too many samples into memory in query execution"


class ParseError(ValueError):
    """A query that cannot be read (`bad_data`); the text has line and column where known.

    Args:
        text: The whole message.
        offset: Of the place that is wrong: characters before it; None where the whole query is.
        line: Of that place, from 1.
        column: Of that place, from 1; it counts bytes, as Prometheus does.

    Attributes:
        offset: As given, as are `line` and `column`.
    """

    def __init__(
        self,
        text: str,
        offset: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(text)
        self.offset, self.line, self.column = offset, line, column


class EvaluationError(ValueError):
    """A query that can be read and not be carried out (`execution`)."""
