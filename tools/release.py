"""Prepare a release: one version everywhere, and `CHANGELOG.md` from its fragments.

`python tools/release.py bump 0.3.0` writes the version into every distribution, lets each ask for siblings
of that minor version, writes the fragments of `changelog.d/` into `CHANGELOG.md` and removes them. It
begins with a clean working tree, so that `git diff` shows all that it did, and commits nothing.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version
from workspace import ROOT, projects

TYPES = ("added", "changed", "fixed", "removed")
MARK = "<!-- releases, the latest first -->"
_FRAGMENT = re.compile(rf"[+\w-]+\.({'|'.join(TYPES)})\.md")
_RELEASED = re.compile(r"(?m)^## (\S+) \(")
_OWN_VERSION = re.compile(r'(?m)^version = "[^"]*"$')
_RANGE = re.compile(r"\b(sregym(?:-[a-z0-9]+)*(?:\[[a-z,-]+\])?)>=\d+\.\d+,<\d+\.\d+")
# Where the version stands besides in `pyproject.toml`, each with what finds it.
_ELSEWHERE = {
    "sregym_core/src/sregym_core/__init__.py": re.compile(r'(?m)^(__version__ = ")[^"]*(?=")'),
    "plugins/sregym-openenv/openenv.yaml": re.compile(r"(?m)^(version: )\S+"),
}


class ReleaseError(Exception):
    """Why there is no release, and what to do."""


@dataclass(frozen=True)
class Fragment:
    """One change, as its users are told.

    Attributes:
        path: Its file.
        package: The distribution that it is about.
        kind: One of `TYPES`.
    """

    path: Path
    package: str
    kind: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("bump", help="to the next version, with its changelog")
    command.add_argument("version", help="the version to be released: 0.3.0")
    today = datetime.datetime.now(datetime.UTC).date()
    command.add_argument("--date", default=today.isoformat(), help="of the release; today")
    options = parser.parse_args()
    try:
        print(bump(options.version, options.date))
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


def bump(text: str, date: str) -> str:
    """Write a version into all files that have one, and the changelog of its release.

    Returns:
        What was done, and what is left to do.

    Raises:
        ReleaseError: It is no version, or does not go up; the tree is not clean; a fragment cannot be read.
    """
    version = next_version(text)
    expect_clean_tree()
    found = fragments()
    if not found:
        raise ReleaseError(
            "changelog.d/ has no fragment: nothing has changed for users; write what has, and release then"
        )
    before = current_version()
    files = write_version(version)
    write_changelog(version, date)
    return (
        f"{before} -> {version}: {files} files with the version or a range of it, {len(found)} fragments in CHANGELOG.md\n"
        f"Look at `git diff HEAD`, run tox, then: git commit -am 'Release {version}' && git tag v{version}"
    )


def current_version() -> Version:
    """What all distributions have."""
    return Version(str(projects()[0].settings["project"]["version"]))


def next_version(text: str) -> Version:
    """Read the version of a release, which goes up.

    The version that the files have may be released as long as the changelog does not name it.
    """
    if re.fullmatch(r"\d+\.\d+\.\d+", text) is None:
        raise ReleaseError(f"{text!r} is no version of a release; give three numbers: 0.3.0")
    version = Version(text)
    current = current_version()
    if version < current:
        raise ReleaseError(f"{text} is below {current}, which the files have; give a higher one")
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if MARK not in log:
        raise ReleaseError(
            f"CHANGELOG.md has no line {MARK!r}, below which releases stand; put it back"
        )
    if text in _RELEASED.findall(log):
        raise ReleaseError(f"{text} is released: CHANGELOG.md tells of it; give a higher one")
    return version


def expect_clean_tree() -> None:
    """Refuse to mix a release with other changes."""
    command = ["git", "status", "--porcelain"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(
            f"git cannot say whether {ROOT} is clean: {done.stderr.strip()}; release from a clone"
        )
    lines = done.stdout.splitlines()
    if lines:
        more = f" and {len(lines) - 3} more" if len(lines) > 3 else ""
        names = ", ".join(line[3:] for line in lines[:3])
        raise ReleaseError(
            f"the working tree has changes of its own: {names}{more}; commit or stash them first"
        )


def fragments() -> list[Fragment]:
    """All fragments, sorted by file.

    Raises:
        ReleaseError: One cannot be read: each with what is wrong.
    """
    names = {"sregym", *(project.name for project in projects())}
    found, wrong = [], []
    for path in sorted((ROOT / "changelog.d").glob("*")):
        if path.name in ("README.md", ".gitignore"):
            continue
        named = _FRAGMENT.fullmatch(path.name)
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, IsADirectoryError) as error:
            wrong.append(f"  {path.name}: {type(error).__name__}: {error}")
            continue
        package, colon, told = text.partition(":")
        if named is None:
            wrong.append(f"  {path.name}: its name is not <id>.<type>.md with {', '.join(TYPES)}")
        elif not colon or package not in names:
            first = text.strip().partition("\n")[0][:40]
            wrong.append(f"  {path.name}: begins with {first!r} and not with a package and a colon")
        elif not told.strip():
            wrong.append(f"  {path.name}: says nothing about {package}")
        else:
            found.append(Fragment(path, package, named[1]))
    if wrong:
        told = "\n".join(wrong)
        raise ReleaseError(f"these files of changelog.d/ cannot be read; mend them:\n{told}")
    return found


def write_version(version: Version) -> int:
    """Write a version everywhere, and ranges of siblings.

    Returns:
        How many files changed.
    """
    own = {project.folder / "pyproject.toml" for project in projects()} | {ROOT / "pyproject.toml"}
    # Packages of third parties in the tests have versions of their own, and ask for the same siblings.
    asking = {path for path in (ROOT / "tests").rglob("pyproject.toml") if "venv" not in path.parts}
    major, minor = version.release[:2]
    fitting = rf"\1>={major}.{minor},<{major}.{minor + 1}"
    count = 0
    for path in sorted(own | asking):
        old = path.read_text(encoding="utf-8")
        new = _RANGE.sub(fitting, old)
        if path in own:
            new = _OWN_VERSION.sub(f'version = "{version}"', new, count=1)
        count += _write(path, old, new)
    for name, pattern in _ELSEWHERE.items():
        path = ROOT / name
        if path.exists():
            old = path.read_text(encoding="utf-8")
            count += _write(path, old, pattern.sub(rf"\g<1>{version}", old, count=1))
    return count


def write_changelog(version: Version, date: str) -> None:
    """Let towncrier write what the fragments say, and remove them."""
    words = ("build", "--yes", "--version", str(version), "--date", date)
    command = [sys.executable, "-m", "towncrier", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(
            f"towncrier failed; `git checkout .` takes back what was written:\n{done.stdout}{done.stderr}"
        )


def _write(path: Path, old: str, new: str) -> bool:
    if new != old:
        path.write_text(new, encoding="utf-8")
    return new != old


if __name__ == "__main__":
    sys.exit(main())
