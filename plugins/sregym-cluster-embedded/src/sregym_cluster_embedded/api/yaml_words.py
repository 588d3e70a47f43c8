"""What Go's YAML decoder says of text that is none."""

from __future__ import annotations

from yaml import MarkedYAMLError, YAMLError
from yaml.parser import ParserError
from yaml.scanner import ScannerError

# How a problem begins in the words of Python's parser, and what Go's calls it.
_PROBLEMS = (
    ("expected the node content", "did not find expected node content"),
    ("expected ',' or ']'", "did not find expected ',' or ']'"),
    ("expected ',' or '}'", "did not find expected ',' or '}'"),
    ("expected '<document start>'", "did not find expected <document start>"),
    ("mapping values are not allowed", "mapping values are not allowed in this context"),
    ("found character", "found character that cannot start any token"),
)


def syntax_error(error: YAMLError) -> str:
    """The mistake, with its line when that is not the first."""
    if not isinstance(error, MarkedYAMLError):
        return "yaml: control characters are not allowed"
    problem = error.problem or "unknown problem parsing YAML content"
    said = next((told for begun, told in _PROBLEMS if problem.startswith(begun)), problem)
    if problem.startswith("expected <block end>"):
        sequence = "block sequence" in (error.context or "") or "collection" in (
            error.context or ""
        )
        said = "did not find expected '-' indicator" if sequence else "did not find expected key"
    if problem.startswith("found undefined alias"):
        return f"yaml: unknown anchor {problem.removeprefix('found undefined alias ')} referenced"
    line = error.problem_mark.line if error.problem_mark is not None else 0
    if line == 0 and error.context_mark is not None and isinstance(error, ParserError):
        line = error.context_mark.line
    # The scanner has not counted the line that it is in.
    line += line > 0 and isinstance(error, ScannerError)
    return f"yaml: line {line}: {said}" if line else f"yaml: {said}"
