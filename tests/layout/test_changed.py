"""`tox -e changed` runs what looks at a change, the nearest first, as long as there is time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from changed import imports_changed, other_imports, told
from selection import Choice, Chooser
from workspace import ROOT

LOAD = "plugins/sregym-injector-load"
DOWN = "plugins/sregym-app-train-ticket/src/sregym_app_train_ticket/service_model.yaml"
FIVE = """
import pytest


@pytest.mark.parametrize("number", range(5))
def test_it(number):
    pass
"""


def run(*words: str, folder: Path = ROOT) -> tuple[int, str, str]:
    command = [sys.executable, *words]
    settings = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_tests_are_chosen_the_nearest_first() -> None:
    """One selection for three kinds of changes: a module, a file of data, a README."""
    selection = Chooser(
        [f"{LOAD}/src/sregym_injector_load/rates.py", DOWN, "plugins/sregym-openenv/README.md"]
    ).select()
    found = {choice.path: (choice.rank, choice.why) for choice in selection.tests}
    assert found[f"{LOAD}/tests/test_contract.py"] == (2, "imports it")
    assert found["tests/integration/test_schemas.py"] == (4, "names service_model.yaml")
    mine = "plugins/sregym-app-train-ticket/tests/test_problems.py"
    assert found[mine] == (6, "stands in its folder")
    assert found["plugins/sregym-app-deathstarbench/tests/test_problems.py"] == (8, "declares it")
    assert found["tests/layout/test_sources.py"] == (9, "looks at all files")
    assert "plugins/sregym-server-consul/tests/test_contract.py" not in found
    assert [choice.rank for choice in selection.tests] == sorted(rank for rank, _ in found.values())
    assert selection.sources == [f"{LOAD}/src/sregym_injector_load/rates.py"]
    names = ("connections", "mixes")
    callers = [f"{LOAD}/src/sregym_injector_load/{name}.py" for name in names]
    assert selection.callers == callers
    assert selection.notes == [
        "sregym-openenv stands alone: tox -e adapters -- sregym-openenv",
        "plugins/sregym-openenv/README.md: tox -e docs",
    ]


def test_a_change_of_tests_runs_them() -> None:
    folder = "sregym_statistics/tests"
    changed = [f"{LOAD}/tests/test_contract.py", f"{folder}/conftest.py"]
    chosen = Chooser(changed).select().tests
    files = sorted(path.name for path in (ROOT / folder).rglob("test_*.py"))
    assert [choice for choice in chosen if choice.rank == 1] == [
        Choice(1, 0, changed[0], "changed"),
        *(Choice(1, 1, f"{folder}/{name}", "uses conftest.py") for name in files),
    ]


def test_what_is_left_out_is_told() -> None:
    choices = [Choice(rank, 0, f"{rank}", "") for rank in (1, 2, 2, 6, 8, 9)]
    assert told(choices) == (
        "6 files of tests (1 changed, 2 near, 1 in the same distribution, 2 further off)"
    )
    assert told([]) == "0 files of tests"


@pytest.mark.parametrize(
    ("before", "after", "other"),
    [
        ("import os\n\nprint(1)\n", "import os\n\nprint(2)\n", False),
        ("from a import b, c\n", "from a import (\n    b,\n    c,\n)\n", False),
        ("import os\n", "import os\nimport sys\n", True),
        ("import os\n", "def f():\n    from a import b\n", True),
        ("import os\n", "import os\ndef (\n", True),
        (None, "print(1)\n", True),
        ("print(1)\n", None, True),
    ],
)
def test_other_imports_are_seen(before: str | None, after: str | None, other: bool) -> None:
    assert other_imports(before, after) is other


def test_rules_and_new_modules_have_imports_checked_and_tests_and_pages_have_not() -> None:
    load = f"{LOAD}/src/sregym_injector_load"
    assert imports_changed("HEAD", ["pyproject.toml"])
    assert imports_changed("HEAD", [f"{load}/no_such_module.py"])
    assert not imports_changed("HEAD", ["README.md", f"{LOAD}/tests/no_such_test.py"])


@pytest.mark.parametrize("words", [(), ("-p", "xdist.plugin", "-n", "1")], ids=["one", "xdist"])
def test_no_further_test_begins_when_the_time_is_over(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "test_it.py").write_text(FIVE, encoding="utf-8")
    pytest_ = ("-m", "pytest", "-p", "deadline", "--until", "0", "-q", *words, "test_it.py")
    code, said, _ = run(*pytest_, folder=tmp_path)
    assert code == 0
    assert "4 of 5 tests left out: no time left; `tox` runs them" in said
    assert "1 passed" in said
    code, said, _ = run(*pytest_, "--least", "1000", folder=tmp_path)
    assert (code, "5 passed" in said, "left out" in said) == (0, True, False)


def test_files_that_git_does_not_know_yet_are_changes() -> None:
    code, said, _ = run("tools/changed.py", "--list", "--since", "HEAD")
    status = _git("status", "--porcelain", "--untracked-files=all", "--no-renames").splitlines()
    assert code == 0
    first = said.partition(" changed since ")[0]
    number = len(status)
    assert first == ("nothing" if not number else f"{number} file{'s' if number > 1 else ''}")


def test_an_unknown_commit_is_refused() -> None:
    assert run("tools/changed.py", "--since", "no-such-branch") == (
        *(2, ""),
        "changed: git knows no commit 'no-such-branch'; name one with --since\n",
    )


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
