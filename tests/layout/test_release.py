"""`tools/release.py bump` gives all distributions one version, and the changelog its release."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import ROOT

PROJECT = """[project]
name = "{name}"
version = "0.1.0"
dependencies = [{requires}]

[dependency-groups]
test = ["sregym-core[testing]>=0.1,<0.2", "pyyaml>=0.1,<0.2"]
"""
FRAGMENTS = {
    "+doors.added.md": "sregym-oracle-state: doors can be opened.\n\nAnd closed.\n",
    "+gates.added.md": "sregym-core: gates, too.\n",
    "+hinges.fixed.md": "sregym-core: hinges: no noise.\n",
    "12.changed.md": "sregym: the whole house.\n",
}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small repository: the root, the core, a plugin, a package of somebody else, four fragments."""
    projects = {
        "": ("sregym", '"sregym-core>=0.1,<0.2"'),
        "sregym_core": ("sregym-core", '"pluggy>=1.5"'),
        "plugins/sregym-oracle-state": ("sregym-oracle-state", '"sregym-core>=0.1,<0.2"'),
        "tests/acme": ("acme", '"sregym-oracle-state>=0.1,<0.2"'),
    }
    for folder, (name, requires) in projects.items():
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        text = PROJECT.format(name=name, requires=requires)
        (place / "pyproject.toml").write_text(text, encoding="utf-8")
    core = tmp_path / "sregym_core" / "src" / "sregym_core" / "__init__.py"
    core.parent.mkdir(parents=True)
    core.write_text('NAME = "0.1.0"\n__version__ = "0.1.0"\n', encoding="utf-8")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    [towncrier] = re.findall(r"(?ms)^\[tool\.towncrier\]$.*?^\]$", settings)
    with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{towncrier}\n")
    log = "# Changelog\n\n<!-- releases, the latest first -->\n\n## 0.0.9 (2020-02-02)\n\nOld.\n"
    (tmp_path / "CHANGELOG.md").write_text(log, encoding="utf-8")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("How.\n", encoding="utf-8")
    for name, text in FRAGMENTS.items():
        (tmp_path / "changelog.d" / name).write_text(text, encoding="utf-8")
    (tmp_path / "tools").mkdir()
    for name in ("release.py", "workspace.py", "changelog.md.jinja"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    (tmp_path / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(house: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
    done = subprocess.run(command, cwd=house, capture_output=True, text=True, check=True)
    return done.stdout


def commit(house: Path) -> None:
    git(house, "add", "--all")
    git(house, "commit", "--quiet", "--message", "A house")


def bump(house: Path, version: str) -> tuple[int, str, str]:
    command = [sys.executable, "tools/release.py", "bump", version, "--date", "2026-11-28"]
    done = subprocess.run(command, cwd=house, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_release_has_one_version_and_a_changelog(house: Path) -> None:
    assert bump(house, "0.3.0") == (
        0,
        "0.1.0 -> 0.3.0: 5 files with the version or a range of it, 4 fragments in CHANGELOG.md\n"
        "Look at `git diff HEAD`, run tox, then: git commit -am 'Release 0.3.0' && git tag v0.3.0\n",
        "",
    )
    asked = 'test = ["sregym-core[testing]>=0.3,<0.4", "pyyaml>=0.1,<0.2"]'
    for folder, version, first in (
        ("", "0.3.0", '"sregym-core>=0.3,<0.4"'),
        ("sregym_core", "0.3.0", '"pluggy>=1.5"'),
        ("plugins/sregym-oracle-state", "0.3.0", '"sregym-core>=0.3,<0.4"'),
        ("tests/acme", "0.1.0", '"sregym-oracle-state>=0.3,<0.4"'),
    ):
        lines = (house / folder / "pyproject.toml").read_text(encoding="utf-8").splitlines()
        assert lines[2:4] == [f'version = "{version}"', f"dependencies = [{first}]"]
        assert lines[6] == asked
    core = house / "sregym_core" / "src" / "sregym_core" / "__init__.py"
    assert core.read_text(encoding="utf-8") == 'NAME = "0.1.0"\n__version__ = "0.3.0"\n'
    assert [path.name for path in (house / "changelog.d").iterdir()] == ["README.md"]
    log = (house / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (
        log
        == """# Changelog

<!-- releases, the latest first -->

## 0.3.0 (2026-11-28)

### sregym

Changed:

- the whole house.

### sregym-core

Added:

- gates, too.

Fixed:

- hinges: no noise.

### sregym-oracle-state

Added:

- doors can be opened.

  And closed.

## 0.0.9 (2020-02-02)

Old.
"""
    )


def test_what_no_release_has_yet_can_be_released(house: Path) -> None:
    """Files may have a version before the changelog tells of it: the first release."""
    assert bump(house, "0.1.0")[::2] == (0, "")
    commit(house)
    (house / "changelog.d" / "13.fixed.md").write_text("sregym: a lock.\n", encoding="utf-8")
    commit(house)
    said = "release: 0.1.0 is released: CHANGELOG.md tells of it; give a higher one\n"
    assert bump(house, "0.1.0") == (1, "", said)
    assert bump(house, "0.1.1")[0] == 0
    text = (house / "plugins" / "sregym-oracle-state" / "pyproject.toml").read_text("utf-8")
    assert 'version = "0.1.1"' in text
    assert '"sregym-core>=0.1,<0.2"' in text


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.0.9", "0.0.9 is below 0.1.0, which the files have; give a higher one"),
        ("v2", "'v2' is no version of a release; give three numbers: 0.3.0"),
        ("0.3.0rc1", "'0.3.0rc1' is no version of a release; give three numbers: 0.3.0"),
    ],
)
def test_a_version_that_does_not_go_up_is_refused(house: Path, version: str, said: str) -> None:
    assert bump(house, version) == (1, "", f"release: {said}\n")
    assert git(house, "status", "--porcelain") == ""


def test_a_tree_with_other_changes_is_refused(house: Path) -> None:
    for name in ("a", "b", "c", "d"):
        (house / name).touch()
    said = "release: the working tree has changes of its own: a, b, c and 1 more; commit or stash them first\n"
    assert bump(house, "0.3.0") == (1, "", said)


def test_without_git_nothing_is_written(house: Path) -> None:
    shutil.rmtree(house / ".git")
    code, _, said = bump(house, "0.3.0")
    assert code == 1
    assert said.startswith(f"release: git cannot say whether {house} is clean: fatal: ")
    assert said.endswith("; release from a clone\n")


def test_fragments_that_cannot_be_read_are_named(house: Path) -> None:
    folder = house / "changelog.d"
    (folder / "1.new.md").write_text("sregym: x\n", encoding="utf-8")
    (folder / "2.added.md").write_text("A door has come.\nIt opens.\n", encoding="utf-8")
    (folder / "3.added.md").write_text("sregym-core:\n", encoding="utf-8")
    (folder / "4.added.md").write_bytes(b"sregym: \xff\n")
    commit(house)
    assert bump(house, "0.3.0") == (
        1,
        "",
        "release: these files of changelog.d/ cannot be read; mend them:\n"
        "  1.new.md: its name is not <id>.<type>.md with added, changed, fixed, removed\n"
        "  2.added.md: begins with 'A door has come.' and not with a package and a colon\n"
        "  3.added.md: says nothing about sregym-core\n"
        "  4.added.md: UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 8: invalid start byte\n",
    )
    assert git(house, "status", "--porcelain") == ""


def test_a_release_in_which_nothing_changed_is_refused(house: Path) -> None:
    git(house, "rm", "--quiet", *(f"changelog.d/{name}" for name in FRAGMENTS))
    commit(house)
    said = "release: changelog.d/ has no fragment: nothing has changed for users; write what has, and release then\n"
    assert bump(house, "0.3.0") == (1, "", said)


def test_a_changelog_without_its_mark_is_refused(house: Path) -> None:
    """Towncrier would put the release above the title."""
    (house / "CHANGELOG.md").write_text("# Changelog\n", encoding="utf-8")
    commit(house)
    said = "release: CHANGELOG.md has no line '<!-- releases, the latest first -->', below which releases stand; put it back\n"
    assert bump(house, "0.3.0") == (1, "", said)
