"""What is wrong with the files of a plugin: all of it at once, with line, field and nearest names.

`sregym lint` and the contract kit tell it; running an episode needs none of it.
"""

from __future__ import annotations

from sregym_core.model.defect import Defect, Location, did_you_mean, field_path, no_such
from sregym_core.model.validation import describe_error

from sregym_lint.documents import Document, documents
from sregym_lint.forms import ComparisonResult, compare
from sregym_lint.installed import lint_plugin, vocabulary_of
from sregym_lint.problems import lint_problem

__all__ = [
    "ComparisonResult",
    "Defect",
    "Document",
    "Location",
    "compare",
    "describe_error",
    "did_you_mean",
    "documents",
    "field_path",
    "lint_plugin",
    "lint_problem",
    "no_such",
    "vocabulary_of",
]
