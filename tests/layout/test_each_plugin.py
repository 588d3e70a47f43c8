"""`tools/each_plugin.py` tests each folder in an environment of its own, large ones in parts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from each_plugin import Compiled, Result, parts, report, run
from workspace import ROOT, Project, projects


def files(folder: Path) -> list[str]:
    found = folder.rglob("test_*.py") if folder.is_dir() else [folder]
    return [path.relative_to(ROOT).as_posix() for path in found]


@pytest.mark.parametrize("most", [200_000, 500_000])
def test_the_parts_of_a_suite_are_the_whole_of_it(most: int) -> None:
    for project in projects():
        shares = parts(project, most)
        ran = [name for share in shares for place in share for name in files(ROOT / place)]
        assert sorted(ran) == sorted(files(project.folder / "tests"))
        assert all(shares)


def test_parts_are_about_as_large_as_asked_for() -> None:
    [embedded] = [project for project in projects() if project.name == "sregym-cluster-embedded"]
    sizes = [
        sum((ROOT / name).stat().st_size for place in share for name in files(ROOT / place))
        for share in parts(embedded, 500_000)
    ]
    assert len(sizes) > 1
    assert max(sizes) <= 500_000
    assert max(sizes) < 1.3 * min(sizes)


def test_a_small_suite_stays_whole() -> None:
    [console] = [project for project in projects() if project.name == "sregym-reporter-console"]
    assert parts(console, 200_000) == [["plugins/sregym-reporter-console/tests"]]


def test_times_of_processors_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    project = Project(ROOT / "plugins" / "sregym-reporter-console")
    made = Result(project, 0, 1.5, 0.25, "")
    well = Result(project, 0, 3.0, 2.0, "...\n22 passed in 2.20s\n")
    bad = Result(project, 1, 4.0, 3.0, "F\n1 failed in 3.00s\n")
    assert report([well], {project.name: made}) == 0
    assert report([well, bad], {project.name: made}) == 1
    said = capsys.readouterr().out
    assert (
        said
        == """\
distribution                          made + tested in s (processor)
sregym-reporter-console      ok          1.5 (  0.2) +    3.0 (  2.0)  22 passed in 2.20s
1 folders: 0 s of processors to make, 2 s to test
distribution                          made + tested in s (processor)
sregym-reporter-console      ok          1.5 (  0.2) +    3.0 (  2.0)  22 passed in 2.20s
sregym-reporter-console      exit 1      1.5 (  0.2) +    4.0 (  3.0)  1 failed in 3.00s
1 folders: 0 s of processors to make, 5 s to test

===== sregym-reporter-console
F
1 failed in 3.00s

"""
    )


def test_commands_run_up_to_the_first_that_fails() -> None:
    project = Project(ROOT / "plugins" / "sregym-reporter-console")
    python = [sys.executable, "-c"]
    busy = "end = __import__('time').process_time() + 0.2\nwhile __import__('time').process_time() < end: pass"
    codes = [[*python, "print('a')"], [*python, f"{busy}\nexit(3)"], [*python, "print('b')"]]
    result = run(project, codes)
    assert (result.exit_code, result.output) == (3, "a\n")
    assert result.processor_seconds >= 0.2


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("each_plugin", "no folder that is tested here holds sregym-acme"),
        ("wheels", "no folder of this repository holds sregym-acme"),
        ("build", "no folder of this repository holds sregym-acme"),
    ],
)
def test_unknown_distributions_are_refused(tool: str, said: str, tmp_path: Path) -> None:
    words = [str(tmp_path)] if tool == "build" else []
    command = [sys.executable, str(ROOT / "tools" / f"{tool}.py"), *words, "sregym-acme"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"{tool}.py: error: {said}"


def _made(folder: Path, text: str) -> Path:
    """An environment's packages with one module, of a moment that is the same in all."""
    folder.mkdir()
    module = folder / "asked.py"
    module.write_text(text)
    os.utime(module, (1e9, 1e9))
    return folder


def _imported(site_packages: Path) -> str:
    """What the module says, in an interpreter that may compile."""
    words = [sys.executable, "-S", "-c", "import asked; print(asked.word)"]
    environment = {"PYTHONPATH": str(site_packages)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_what_was_compiled_in_one_environment_is_there_in_the_next(tmp_path: Path) -> None:
    compiled = Compiled()
    first, second, other = (
        _made(tmp_path / name, f"word = {word!r}\n")
        for name, word in (("first", "same"), ("second", "same"), ("other", "another"))
    )
    (tmp_path / "none").mkdir()
    assert _imported(first) == "same"
    compiled.take(first)
    for place in (second, other, tmp_path / "none"):
        compiled.give(place)
    (made,) = (first / "__pycache__").iterdir()
    linked = second / "__pycache__" / made.name
    assert linked.samefile(made)
    assert (_imported(second), linked.samefile(made)) == ("same", True)
    # Of another file it is not taken, and what it was compiled of stays as it is.
    content = made.read_bytes()
    assert _imported(other) == "another"
    assert made.read_bytes() == content
    assert not (tmp_path / "none" / "__pycache__").exists()
    # A second time, when all is there already, changes nothing.
    compiled.give(second)
    assert _imported(second) == "same"
