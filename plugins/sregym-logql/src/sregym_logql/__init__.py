"""LogQL over any storage of log lines: an evaluator with the semantics of Loki.

`Engine` answers log queries and metric queries; `Storage` is what it reads. Metric queries are
evaluated on whole grids of steps, with the vectors and operators of PromQL.
"""

from __future__ import annotations

from sregym_logql.data import Entry, Storage, Stream
from sregym_logql.engine import Engine, LogAnswer
from sregym_logql.errors import LogqlError, PipelineError

__all__ = ["Engine", "Entry", "LogAnswer", "LogqlError", "PipelineError", "Storage", "Stream"]
