"""Go templates for `-o go-template`: the library's, with the functions that kubectl adds."""

from __future__ import annotations

import base64
import binascii
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_gotemplate import (
    BUILTINS,
    FunctionError,
    ParseError,
    TemplateError,
    compile_template,
    function,
)
from sregym_gotemplate.parsing import TOO_DEEP
from sregym_regex.budget import spend

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_gotemplate import Function

# Whole numbers of objects have another type than those of templates, which only mistakes tell.
_TOLD_TYPE = re.compile(r"%T|\bint=")


def _exists(value: Any, *keys: Any) -> bool:
    try:
        return BUILTINS["index"].run(value, *keys) is not None
    except FunctionError:
        return False


def _decoded(text: Any) -> str:
    if not isinstance(text, str):
        raise NotCovered("base64 of what is no text")
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise NotCovered("what is no base64") from error


def _formatted(form: Any, *values: Any) -> str:
    text = str(BUILTINS["printf"].run(form, *values))
    spend(len(text) >> 6)
    if _TOLD_TYPE.search(text) or _TOLD_TYPE.search(form):
        raise NotCovered("printf of what does not fit")
    return text


_FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        **BUILTINS,
        "base64decode": function(_decoded),
        "exists": function(_exists),
        "printf": function(_formatted),
    }
)


class GoTemplate:
    """A parsed template.

    Raises:
        CommandError: It is none.
        NotCovered: It nests deeper than is understood.
    """

    def __init__(self, text: str) -> None:
        try:
            self._template = compile_template(text, "output", _FUNCTIONS)
        except ParseError as error:
            if error.what == TOO_DEEP:
                raise NotCovered("a template that nests too deep") from error
            raise CommandError(f"error: error parsing template {text}, {error}") from error
        except TemplateError as error:
            raise NotCovered("a template that nests too deep") from error

    def render(self, value: Any) -> str:
        """The text for one object.

        Raises:
            NotCovered: It cannot be made: the binary writes what it has by then, and all it knows.
        """
        try:
            return self._template.render(value)
        except TemplateError as error:
            raise NotCovered("a template that fails") from error
