"""The evaluator against the recorded answers of Prometheus 2.42, at two moments and over a range."""

from __future__ import annotations

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from sregym_promql import Engine, EvaluationError, ParseError
from sregym_promql.response_json import instant_data, range_data

ANSWERS = Path(__file__).parent / "data" / "answers.jsonl.gz"
START_S = 1_767_258_000
# As in tests/promql/reference/comparing.py: start, end, step; no step for a moment.
SPANS = (
    (START_S + 1234.5, START_S + 1234.5, 0),
    (START_S + 2280.123, START_S + 2280.123, 0),
    (START_S + 600, START_S + 2400, 900),
)
CLOSE = 1e-9


def recorded() -> list[tuple[str, list[Any]]]:
    lines = gzip.decompress(ANSWERS.read_bytes()).decode().split("\n")
    return [tuple(json.loads(line)) for line in lines if line]


RECORDED = recorded()
REFUSED = [case for case in RECORDED if case[1][0]["status"] == "error"]
CARRIED_OUT = [case for case in RECORDED if case[1][0]["status"] == "success"]


def answer(engine: Engine, query: str, span: tuple[float, float, float]) -> dict[str, Any]:
    start, end, step = span
    try:
        if step:
            data = range_data(engine.range(query, start, end, step))
        else:
            data = instant_data(engine.instant(query, start), round(start * 1000))
    except ParseError as error:
        return {"status": "error", "errorType": "bad_data", "error": str(error)}
    except EvaluationError as error:
        return {"status": "error", "errorType": "execution", "error": str(error)}
    return {"status": "success", "data": data}


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Rows by labels, numbers as numbers; which rows an error names as an example is chance."""
    if found["status"] == "error":
        text = found["error"].removeprefix('invalid parameter "query": ')
        text = re.sub(r"match group .*;many", "match group …;many", text)
        return {"type": found["errorType"], "error": text}
    kind, result = found["data"]["resultType"], found["data"]["result"]
    if kind == "string":
        return {kind: result[1]}
    if kind == "scalar":
        return {kind: [number(result)]}
    rows = {
        tuple(sorted(row["metric"].items())): [
            number(point) for point in ([row["value"]] if "value" in row else row["values"])
        ]
        for row in result
    }
    return {kind: rows}


def number(point: list[Any]) -> Any:
    at, text = point
    value = float(text.replace("Inf", "inf"))
    if math.isnan(value):
        return [round(at * 1000), "NaN"]
    return [round(at * 1000), pytest.approx(value, rel=CLOSE, abs=0)]


def test_there_are_enough_queries() -> None:
    assert len(CARRIED_OUT) >= 300
    assert len(REFUSED) >= 100


@pytest.mark.parametrize(("query", "answers"), RECORDED, ids=lambda value: str(value)[:60])
def test_answers_are_those_of_prometheus(
    recorded_engine: Engine, query: str, answers: list[Any]
) -> None:
    spans = SPANS[: len(answers)]
    actual = [comparable(answer(recorded_engine, query, span)) for span in spans]

    assert actual == [comparable(expected) for expected in answers]
