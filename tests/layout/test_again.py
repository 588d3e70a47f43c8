from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from workspace import ROOT

SOMETIMES = """\
from pathlib import Path

def test_second_time():
    seen = Path(__file__).with_name("seen")
    first = not seen.exists()
    seen.touch()
    assert not first

def test_good():
    pass
"""


def again(folder: Path, text: str, *words: str) -> tuple[int, str]:
    file = folder / "test_it.py"
    file.write_text(text)
    command = [sys.executable, str(ROOT / "tools" / "again.py"), "--rootdir", str(folder), "-q"]
    done = subprocess.run(
        [*command, *words, str(file)], capture_output=True, text=True, check=False, cwd=folder
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("words", [(), ("-p", "xdist.plugin", "-n", "2", "--dist", "worksteal")])
def test_what_passes_alone_is_named(tmp_path: Path, words: tuple[str, ...]) -> None:
    code, said = again(tmp_path, SOMETIMES, *words)
    assert code == 0
    assert said.splitlines()[-1] == (
        "1 failed beside the others and passed alone: test_it.py::test_second_time"
    )


def test_what_fails_twice_fails(tmp_path: Path) -> None:
    code, said = again(tmp_path, "def test_bad():\n    assert False\n")
    assert code == 1
    assert said.count("FAILED test_it.py::test_bad") == 2


def test_many_failures_stand(tmp_path: Path) -> None:
    code, said = again(
        tmp_path, "import pytest\n\n@pytest.mark.parametrize('x', range(4))\ndef test_bad(x):\n    assert x > 9\n"
    )  # fmt: skip
    assert code == 1
    assert "Again" not in said


def test_all_good_says_nothing_more(tmp_path: Path) -> None:
    code, said = again(tmp_path, "def test_good():\n    pass\n")
    assert (code, "alone" in said) == (0, False)
