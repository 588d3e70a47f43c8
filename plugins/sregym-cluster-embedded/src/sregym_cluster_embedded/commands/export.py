"""`sregym export telemetry`: metrics, logs and traces of an episode as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_cluster_embedded.export.replay import Replayed

# What of the healthy system before an episode is written besides.
HEALTHY_S = 300.0


class Export(Subcommand):
    """Writes down what an episode's cluster could be observed by."""

    name: ClassVar[str] = "export"
    summary: ClassVar[str] = "write metrics, logs and traces of an episode to files"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym export telemetry runs/run-0001/episodes/e0001 --format csv",
        "sregym export telemetry problem.yaml --hour broken",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """What to export, of which episode, as what, where to."""
        parser.add_argument("what", choices=("telemetry",), help="what to export")
        parser.add_argument(
            "episode",
            metavar="EPISODE",
            help="folder of an episode (RUN/episodes/e0001 or RUN/e0001); with --hour also a problem id",
        )
        parser.add_argument(
            "--format",
            choices=("parquet", "csv", "jsonl"),
            default="parquet",
            help="format of the files (default: parquet)",
        )
        parser.add_argument(
            "--hour",
            choices=("healthy", "broken"),
            help="instead of the episode an hour of its problem: with nothing broken, or nothing repaired",
        )
        parser.add_argument(
            "--only",
            action="append",
            choices=("metrics", "logs", "traces"),
            help="only this table; may be given several times (default: all)",
        )
        parser.add_argument(
            "--seed", type=int, help="seed of the hour (default: that of the episode, else 0)"
        )
        parser.add_argument(
            "--out",
            metavar="FOLDER",
            type=Path,
            help="folder to write to (default: telemetry-EPISODE)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: what was written")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play it again and write it down."""
        from sregym_cluster_embedded.export.formats import FORMATS, check
        from sregym_cluster_embedded.export.tables import TABLES, Period

        check(arguments.format)
        name, found = self._world(arguments)
        folder = arguments.out or Path(f"telemetry-{name}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"folder {str(folder)!r} cannot be written: {error.strerror}; choose another with --out"
            raise UsageError(msg) from error
        period = Period(max(0.0, found.began - HEALTHY_S), found.world.now)
        make, ending = FORMATS[arguments.format]
        written = {}
        for table in TABLES:
            if arguments.only and table.name not in arguments.only:
                continue
            path = folder / f"{table.name}.{ending}"
            with make(path, table.columns) as writer:
                for batch in table.rows(found.world, period):
                    writer.add(batch)
            written[table.name] = {"file": str(path), "rows": writer.rows}
        if arguments.json:
            epoch = found.world.epoch
            span = {"start": epoch + period.start, "end": epoch + period.end}
            self.console.json({"span": span, "tables": written}, one_line=True)
        else:
            rows = [(key, str(one["rows"]), str(one["file"])) for key, one in written.items()]
            self.console.table(("table", "rows", "file"), tuple(rows))
        return ExitCode.DONE

    def _world(self, arguments: argparse.Namespace) -> tuple[str, Replayed]:
        """A name for the folder, and the world."""
        from sregym_core.api import Workspace

        from sregym_cluster_embedded.export.records import find
        from sregym_cluster_embedded.export.replay import an_hour, replayed

        workspace = Workspace(self.settings)
        recorded = find(arguments.episode)
        if recorded is None and (arguments.hour is None or "/" in arguments.episode):
            msg = f"{arguments.episode!r} is no episode: it has no record.json; give a folder like RUN/episodes/e0001"
            raise UsageError(msg)
        if arguments.hour is None:
            assert recorded is not None
            if arguments.seed is not None:
                msg = "--seed goes with --hour: an episode has its own seed"
                raise UsageError(msg)
            return recorded.record.episode, replayed(workspace, recorded)
        problem = arguments.episode if recorded is None else recorded.record.problem
        seed = arguments.seed
        if seed is None:
            seed = 0 if recorded is None else recorded.record.seed
        hour = an_hour(workspace, problem, seed, broken=arguments.hour == "broken")
        return f"{arguments.hour}-{problem}", hour
