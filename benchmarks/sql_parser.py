"""Whether sqlglot would read SQL better than what simulated PostgreSQL and MySQL have of their own.

Plays the tests of sregym-server-sql and hands each statement that reaches the engine to both: to the translation of
`sregym_server_sql.engine`, and to sqlglot, from PostgreSQL or MySQL to SQLite. Prints how many statements sqlglot
parses, for how many SQLite then gives the same rows or the same kind of error, the processor time of both, and that of
the import. Each statement runs twice, sqlglot's in a savepoint: functions with effects outside of the database (ending a
session, the next number of a sequence) differ for that alone, and some of the tests fail. sqlglot is needed for this alone:

    pip install sqlglot==30.30.0
    python benchmarks/sql_parser.py
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sregym_server_sql import engine

TESTS = Path(__file__).parents[1] / "plugins" / "sregym-server-sql" / "tests"
ROUNDS = 5


def dialect() -> str:
    """The server whose statement is carried out: which module of either called the engine."""
    frame = sys._getframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__", "")).rpartition(".")[2]
        if name.startswith(("mysql", "postgres", "psql")):
            return "mysql" if name.startswith("mysql") else "postgres"
        frame = frame.f_back
    return ""


class Comparison:
    """Statements that were carried out, and what came of each in both ways."""

    def __init__(self) -> None:
        self.own = engine._executed
        self.seen: dict[tuple[str, str], str] = {}

    def executed(self, connection: sqlite3.Connection, statement: str, now: str) -> Any:
        """In place of the engine's: carries out sqlglot's translation first, and takes it back."""
        key = dialect(), statement
        if not key[0] or key in self.seen:
            return self.own(connection, statement, now)
        connection.set_progress_handler(None, 0)
        connection.create_function("virtual_now", 0, lambda: now)
        try:
            text = sqlglot.transpile(statement, read=key[0], write="sqlite")[0]
        except sqlglot.errors.SqlglotError:
            text = ""
        connection.execute("SAVEPOINT comparison")
        theirs = outcome(lambda: rows(connection, text)) if text else ("not parsed",)
        connection.execute("ROLLBACK TO comparison")
        connection.execute("RELEASE comparison")
        connection.set_progress_handler(engine._step, engine._INSTRUCTIONS)
        results: list[Any] = []

        def carried_out() -> tuple[Any, ...]:
            results.append(self.own(connection, statement, now))
            return results[0].rows, results[0].changed

        ours = outcome(carried_out)
        self.seen[key] = (
            "not parsed" if not text else "same" if ours == theirs else told(ours, theirs)
        )
        if not results:
            return self.own(connection, statement, now)
        return results[0]


def rows(connection: sqlite3.Connection, text: str) -> tuple[Any, ...]:
    """Rows and number of changes of a statement as SQLite words it."""
    cursor = connection.execute(text)
    return tuple(map(tuple, cursor)), max(0, cursor.rowcount)


def outcome(work: Any) -> tuple[Any, ...]:
    """What a statement gives, or the kind and subject of its error."""
    try:
        return work()
    except sqlite3.Error as error:
        failure = engine._failure(str(error))
        return failure.kind, failure.name.lower()


def told(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> str:
    """How the two differ."""
    if isinstance(theirs[0], tuple):
        return "other rows" if isinstance(ours[0], tuple) else "accepted alone by sqlglot"
    return "refused alone by sqlglot" if isinstance(ours[0], tuple) else "another error"


def cpu_s(work: Any) -> float:
    """The least processor time of some rounds."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> int:
    """Compare, and print."""
    compared = Comparison()
    engine._executed = compared.executed
    quiet = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    pytest.main([*quiet, str(TESTS), *sys.argv[1:]])
    engine._executed = compared.own
    total = len(compared.seen)
    print(f"{total} different statements")
    for what, count in Counter(compared.seen.values()).most_common():
        some = [text for (_, text), found in compared.seen.items() if found == what]
        example = "" if what == "same" else f"; {' '.join(min(some, key=len).split())[:100]}"
        print(f"{count:5} {what} ({count / total:.1%}){example}")
    read = [key for key, what in compared.seen.items() if what != "not parsed"]
    ours = cpu_s(lambda: [engine.outside(text, engine._translated) for _, text in read])
    theirs = cpu_s(
        lambda: [sqlglot.transpile(text, read=name, write="sqlite") for name, text in read]
    )
    print(
        f"a statement: own {ours / len(read) * 1e6:.0f} us, sqlglot {theirs / len(read) * 1e6:.0f} us"
    )
    for name in ("sregym_server_sql.engine", "sqlglot"):
        code = (
            f"import time; t = time.process_time(); import {name}; print(time.process_time() - t)"
        )
        found = [
            float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(ROUNDS)
        ]
        print(f"import {name}: {min(found) * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
