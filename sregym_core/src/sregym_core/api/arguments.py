"""Arguments of the public interface, compared with the types that its functions are annotated with."""

from __future__ import annotations

from functools import cache, wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A public function that raises `UsageError` first for arguments that do not fit its annotations."""

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        _check(function, arguments, named)
        return function(*arguments, **named)

    return call


def _check(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    from pydantic import ValidationError

    from sregym_core.model.validation import explain

    form = _form(function)
    whose = function.__qualname__.removesuffix(".__init__")
    try:
        bound = signature(function).bind(*arguments, **named).arguments
    except TypeError as error:
        more = ", and others by name" if _takes_others(function) else ""
        msg = f"{whose}: {error}; it takes: {', '.join(form.model_fields)}{more}"
        raise UsageError(msg) from error
    given = {name: value for name, value in bound.items() if name in form.model_fields}
    try:
        form.model_validate(given)
    except ValidationError as error:
        raise UsageError(f"{whose}: {explain(error, form, given, 'argument')}") from error


def _takes_others(function: Callable[..., Any]) -> bool:
    kinds = {parameter.kind for parameter in signature(function).parameters.values()}
    return Parameter.VAR_KEYWORD in kinds


@cache
def _form(function: Callable[..., Any]) -> type[BaseModel]:
    """A form of the named arguments of a function; of an instance only its class is looked at."""
    from pydantic import ConfigDict, create_model

    known = _types()
    fields: dict[str, Any] = {
        name: (eval(parameter.annotation, known), None)  # noqa: S307 - an annotation of this package
        for name, parameter in signature(function).parameters.items()
        if name != "self" and parameter.kind is not Parameter.VAR_KEYWORD
    }
    return create_model(function.__name__, __config__=ConfigDict(strict=True), **fields)


def _types() -> dict[str, Any]:
    """The names in annotations of the public interface; a class means an instance of it."""
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pydantic import InstanceOf

    from sregym_core import api, interfaces, model
    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.settings import Settings

    classes = [getattr(module, name) for module in (interfaces, model) for name in module.__all__]
    classes += [ComponentFactory, Path, Settings, api.EpisodeRequest, api.Workspace]
    instance: Any = InstanceOf  # which for mypy is an alias of types alone
    found = {one.__name__: instance[one] for one in classes if isinstance(one, type)}
    generic = {"Callable": Callable, "Mapping": Mapping, "Sequence": Sequence}
    return {**found, **generic, "Any": Any, "EpisodeEvent": Any}
