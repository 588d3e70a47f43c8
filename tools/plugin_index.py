"""Keeps the index of plugins: entries of packages of this repository that `pip install sregym` does not bring.

python tools/plugin_index.py                  write them anew; those of others, and results of contracts, stay
python tools/plugin_index.py --check          exit with 1 when they are out of date
python tools/plugin_index.py --contract NAME  run the contract of one of them, too
"""

from __future__ import annotations

import sys
import tomllib
from datetime import UTC, datetime

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sregym_core.api import Workspace
from sregym_core.errors import SregymError, UsageError
from sregym_index.contract import held
from sregym_index.form import Entry
from sregym_index.installed import entry_of, version_of
from sregym_index.reading import parsed
from workspace import ROOT, Project, together

FILE = ROOT / "plugins" / "sregym-index" / "src" / "sregym_index" / "index.yaml"
HEAD = "# The index of plugins; docs/how-to/publish-a-plugin.md tells how an entry comes into it.\n"


def optional() -> list[Project]:
    """Plugins of this repository that are installed by their own names only."""
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    brought = {Requirement(line).name for line in root["project"]["dependencies"]}
    return [one for one in together() if one.is_plugin and one.name not in brought]


def main(words: list[str]) -> int:
    """Write, compare, or run a contract."""
    kept = {
        one.distribution: one for one in parsed(FILE.read_text(encoding="utf-8"), FILE.name).plugins
    }
    own = {one.name for one in together()}
    entries = {name: entry for name, entry in kept.items() if name not in own}
    workspace = Workspace()
    for project in optional():
        before = kept.get(project.name)
        try:
            entries[project.name] = entry_of(
                project.name, workspace, before.contract if before else None
            )
        except UsageError:  # adapters and libraries offer the core nothing
            continue
    for name in words[1:] if words[:1] == ["--contract"] else ():
        tests = ROOT / "plugins" / name / "tests"
        try:
            result, _ = held(name, version_of(name), tests, datetime.now(UTC).date())
        except SregymError as error:
            print(f"{name}: {error}")
            continue
        print(f"{name}: {result.outcome}, {result.passed} passed, {result.failed} failed")
        entries[name] = entries[name].model_copy(update={"contract": result})
    text = written(entries)
    if "--check" not in words:
        FILE.write_text(text, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is out of date; run: python tools/plugin_index.py")
        return 1
    return 0


def written(entries: dict[str, Entry]) -> str:
    """The file with these entries."""
    listed = [
        entries[name].model_dump(mode="json", exclude_defaults=True)
        for name in sorted(entries, key=canonicalize_name)
    ]
    return HEAD + yaml.safe_dump(
        {"format": 1, "plugins": listed}, sort_keys=False, allow_unicode=True, width=100
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
