"""LogQL over any storage of log lines: an evaluator with the semantics of Loki.

    >>> from sregym_logql import Engine, Entry, Memory
    >>> engine = Engine(Memory([((("app", "web"),), Entry(1_000_000_000, "level=error took=3s"))]))
    >>> answer = engine.logs('{app="web"} | logfmt | took > 1s', 0, 2_000_000_000, 10)
    >>> [entry.line for stream in answer.streams for entry in stream.entries]
    ['level=error took=3s']

`Engine` answers log queries and metric queries; `Storage` is what it reads, `Memory` one of lines that
are at hand. `parse` gives the typed tree (`sregym_logql.nodes`), `pretty` writes it again. Metric
queries are evaluated on whole grids of steps, with the vectors and operators of PromQL
(`sregym_promql`). What cannot be read is a `LogqlError`, whose text says in which line and column.

What a query may cost is said by `sregym_regex.budget`: its work spends of the budget that is in force,
and raises when there is none left.
"""

from __future__ import annotations

from sregym_logql.engine import Engine, LogAnswer
from sregym_logql.errors import LogqlError, PipelineError
from sregym_logql.formatter import line, pretty
from sregym_logql.memory import Memory
from sregym_logql.nodes import Logs
from sregym_logql.parsing import parse, parse_selector
from sregym_logql.streams import Entry, Storage, Stream

__all__ = [
    "Engine",
    "Entry",
    "LogAnswer",
    "LogqlError",
    "Logs",
    "Memory",
    "PipelineError",
    "Storage",
    "Stream",
    "line",
    "parse",
    "parse_selector",
    "pretty",
]
