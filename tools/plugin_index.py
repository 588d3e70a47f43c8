"""Keeps the index of plugins: entries of packages of this repository that `pip install sregym` does not bring.

python tools/plugin_index.py                       write them anew; those of others, and results of contracts, stay
python tools/plugin_index.py --check               exit with 1 when they, or results of other versions, are out of date
python tools/plugin_index.py --contracts [NAME...] run the contracts of these, else of all: first those without a result

Results of contracts have no date: the same files give the same results, whenever they are run.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sregym_core.api import Workspace
from sregym_core.errors import SregymError, UsageError
from sregym_index.contract import held
from sregym_index.form import Contract, Entry
from sregym_index.index_reader import parsed
from sregym_index.installed import entry_of, version_of
from workspace import ROOT, Project, together

from sregym_core import __version__

FILE = ROOT / "plugins" / "sregym-index" / "src" / "sregym_index" / "index.yaml"
HEAD = "# The index of plugins; docs/how-to/publish-a-plugin.md tells how an entry comes into it.\n"


def optional() -> list[Project]:
    """Plugins of this repository that are installed by their own names only."""
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    brought = {Requirement(line).name for line in root["project"]["dependencies"]}
    return [one for one in together() if one.is_plugin and one.name not in brought]


def main(words: Sequence[str]) -> int:
    """Write, compare, or run contracts."""
    kept = {
        one.distribution: one for one in parsed(FILE.read_text(encoding="utf-8"), FILE.name).plugins
    }
    own = own_entries({name: entry.contract for name, entry in kept.items()})
    here = {one.name for one in together()}
    others = {name: entry for name, entry in kept.items() if name not in here}
    if words[:1] == ["--contracts"]:
        return run_contracts(
            own, others, words[1:] or sorted(own, key=lambda name: own[name].contract is not None)
        )
    text = written({**others, **own})
    if "--check" not in words:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE.name} is out of date; run: python tools/plugin_index.py")
        return 1
    if stale := outdated(own):
        command = f"python tools/plugin_index.py --contracts {' '.join(stale)}"
        print(f"results of contracts are those of other versions; run: {command}")
        return 1
    return 0


def run_contracts(own: dict[str, Entry], others: dict[str, Entry], names: Sequence[str]) -> int:
    """Run contracts, and write each result as it comes; 1 where one does not hold."""
    if unknown := [name for name in names if name not in own]:
        print(f"no plugin of this repository that is listed: {', '.join(unknown)}")
        return 2
    code = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result in zip(names, pool.map(contract_of, names), strict=True):
            if isinstance(result, str):
                print(f"{name}: {result}")
                code = 1
                continue
            print(f"{name}: {result.outcome}, {result.passed} passed, {result.failed} failed")
            code = code if result.outcome == "pass" else 1
            own[name] = own[name].model_copy(update={"contract": result})
            FILE.write_text(written({**others, **own}), encoding="utf-8")
    return code


def own_entries(contracts: dict[str, Contract | None]) -> dict[str, Entry]:
    """Entries of the plugins of this repository, with the results of contracts that are known."""
    workspace, found = Workspace(), {}
    for project in optional():
        try:
            found[project.name] = entry_of(project.name, workspace, contracts.get(project.name))
        except UsageError:  # adapters and libraries offer the core nothing
            continue
    return found


def contract_of(name: str) -> Contract | str:
    """What comes of the contract tests of a plugin of this repository, or why nothing does."""
    try:
        return held(name, version_of(name), ROOT / "plugins" / name / "tests", None)[0]
    except SregymError as error:
        return str(error)


def outdated(entries: dict[str, Entry]) -> list[str]:
    """Those whose result is of another version of them or of the core."""
    return [
        name
        for name, entry in entries.items()
        if entry.contract is not None
        and (entry.contract.version, entry.contract.core) != (version_of(name), __version__)
    ]


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
