"""`python -m sregym_promql FOLDER`: runs Prometheus' own tests, or others in their format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sregym_promql.dialect import DIALECTS, PROMETHEUS_3, dialect_named
from sregym_promql.script import Outcome, run_script


def main(arguments: list[str] | None = None) -> int:
    """Run all scripts of a folder; 1 when one of their evaluations does not pass."""
    parser = argparse.ArgumentParser(
        prog="python -m sregym_promql",
        description="Runs the .test files of a folder, in the format of Prometheus' promqltest.",
    )
    parser.add_argument("folder", type=Path, help="with files *.test")
    names = [dialect.name for dialect in DIALECTS]
    parser.add_argument("--dialect", choices=names, default=PROMETHEUS_3.name)
    parser.add_argument("--failed", action="store_true", help="tell what does not pass, and why")
    options = parser.parse_args(arguments)
    dialect = dialect_named(options.dialect)
    found: dict[str, Outcome] = {}
    for file in sorted(options.folder.glob("*.test")):
        found[file.name] = run_script(file.read_text(encoding="utf-8"), dialect)
    if not found:
        parser.error(f"no *.test files in {options.folder}")
    lines = [*(_failures(found) if options.failed else ()), *table(found)]
    sys.stdout.write("\n".join([*lines, ""]))
    return 0 if all(one.passed == one.total for one in found.values()) else 1


def table(found: dict[str, Outcome]) -> list[str]:
    """A line a file, and one for all: evaluations that pass, all of them, and the native ones.

    Evaluations that cannot be read do not pass. Those about native histograms are counted apart.
    """
    rows = [(name, one.passed, one.total, one.native) for name, one in found.items()]
    every = found.values()
    native = sum(one.native for one in every)
    rows.append(("all", sum(one.passed for one in every), sum(one.total for one in every), native))
    lines = [f"{'file':36} {'passed':>6} {'total':>6} {'share':>7} {'native':>7}"]
    for name, passed, total, native in rows:
        share = f"{passed / total:.1%}" if total else "-"
        lines.append(f"{name:36} {passed:6} {total:6} {share:>7} {native:7}")
    return lines


def _failures(found: dict[str, Outcome]) -> list[str]:
    lines = []
    for name, outcome in found.items():
        lines += [f"{name}:{one.line}: cannot be read: {one.why}" for one in outcome.unread]
        lines += [
            f"{name}:{one.line}: {one.query}: {one.why}" for one in outcome.checked if not one.ok
        ]
    return lines


if __name__ == "__main__":
    sys.exit(main())
