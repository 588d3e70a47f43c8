"""`sregym promql`: evaluates an expression over a file of samples, or runs a script of tests."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

from sregym_cluster_embedded.commands.files import content

if TYPE_CHECKING:
    import argparse

    from sregym_promql import Dialect


class Promql(Subcommand):
    """PromQL without a cluster."""

    name: ClassVar[str] = "promql"
    summary: ClassVar[str] = "evaluate PromQL over a file of samples, or run a script of tests"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym promql 'rate(requests_total[5m])' --samples samples.om",
        "sregym promql --script rules.test",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Expression, samples, times, script."""
        parser.add_argument("expression", metavar="EXPR", nargs="?", help="the query")
        parser.add_argument(
            "--samples", metavar="FILE", type=Path, help="samples as OpenMetrics text, with times"
        )
        parser.add_argument(
            "--script", metavar="FILE", type=Path, help="run a script in the format of promqltest"
        )
        parser.add_argument(
            "--at",
            metavar="TIME",
            help="time of the query, Unix seconds or RFC 3339 (default: that of the last sample)",
        )
        parser.add_argument("--start", metavar="TIME", help="start of a range")
        parser.add_argument("--end", metavar="TIME", help="end of the range, inclusive")
        parser.add_argument(
            "--step", metavar="SECONDS", type=float, help="step of a query over a range"
        )
        parser.add_argument(
            "--dialect",
            metavar="VERSION",
            default="2.42",
            help="version of Prometheus whose PromQL it is: 2.42 (default) or 3",
        )
        parser.add_argument(
            "--json", action="store_true", help="print JSON, as Prometheus' HTTP API"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Evaluate, or run the script."""
        if arguments.script is not None:
            return self._script(arguments)
        if arguments.expression is None or arguments.samples is None:
            message = "promql needs EXPR and --samples FILE, or --script FILE"
            raise UsageError(message)
        return self._evaluate(arguments)

    def _script(self, arguments: argparse.Namespace) -> ExitCode:
        from sregym_promql import run_script

        outcome = run_script(content(arguments.script), _dialect(arguments))
        checked, left_out = outcome.checked, outcome.left_out
        good = sum(one.ok for one in checked)
        if arguments.json:
            self.console.json(
                {
                    "evaluations": [one.as_json() for one in checked],
                    "ok": good,
                    "total": len(checked),
                    "unread": [one.as_json() for one in outcome.unread],
                    "left_out": left_out,
                }
            )
        else:
            for line in outcome.unread:
                self.console.say(f"{arguments.script}:{line.line}: cannot be read: {line.why}")
            for one in checked:
                if not one.ok:
                    self.console.say(f"{arguments.script}:{one.line}: {one.query}: {one.why}")
            rest = (
                f"; {left_out} left out, which cannot be read or lack samples" if left_out else ""
            )
            self.console.say(f"{good} of {len(checked)} evaluations are as expected{rest}")
        # A script in which nothing is evaluated shows nothing.
        whole = good == len(checked) and not outcome.unread and bool(checked or left_out)
        return ExitCode.DONE if whole else ExitCode.FAILED

    def _evaluate(self, arguments: argparse.Namespace) -> ExitCode:
        from sregym_promql import (
            Engine,
            EvaluationError,
            Memory,
            ParseError,
            SamplesError,
            parse_openmetrics,
        )
        from sregym_promql.formats import lines

        try:
            memory = Memory(parse_openmetrics(content(arguments.samples)))
        except SamplesError as error:
            message = f"{arguments.samples}: {error}"
            raise UsageError(message) from None
        try:
            engine = Engine(memory, dialect=_dialect(arguments))
            data, notes = _data(engine, arguments, memory.newest_ms() / 1000)
        except (ParseError, EvaluationError) as error:
            kind = "bad_data" if isinstance(error, ParseError) else "execution"
            if arguments.json:
                answer = {"status": "error", "errorType": kind, "error": str(error)}
                self.console.json(answer)
                return ExitCode.FAILED
            raise UsageError(str(error)) from None
        if arguments.json:
            self.console.json({"status": "success", "data": data, **notes})
        else:
            for line in (*lines(data), *(text for texts in notes.values() for text in texts)):
                self.console.say(line)
        return ExitCode.DONE


def _data(
    engine: Any, arguments: argparse.Namespace, newest_s: float
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The data of the answer, and what is said of it."""
    from sregym_promql import annotations_json, instant_data, range_data

    query = arguments.expression
    if arguments.start is None and arguments.end is None:
        at = newest_s if arguments.at is None else _seconds(arguments.at)
        found = engine.instant(query, at)
        return instant_data(found, round(at * 1000)), annotations_json(found.notes, query)
    if None in (arguments.start, arguments.end, arguments.step):
        message = "a range needs --start, --end and --step"
        raise UsageError(message)
    start, end = _seconds(arguments.start), _seconds(arguments.end)
    if end < start or arguments.step <= 0:
        message = "--end must not be before --start, and --step must be more than zero"
        raise UsageError(message)
    found = engine.range(query, start, end, arguments.step)
    return range_data(found), annotations_json(found.notes, query)


def _dialect(arguments: argparse.Namespace) -> Dialect:
    from sregym_promql import dialect_named

    try:
        return dialect_named(arguments.dialect)
    except ValueError as error:
        message = f"--dialect: {error}"
        raise UsageError(message) from None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except ValueError:
        message = f"not a time: {text!r}: Unix seconds, or 2026-01-01T09:00:00Z"
        raise UsageError(message) from None
