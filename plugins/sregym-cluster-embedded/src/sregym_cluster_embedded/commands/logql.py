"""`sregym logql`: evaluates a query over a file of log lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

from sregym_cluster_embedded.commands.files import content

if TYPE_CHECKING:
    import argparse

    from sregym_logql import Engine
    from sregym_logql.memory import Memory


class Logql(Subcommand):
    """LogQL without a cluster."""

    name: ClassVar[str] = "logql"
    summary: ClassVar[str] = "evaluate LogQL over a file of log lines"
    examples: ClassVar[tuple[str, ...]] = (
        'sregym logql \'{app="web"} |= "error"\' --lines lines.jsonl --limit 20',
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Query, lines, times."""
        from pathlib import Path

        parser.add_argument("query", metavar="QUERY", help="the query")
        parser.add_argument(
            "--lines",
            "--samples",
            dest="lines",
            metavar="FILE",
            type=Path,
            required=True,
            help='a JSON object a line: {"ts", "labels", "line"}',
        )
        parser.add_argument(
            "--at", metavar="TIME", help="time of a metric query (default: that of the last line)"
        )
        parser.add_argument(
            "--start",
            metavar="TIME",
            help="start of the range, Unix seconds or RFC 3339 (default: the first line)",
        )
        parser.add_argument(
            "--end",
            metavar="TIME",
            help="end of the range, exclusive (default: after the last line)",
        )
        parser.add_argument(
            "--step", metavar="SECONDS", type=float, help="step of a metric query over the range"
        )
        parser.add_argument(
            "--limit", metavar="N", type=int, default=100, help="most lines to print (default: 100)"
        )
        parser.add_argument(
            "--direction",
            choices=("backward", "forward"),
            default="backward",
            help="order of the lines (default: backward, the latest first)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON, as Loki's HTTP API")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Evaluate."""
        from sregym_logql import Engine, LogqlError, PipelineError
        from sregym_logql.memory import LinesError, Memory, parse_lines
        from sregym_logql.response_json import lines

        try:
            memory = Memory(parse_lines(content(arguments.lines)))
        except LinesError as error:
            message = f"{arguments.lines}: {error}"
            raise UsageError(message) from None
        try:
            data = _data(Engine(memory, now_ns=memory.span_ns()[1]), memory, arguments)
        except (LogqlError, PipelineError) as error:
            if not arguments.json:
                raise UsageError(str(error)) from None
            self.console.json({"status": "error", "errorType": "bad_data", "error": str(error)})
            return ExitCode.FAILED
        if arguments.json:
            self.console.json({"status": "success", "data": data})
        else:
            for line in lines(data):
                self.console.say(line)
        return ExitCode.DONE


def _data(engine: Engine, memory: Memory, arguments: argparse.Namespace) -> dict[str, Any]:
    from sregym_logql.response_json import logs_data
    from sregym_promql import instant_data, range_data

    first, last = memory.span_ns()
    at = last if arguments.at is None else _nanoseconds(arguments.at)
    start = first if arguments.start is None else _nanoseconds(arguments.start)
    end = at + 1 if arguments.end is None else _nanoseconds(arguments.end)
    if engine.is_logs(arguments.query):
        forward = arguments.direction == "forward"
        return logs_data(engine.logs(arguments.query, start, end, arguments.limit, forward=forward))
    if arguments.step is not None:
        step = round(arguments.step * 1e9)
        return range_data(engine.range(arguments.query, start, end, step))
    return instant_data(engine.instant(arguments.query, at), at // 1_000_000)


def _nanoseconds(text: str) -> int:
    from sregym_logql.memory import nanoseconds

    try:
        return nanoseconds(text)
    except ValueError:
        message = f"not a time: {text!r}: Unix seconds or nanoseconds, or 2026-01-01T09:00:00Z"
        raise UsageError(message) from None
