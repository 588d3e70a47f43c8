"""Go's text/template: read, checked and carried out, with functions and values of one's own.

    >>> from sregym_gotemplate import compile_template
    >>> template = compile_template("{{range .pods}}{{.name | printf `%-8s`}}{{.restarts}};{{end}}")
    >>> template.render({"pods": [{"name": "web", "restarts": 3}]})
    'web     3;'

`parse` gives the typed tree (`sregym_gotemplate.nodes`), a `Template` carries it out. Functions are
`Function`s by name, Go's own are `BUILTINS`; how fields, truth, `range` and text of values are seen
is an `Access`, by default to values of JSON. What is wrong is a `ParseError` or an `ExecutionError`,
with Go's words and the place.

What a template may cost is said by `sregym_regex.budget`: ranges, calls of templates, `printf` and
tokens spend of the budget that is in force, and raise when there is none left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_gotemplate.access import Access
from sregym_gotemplate.errors import ExecutionError, FunctionError, ParseError, TemplateError
from sregym_gotemplate.evaluating import Template
from sregym_gotemplate.functions import BUILTINS, Function, function
from sregym_gotemplate.nodes import Tree
from sregym_gotemplate.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def compile_template(
    text: str,
    name: str = "template",
    functions: Mapping[str, Function] = BUILTINS,
    access: Access | None = None,
    variables: Sequence[str] = (),
) -> Template:
    """A template that can be carried out.

    Args:
        text: Its text.
        name: What messages call it.
        functions: What it may call.
        access: How it sees values; those of JSON by default.
        variables: The names, with their signs, of variables that it is given.

    Raises:
        ParseError: It is none; says where, and what is wrong.
    """
    return Template(parse(text, name, functions, variables), functions, access, variables)


__all__ = [
    "BUILTINS",
    "Access",
    "ExecutionError",
    "Function",
    "FunctionError",
    "ParseError",
    "Template",
    "TemplateError",
    "Tree",
    "compile_template",
    "function",
    "parse",
]
