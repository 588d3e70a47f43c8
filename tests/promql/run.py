"""Compares the embedded evaluator of PromQL with a real Prometheus, or records the latter's answers.

python tests/promql/run.py                         the corpora, then some hundred queries by chance
python tests/promql/run.py --random 2000 --seed 7  more of them, others
python tests/promql/run.py --record                renews the recorded answers of the default tests

python tests/promql/run.py --dialect 3 --program PATH  the same with a Prometheus 3, but for error texts

Needs the program `prometheus` (apt package prometheus, 2.42). Ends with 1 when an answer differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

from reference.chance import Chance
from reference.comparing import RECORDED, SPANS, answered, asked, difference
from reference.samples import STALE, rows, text
from reference.server import PROGRAM, Reference, running
from sregym_promql import DIALECTS, Dialect, Engine, Memory, dialect_named, parse_openmetrics
from sregym_promql.storage import STALE as STALE_VALUE

ROOT = Path(__file__).resolve().parents[2]
# Of Prometheus 3, what it calls experimental.
FEATURES = "promql-experimental-functions,promql-delayed-name-removal,promql-duration-expr"
DATA = ROOT / "plugins/sregym-promql/tests/data"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="renew the recorded answers")
    parser.add_argument("--random", type=int, default=400, help="how many queries by chance")
    parser.add_argument("--seed", type=int, default=1, help="which")
    names = [dialect.name for dialect in DIALECTS]
    parser.add_argument("--dialect", choices=names, default="2.42", help="which is compared")
    parser.add_argument("--program", default=PROGRAM, help="the Prometheus that is asked")
    options = parser.parse_args()
    dialect = dialect_named(options.dialect)
    series = rows()
    try:
        features = FEATURES if dialect.later_functions else ""
        with running(series, options.program, features) as reference:
            if options.record:
                return record(reference)
            queries = [*corpus("queries.txt"), *corpus("errors.txt")]
            chance = Chance(options.seed)
            queries += [chance.query() for _ in range(options.random)]
            return compare(reference, queries, dialect)
    except FileNotFoundError as error:
        sys.stdout.write(f"skipped: {error}\n")
        return 0


def corpus(name: str) -> list[str]:
    return [line for line in (DATA / name).read_text().split("\n") if line]


def engine(dialect: Dialect) -> Engine:
    lines = text(rows())
    plain = parse_openmetrics(lines.replace(STALE, "NaN"))
    stale = [STALE in line for line in lines.splitlines() if not line.startswith("#")]
    return Engine(
        Memory(
            sample._replace(value=STALE_VALUE) if marked else sample
            for sample, marked in zip(plain, stale, strict=True)
        ),
        dialect=dialect,
    )


def compare(reference: Reference, queries: list[str], dialect: Dialect) -> int:
    ours = engine(dialect)
    evaluations = different = 0
    for query in queries:
        for span in SPANS:
            path, parameters = asked(query, span)
            expected = reference.ask(path, **parameters)
            found = answered(ours, query, span)
            failed = expected["status"] == found["status"] == "error"
            # Texts of errors are those of 2.42.
            by_text = not (failed and dialect.later_functions)
            why = difference(query, expected, found) if by_text else ""
            evaluations += 1
            if why:
                different += 1
                sys.stdout.write(f"{query}\n    {span}: {why}\n")
                break
    sys.stdout.write(
        f"{len(queries)} queries, {evaluations} evaluations: {different} queries differ\n"
    )
    return 1 if different else 0


def record(reference: Reference) -> int:
    """Write what the default tests compare with: samples, and a line for each query."""
    lines = []
    for query in [*corpus("queries.txt"), *corpus("errors.txt")]:
        answers = []
        for span in RECORDED:
            path, parameters = asked(query, span)
            answers.append(reference.ask(path, **parameters))
            if answers[-1]["status"] == "error":
                break
        lines.append(json.dumps([query, answers], separators=(",", ":")))
    _write("samples.om.gz", text(rows()))
    _write("answers.jsonl.gz", "\n".join([*lines, ""]))
    return 0


def _write(name: str, content: str) -> None:
    # Without the moment of writing, so that equal contents are equal files.
    (DATA / name).write_bytes(gzip.compress(content.encode(), mtime=0))


if __name__ == "__main__":
    sys.exit(main())
