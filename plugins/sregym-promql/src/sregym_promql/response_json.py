"""Responses in the JSON shape of Prometheus' HTTP API, and as its command line prints them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from sregym_promql.notes import INFO, WARNING
from sregym_promql.samples import NAME, Floats, Labels, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.notes import Note
    from sregym_promql.results import InstantAnswer, RangeAnswer
    from sregym_promql.samples import Series

_MOST_NOTES = 10
# Outside of these bounds the API writes exponents, as Python does then, too.
_BIGGEST_PLAIN, _SMALLEST_PLAIN = 1e21, 1e-6


def number_text(value: float) -> str:
    """A float as the API writes it: the shortest digits that give it back."""
    if value != value:
        return "NaN"
    text = repr(value)
    if text.endswith(".0"):
        return text[:-2]
    if "e" in text and _SMALLEST_PLAIN <= abs(value) < _BIGGEST_PLAIN:
        return plain_text(value)
    if text.endswith("inf"):
        return "+Inf" if value > 0 else "-Inf"
    return text


def plain_text(value: float) -> str:
    """A float without exponent, as programs print it for people."""
    if not math.isfinite(value):
        return number_text(value)
    return np.format_float_positional(value, trim="-")


def _texts(values: Floats) -> list[str]:
    """What `number_text` makes of each."""
    # Many times as fast as one by one.
    text = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY).decode()
    if "e" in text or "null" in text:
        return [number_text(value) for value in values.tolist()]
    return (text[1:-1] + ",").replace(".0,", ",").split(",")[:-1]


def moment(at_ms: int) -> int | float:
    """A time as the API writes it: seconds, whole ones without a point."""
    return at_ms // 1000 if at_ms % 1000 == 0 else at_ms / 1000


def instant_data(answer: InstantAnswer, at_ms: int) -> dict[str, Any]:
    """`data` of /api/v1/query."""
    at = moment(at_ms)
    result: Any
    if answer.kind == "scalar":
        result = [at, number_text(answer.rows[0][1])]
    elif answer.kind == "string":
        result = [at, answer.text]
    elif answer.kind == "matrix":
        result = _matrix(answer.series)
    else:
        result = [
            {"metric": dict(labels), "value": [at, number_text(value)]}
            for labels, value in answer.rows
        ]
    return {"resultType": answer.kind, "result": result}


def annotations_json(notes: Sequence[Note], query: str) -> dict[str, list[str]]:
    """What the API says beside the data: `warnings` and `infos`, ten of each at most."""
    found: dict[str, list[str]] = {}
    for key, kind, word in (("warnings", WARNING, "warning"), ("infos", INFO, "info")):
        texts = [note.shown(query) for note in notes if note.kind == kind]
        if len(texts) > _MOST_NOTES:
            left = len(texts) - _MOST_NOTES
            texts = [*texts[:_MOST_NOTES], f"{left} more {word} annotations omitted"]
        if texts:
            found[key] = texts
    return found


def range_data(answer: RangeAnswer) -> dict[str, Any]:
    """`data` of /api/v1/query_range."""
    return {"resultType": "matrix", "result": _matrix(answer.series)}


def _matrix(series: Sequence[Series]) -> list[dict[str, Any]]:
    found = []
    moments: list[int | float] = []
    times = None
    for row in series:
        if row.times is not times:
            times = row.times
            moments = [moment(at) for at in times.tolist()]
        pairs = zip(moments, _texts(row.values), strict=True)
        found.append({"metric": dict(row.labels), "values": [[*pair] for pair in pairs]})
    return found


def metric_text(labels: Labels) -> str:
    """`name{a="b"}`, as people write it."""
    name = value_of(labels, NAME)
    rest = ", ".join(f'{key}="{value}"' for key, value in labels if key != NAME)
    return f"{name}{{{rest}}}" if rest or not name else name


def lines(data: dict[str, Any]) -> list[str]:
    """What a person reads: a line a row, samples of a matrix below it."""
    kind, result = data["resultType"], data["result"]
    if kind in ("scalar", "string"):
        shown = _for_people(result[1]) if kind == "scalar" else result[1]
        return [f"{kind}: {shown} @[{result[0]}]"]
    found = []
    for row in result:
        shown = metric_text(tuple(sorted(row["metric"].items())))
        if kind == "vector":
            found.append(f"{shown} => {_for_people(row['value'][1])} @[{row['value'][0]}]")
        else:
            found.append(f"{shown} =>")
            found.extend(f"{_for_people(value)} @[{at}]" for at, value in row["values"])
    return found


def _for_people(text: str) -> str:
    return plain_text(float(text)) if "e" in text else text


def exponent_text(value: float) -> str:
    """A float with one digit before the point and an exponent, as alerts give their value."""
    if not math.isfinite(value):
        return number_text(value)
    return np.format_float_scientific(value, trim="-", exp_digits=2)
