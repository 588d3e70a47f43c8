"""Errors of templates, with the texts of Go's text/template."""

from __future__ import annotations


class TemplateError(ValueError):
    """A template that cannot be read or carried out.

    Args:
        what: What is wrong, without the place.
        name: The template's.
        line: Of the text, from 1.

    Attributes:
        what, name, line: As given.
    """

    def __init__(self, what: str, name: str, line: int) -> None:
        self.what, self.name, self.line = what, name, line
        super().__init__(self._text())

    def _text(self) -> str:
        return f"template: {self.name}:{self.line}: {self.what}"


class ParseError(TemplateError):
    """A text that is no template."""


class ExecutionError(TemplateError):
    """A template that cannot be carried out on these data.

    Args:
        what: What is wrong, without the place.
        name: The template's.
        line: Of the text, from 1.
        column: Of the part in its line, in bytes, from 0.
        part: The part of the template that failed, as Go writes it.
        executing: The name of the template that was carried out, where it defines several.

    Attributes:
        column, part, executing: As given.
    """

    def __init__(
        self, what: str, name: str, line: int, column: int, part: str, executing: str = ""
    ) -> None:
        self.column, self.part, self.executing = column, part, executing or name
        super().__init__(what, name, line)

    def _text(self) -> str:
        place = f"{self.name}:{self.line}:{self.column}"
        return f'template: {place}: executing "{self.executing}" at <{self.part}>: {self.what}'


class FunctionError(Exception):
    """Raised by functions and by the access to values: what is wrong, without the place."""
