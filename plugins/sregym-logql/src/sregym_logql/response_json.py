"""Responses in the JSON shape of Loki's HTTP API, and as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_promql import formats
from sregym_promql.storage import format_labels

if TYPE_CHECKING:
    from sregym_logql.engine import LogAnswer


def logs_data(answer: LogAnswer) -> dict[str, Any]:
    """`data` of a log query."""
    result = []
    for labels, entries in answer.rows:
        if len(entries) == 1:
            ((at_ns, line),) = entries
            written = [[str(at_ns), line]]
        else:
            written = [[str(at_ns), line] for at_ns, line in entries]
        result.append({"stream": labels, "values": written})
    return {"resultType": "streams", "result": result}


def lines(data: dict[str, Any]) -> list[str]:
    """A line a row; of streams each line behind its time and labels."""
    if data["resultType"] != "streams":
        return formats.lines(data)
    return [
        f"{at} {format_labels(tuple(sorted(stream['stream'].items())))} {line}"
        for stream in data["result"]
        for at, line in stream["values"]
    ]
