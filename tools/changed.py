"""Check what changed, in about a minute: `tox -e changed`, or `tox -e changed -- --since REF`.

Compared are the files here, committed or not, with where the branch left `main`. Style, formatting and types of
changed files and of what calls them are checked; then tests run that look at the change, the nearest first,
until 45 s after the beginning. What is left out is counted: `tox` runs it. Where imports changed, or the rules for them, the
rules about who may import whom are checked, too.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import time

from selection import Choice, Chooser
from workspace import ROOT

# Most files of tests: to read more of them takes longer than is left to run them.
MOST_FILES = 80
# Most files whose types are checked because they call what changed.
MOST_CALLERS = 30
# Seconds for the nearest tests, however long it took to read them.
LEAST_S = 15
# Of what import-linter says, whose end tells which rules are broken by which imports.
MOST_SAID = 4000
# Where its rules stand, and which folders there are.
RULES = ("pyproject.toml", "tools/lint_imports.py")


class ChangedError(Exception):
    """Why nothing could be compared."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", help="a commit; where the branch left main when not given")
    parser.add_argument(
        "--seconds", type=float, default=45, help="of the whole, after which no test begins (45)"
    )
    parser.add_argument("--list", action="store_true", help="print what would run, and why")
    options, words = parser.parse_known_args()
    begin = time.time()
    try:
        since = base(options.since)
        changed = changed_files(since)
    except ChangedError as error:
        print(f"changed: {error}", file=sys.stderr)
        return 2
    if not changed:
        print(f"nothing changed since {since}")
        return 0
    selection = Chooser(changed).select()
    tests, rest = selection.tests[:MOST_FILES], selection.tests[MOST_FILES:]
    print(f"{_count(len(changed), 'file')} changed since {since}; {told(selection.tests)}")
    if options.list:
        for choice in selection.tests:
            print(f"  {choice.rank} {choice.path}: {choice.why}")
        return 0
    python = [sys.executable, "-m"]
    checked = [path for path in selection.sources if not _is_data(path)]
    typed = [p for p in [*checked, *selection.callers[:MOST_CALLERS]] if "/src/" in p]
    mypy = (
        subprocess.Popen([*python, "mypy", *typed], cwd=ROOT, text=True, stdout=subprocess.PIPE)
        if typed
        else None
    )
    linter = (
        subprocess.Popen(
            [sys.executable, str(ROOT / "tools" / "lint_imports.py")],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
        )
        if imports_changed(since, changed)
        else None
    )
    codes = {}
    if checked:
        codes["ruff check"] = subprocess.call(
            [*python, "ruff", "check", "--quiet", *checked], cwd=ROOT
        )
        codes["ruff format"] = subprocess.call(
            [*python, "ruff", "format", "--quiet", "--check", *checked], cwd=ROOT
        )
    if tests:
        codes["pytest"] = run(tests, begin + options.seconds, words)
    if mypy is not None:
        said, _ = mypy.communicate()
        codes["mypy"] = mypy.returncode
        print(f"mypy, {len(typed)} files: {said.strip()}")
    if linter is not None:
        said, _ = linter.communicate()
        codes["import-linter"] = linter.returncode
        print(
            f"import-linter: {said.strip()[-MOST_SAID:] if linter.returncode else 'who may import whom is kept'}"
        )
    for note in selection.notes:
        print(f"not run here: {note}")
    if rest:
        print(f"not run here: {told(rest)}: tox runs all")
    failed = [name for name, code in codes.items() if code]
    print(f"{time.time() - begin:.0f} s: {', '.join(failed) + ' failed' if failed else 'well'}")
    return 1 if failed else 0


def base(since: str | None) -> str:
    """The commit to compare with, shortened."""
    words = (
        ["rev-parse", "--short", f"{since}^{{commit}}"] if since else ["merge-base", "HEAD", "main"]
    )
    done = _git(*words)
    if done.returncode and since:
        raise ChangedError(f"git knows no commit {since!r}; name one with --since")
    if done.returncode:
        raise ChangedError("there is no branch main to compare with; name a commit with --since")
    return done.stdout.strip()[:10]


def changed_files(since: str) -> list[str]:
    """Paths from the root, of what is there now and of what is gone."""
    found = _git("diff", "--name-only", "--no-renames", since).stdout
    found += _git("ls-files", "--others", "--exclude-standard").stdout
    return sorted(set(found.splitlines()))


def imports_changed(since: str, changed: list[str]) -> bool:
    """Whether a module came or went, imports something else than before, or the rules changed."""
    if any(path in RULES for path in changed):
        return True
    for path in changed:
        if path.endswith(".py") and "/src/" in path and not _is_data(path):
            done, file = _git("show", f"{since}:{path}"), ROOT / path
            before = None if done.returncode else done.stdout
            after = file.read_text(encoding="utf-8") if file.exists() else None
            if other_imports(before, after):
                return True
    return False


def other_imports(before: str | None, after: str | None) -> bool:
    """Whether two texts of a module import other things; None is no module, and another one than any."""
    if before is None or after is None:
        return True
    try:
        return _imports(before) != _imports(after)
    except SyntaxError:  # whoever runs the tests is told where
        return True


def _imports(text: str) -> set[str]:
    nodes = ast.walk(ast.parse(text))
    return {ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}


def told(choices: list[Choice]) -> str:
    """How many files of tests, by why they were chosen."""
    ranks = {
        "changed": (1,), "near": (2, 3, 4, 5), "in the same distribution": (6,), "further off": (7, 8, 9),
    }  # fmt: skip
    parts = [
        f"{number} {name}"
        for name, among in ranks.items()
        if (number := sum(choice.rank in among for choice in choices))
    ]
    return _count(len(choices), "file") + " of tests" + (f" ({', '.join(parts)})" if parts else "")


def run(tests: list[Choice], until: float, words: list[str]) -> int:
    """Run files of tests in this order, one test at a time on each processor, until a moment of the epoch.

    One process for each processor and no more: each reads all of the files, and types are checked beside them.
    """
    number = str(os.cpu_count() or 1)
    several = ("-p", "xdist.plugin", "-n", number, "--dist", "load", "--maxschedchunk", "1")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "deadline",
        "--until",
        str(until),
        "--least",
        str(LEAST_S),
        *several,
    ]
    paths = os.pathsep.join((str(ROOT / "tools"), os.environ.get("PYTHONPATH", ""))).strip(
        os.pathsep
    )
    settings = {**os.environ, "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    code = subprocess.call([*command, *words, *(c.path for c in tests)], cwd=ROOT, env=settings)
    return 0 if code == 5 else code  # files whose tests are all marked thorough


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _is_data(path: str) -> bool:
    return "/template/" in path


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
