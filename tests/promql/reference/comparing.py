"""Questions to both evaluators, and whether their answers are the same."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from sregym_promql import Engine, EvaluationError, ParseError, instant_data, range_data

from reference.samples import START_S

CLOSE = 1e-9
_SPECIAL = {"+Inf": "inf", "-Inf": "-inf"}
_PREFIX = 'invalid parameter "query": '


class Span(NamedTuple):
    """When a query is evaluated: at a moment when `step` is 0."""

    start: float
    end: float
    step: float


INSTANTS = tuple(Span(START_S + at, START_S + at, 0) for at in (400, 1234.5, 1500, 2280.123, 3300))
RANGES = (Span(START_S, START_S + 3300, 60), Span(START_S + 907, START_S + 1500, 17))
SPANS = (*INSTANTS, *RANGES)
# Of which the answers are kept in the repository: fewer, so that it stays small.
RECORDED = (INSTANTS[1], INSTANTS[3], Span(START_S + 600, START_S + 2400, 900))


def asked(query: str, span: Span) -> tuple[str, dict[str, object]]:
    """Path and parameters of a question to a Prometheus."""
    if span.step:
        return "query_range", {
            "query": query,
            "start": span.start,
            "end": span.end,
            "step": span.step,
        }
    return "query", {"query": query, "time": span.start}


def answered(engine: Engine, query: str, span: Span) -> dict[str, Any]:
    """The embedded evaluator's answer in the shape of the HTTP API."""
    try:
        if span.step:
            data = range_data(engine.range(query, span.start, span.end, span.step))
        else:
            data = instant_data(engine.instant(query, span.start), round(span.start * 1000))
    except ParseError as error:
        return {"status": "error", "errorType": "bad_data", "error": str(error)}
    except EvaluationError as error:
        return {"status": "error", "errorType": "execution", "error": str(error)}
    return {"status": "success", "data": data}


def difference(query: str, expected: dict[str, Any], actual: dict[str, Any]) -> str:
    """In which respect two answers differ; empty when in none."""
    if expected["status"] != actual["status"]:
        return f"expected {_brief(expected)}, got {_brief(actual)}"
    if expected["status"] == "error":
        same = _text(expected["error"]) == _text(actual["error"])
        same = same and expected["errorType"] == actual["errorType"]
        return "" if same else f"expected {_brief(expected)}, got {_brief(actual)}"
    wanted, got = expected["data"], actual["data"]
    if wanted["resultType"] != got["resultType"]:
        return f"expected a {wanted['resultType']}, got a {got['resultType']}"
    if wanted["resultType"] == "string":
        return "" if wanted["result"][1] == got["result"][1] else "another string"
    if wanted["resultType"] == "scalar":
        return _of_values([wanted["result"]], [got["result"]])
    return _of_rows(query, wanted["result"], got["result"])


def _text(error: str) -> str:
    """Without the two rows that are named as an example: which ones is a matter of chance there."""
    return re.sub(r"match group .*;many", "match group …;many", error.removeprefix(_PREFIX))


def _brief(answer: dict[str, Any]) -> str:
    if answer["status"] == "error":
        return f"{answer['errorType']}: {answer['error']}"
    return str(answer["data"]["resultType"])


def _of_rows(query: str, wanted: list[Any], got: list[Any]) -> str:
    wanted_rows = {_labels(row): _points(row) for row in wanted}
    got_rows = {_labels(row): _points(row) for row in got}
    if wanted_rows.keys() != got_rows.keys():
        missing = sorted(wanted_rows.keys() - got_rows.keys())[:2]
        extra = sorted(got_rows.keys() - wanted_rows.keys())[:2]
        return f"missing rows {missing}, rows too many {extra}"
    for labels, points in wanted_rows.items():
        why = _of_values(points, got_rows[labels])
        if why:
            return f"{dict(labels)}: {why}"
    if wanted and "value" in wanted[0] and query.startswith(("sort(", "sort_desc(")):
        why = _of_values([row["value"] for row in wanted], [row["value"] for row in got])
        return f"order: {why}" if why else ""
    return ""


def _of_values(wanted: list[Any], got: list[Any]) -> str:
    if [round(at * 1000) for at, _ in wanted] != [round(at * 1000) for at, _ in got]:
        return f"{len(got)} values instead of {len(wanted)}, or at other times"
    for (at, expected), (_, actual) in zip(wanted, got, strict=True):
        if not close(_read(expected), _read(actual)):
            return f"at {at}: expected {expected}, got {actual}"
    return ""


def close(wanted: float, got: float) -> bool:
    """Equal, as far as evaluators that add in another order can be."""
    if math.isnan(wanted) or math.isnan(got):
        return math.isnan(wanted) and math.isnan(got)
    return wanted == got or math.isclose(wanted, got, rel_tol=CLOSE, abs_tol=0)


def _read(text: str) -> float:
    return float(_SPECIAL.get(text, text))


def _labels(row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row["metric"].items()))


def _points(row: dict[str, Any]) -> list[Any]:
    return [row["value"]] if "value" in row else list(row["values"])
