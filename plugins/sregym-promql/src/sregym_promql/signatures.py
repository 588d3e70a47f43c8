"""The functions of PromQL with the kinds of their arguments."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_promql import functions, over_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_promql.dialect import Dialect

WITH_PARAMETER = frozenset({"bottomk", "count_values", "limit_ratio", "limitk", "quantile", "topk"})


class Signature(NamedTuple):
    """What a function takes.

    Attributes:
        name: Of the function.
        arguments: Kinds: `vector`, `matrix`, `scalar`, `string`.
        variadic: How many of the last may be left out or, when there is no more than one, added;
            -1 for any number.
        returns: Kind of the value.
    """

    name: str
    arguments: tuple[str, ...]
    variadic: int = 0
    returns: str = "vector"


def _known() -> dict[str, Signature]:
    one_vector = {*functions.PLAIN, "absent", "scalar", "sort", "sort_desc", "timestamp"}
    scalars_behind = {
        "clamp": ("scalar", "scalar"),
        "clamp_max": ("scalar",),
        "clamp_min": ("scalar",),
    }
    found = {name: Signature(name, ("vector",)) for name in one_vector}
    found.update({name: Signature(name, ("matrix",)) for name in over_time.FUNCTIONS})
    found.update({name: Signature(name, ("vector",), 1) for name in functions.CALENDAR})
    found.update(
        {name: Signature(name, ("vector", *more)) for name, more in scalars_behind.items()}
    )
    strings = ("string",) * 4
    special = (
        Signature("absent_over_time", ("matrix",)),
        Signature("histogram_count", ("vector",)),
        Signature("histogram_fraction", ("scalar", "scalar", "vector")),
        Signature("histogram_quantile", ("scalar", "vector")),
        Signature("histogram_sum", ("vector",)),
        Signature("holt_winters", ("matrix", "scalar", "scalar")),
        Signature("label_join", ("vector", "string", "string", "string"), -1),
        Signature("label_replace", ("vector", *strings)),
        Signature("pi", (), returns="scalar"),
        Signature("predict_linear", ("matrix", "scalar")),
        Signature("quantile_over_time", ("scalar", "matrix")),
        Signature("round", ("vector", "scalar"), 1),
        Signature("scalar", ("vector",), returns="scalar"),
        Signature("time", (), returns="scalar"),
        Signature("vector", ("scalar",)),
    )
    found.update({signature.name: signature for signature in special})
    return found


def _later() -> dict[str, Signature]:
    """Those of Prometheus 3, with what it calls experimental."""
    found = {name: one for name, one in _known().items() if name != "holt_winters"}
    own_vectors = ("histogram_avg", "histogram_stddev", "histogram_stdvar")
    over_time_of_later = (
        *("first_over_time", "mad_over_time", "ts_of_first_over_time"),
        *("ts_of_last_over_time", "ts_of_max_over_time", "ts_of_min_over_time"),
    )
    later = (
        *(Signature(name, ("vector",)) for name in own_vectors),
        *(Signature(name, ("matrix",)) for name in over_time_of_later),
        *(Signature(name, (), returns="scalar") for name in ("end", "range", "start", "step")),
        *(
            Signature(name, ("vector", "string"), -1)
            for name in ("sort_by_label", "sort_by_label_desc")
        ),
        Signature("double_exponential_smoothing", ("matrix", "scalar", "scalar")),
        Signature("histogram_quantiles", ("vector", "string", "scalar", "scalar"), 9),
        Signature("info", ("vector", "vector"), 1),
    )
    found.update({signature.name: signature for signature in later})
    return found


SIGNATURES: Mapping[str, Signature] = MappingProxyType(_known())
_LATER: Mapping[str, Signature] = MappingProxyType(_later())


def signatures(dialect: Dialect) -> Mapping[str, Signature]:
    """The functions that a dialect has, by name."""
    return _LATER if dialect.later_functions else SIGNATURES


def argument_error(signature: Signature, given: int) -> str:
    """What is wrong with a number of arguments; empty when nothing is."""
    wanted = len(signature.arguments)
    if signature.variadic == 0:
        if given == wanted:
            return ""
        return f'expected {wanted} argument(s) in call to "{signature.name}", got {given}'
    least = wanted - 1
    if given < least:
        return f'expected at least {least} argument(s) in call to "{signature.name}", got {given}'
    most = least + signature.variadic
    if signature.variadic > 0 and most < given:
        return f'expected at most {most} argument(s) in call to "{signature.name}", got {given}'
    return ""
