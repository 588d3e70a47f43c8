"""For servers and clients: numbers, durations and times as Prometheus writes and reads them."""

from __future__ import annotations

from sregym_promql.durations import duration_ms, duration_text
from sregym_promql.formatter import number
from sregym_promql.response_json import exponent_text, lines, moment, number_text, plain_text

__all__ = [
    "duration_ms",
    "duration_text",
    "exponent_text",
    "lines",
    "moment",
    "number",
    "number_text",
    "plain_text",
]
