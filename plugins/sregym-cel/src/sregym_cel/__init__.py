"""The Common Expression Language, with the libraries that Kubernetes adds to it.

An expression is read (`parse`), its types are checked (`check`), and it is compiled for variables
of given names (`compile_expression`) into a `Program` that is evaluated as often as one likes:

    >>> from sregym_cel import compile_expression
    >>> program = compile_expression("self.replicas <= 3 || self.name.startsWith('big-')", ("self",))
    >>> program.evaluate({"self": {"replicas": 4, "name": "big-one"}})
    True

What does not compile raises `CompileError` with its place in the text, what has no value for some
variables `CelError`; both say what the API server of Kubernetes would. Values are Python's: `int`,
`float`, `bool`, `str`, `bytes`, `list`, `dict` with keys of texts, integers or truths, None; beside
them `Uint`, `Duration`, `Timestamp`, `Optional`, `Type`, and `Opaque` for what libraries add.

Evaluation always ends: comprehensions look at no more items than a limit says, expressions nest no
deeper than 50, and patterns are matched in time linear in the text (`sregym_regex`).

An `Environment` is made of libraries; `Library` says how to add functions and types to one.
"""

from __future__ import annotations

from sregym_cel.builtin import KUBERNETES, STANDARD
from sregym_cel.checking import Checked
from sregym_cel.environment import Environment
from sregym_cel.formats import library as formats_library
from sregym_cel.kinds import Kind
from sregym_cel.libraries import Library
from sregym_cel.program import Program
from sregym_cel.signatures import Overload
from sregym_cel.syntax import Node, parse
from sregym_cel.values import (
    CelError,
    CompileError,
    Duration,
    Opaque,
    Optional,
    Timestamp,
    Type,
    Uint,
)

# Everything that comes along.
DEFAULT = Environment(STANDARD, KUBERNETES, formats_library())
compile_expression = DEFAULT.compile
check = DEFAULT.check

__all__ = [
    "DEFAULT",
    "KUBERNETES",
    "STANDARD",
    "CelError",
    "Checked",
    "CompileError",
    "Duration",
    "Environment",
    "Kind",
    "Library",
    "Node",
    "Opaque",
    "Optional",
    "Overload",
    "Program",
    "Timestamp",
    "Type",
    "Uint",
    "check",
    "compile_expression",
    "formats_library",
    "parse",
]
