"""What holds for every source file: it imports alone, is short, and speaks of the project only."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from workspace import ROOT

LINES = 400
TRACKED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    text=True,
    check=True,
).stdout.splitlines()
SOURCES = [name for name in TRACKED if name.endswith(".py") and (ROOT / name).exists()]
# Split, so that this file does not find itself.
MACHINE = (
    "/work" + "/main",
    "/work" + "/shared",
    "/work" + "/notes",
    "/opt" + "/venvs",
    "/opt" + "/wheels",
    "/opt" + "/pypi",
    "/root/" + ".cache",
    "/root/" + ".pyenv",
    "files.python" + "hosted.org",
    "pypi.org" + "/simple",
    "registry.npm" + "js.org",
    "extra-index" + "-url",
)


def import_alone(*packages: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "import_alone.py"), *map(str, packages)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_every_module_imports_alone_without_a_warning() -> None:
    assert import_alone() == (0, "")


BAD = {
    "__init__.py": "from room import well",
    "well.py": "import room.deep.part",
    "deep/__init__.py": "",
    "deep/part.py": "def late():\n    import room.first",
    # Whoever comes first finds the other, but not the other way round.
    "first.py": "from room import second\nNAME = second.NAME",
    "second.py": "import room.first\nNAME = 1",
    "warns.py": "import warnings\nwarnings.warn('old', DeprecationWarning)",
    "needs_it.py": "from __future__ import annotations\nimport room.warns",
}


def test_what_does_not_import_alone_is_told(tmp_path: Path) -> None:
    for name, text in BAD.items():
        file = tmp_path / "room" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    exit_code, said = import_alone(tmp_path / "room")
    told = [line for line in said.splitlines() if line.endswith("alone")]
    assert (exit_code, told) == (
        1,
        ["room.second cannot be imported alone", "room.warns cannot be imported alone"],
    )
    assert "DeprecationWarning: old" in said


def test_files_are_short() -> None:
    lengths = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in SOURCES}
    assert {name: length for name, length in lengths.items() if length > LINES} == {}


def test_nothing_is_called_by_a_word_that_says_nothing() -> None:
    empty = re.compile(r"(^|/)(utils?|helpers?|managers?|common|misc)(\.py|/)")
    assert [name for name in SOURCES if empty.search(name)] == []


def test_nothing_names_a_machine_or_a_package_host() -> None:
    found = []
    for name in TRACKED:
        path = ROOT / name
        if path.is_file() and path.suffix not in (".png", ".gz", ".ico", ".woff2"):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{name}: {word}" for word in MACHINE if word in text]
    assert found == []


def test_every_module_postpones_annotations() -> None:
    """Ruff asks for it too; files without any code need nothing."""
    missing = [
        name
        for name in SOURCES
        if (text := (ROOT / name).read_text("utf-8"))
        and "import " in text
        and "from __future__ import annotations" not in text
    ]
    assert missing == []


def test_pins_are_names_and_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [line for line in pins if not re.fullmatch(r"[a-z0-9-]+==[\w.+!]+", line)] == []
    assert pins == sorted(pins)
