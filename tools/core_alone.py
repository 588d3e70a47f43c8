"""Prove that the core stands alone: run where nothing but `sregym-core` was installed.

Imports every module with warnings as errors, compares the installed distributions with the
closure of the declared requirements, and uses the command line with no plugin at all.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, distribution, distributions

from workspace import projects

CORE = "sregym-core"


def main() -> int:
    warnings.simplefilter("error")
    core = projects()[0]
    modules = core.modules()
    for module in modules:
        importlib.import_module(module)
    installed = {normal(found.metadata["Name"]) for found in distributions()}
    foreign = installed - closure(CORE)
    if foreign:
        print(f"installed though the core does not require it: {sorted(foreign)}")
        return 1
    for arguments in (["--help"], ["plugins"], ["plugins", "--help"]):
        subprocess.run(command_line(*arguments), check=True, stdout=subprocess.DEVNULL)
    listed = subprocess.run(
        command_line("plugins", "--json"), check=True, capture_output=True, text=True
    )
    if json.loads(listed.stdout) != []:
        print(f"plugins without any plugin installed: {listed.stdout}")
        return 1
    print(
        f"{len(modules)} modules import without a warning; beside the core: {sorted(installed - {CORE})}"
    )
    return 0


def command_line(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "sregym_core", *arguments]


def closure(name: str) -> set[str]:
    """The distribution and all that it requires, extras left out, as far as it is installed."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = normal(waiting.pop())
        if current in found:
            continue
        try:
            requires = distribution(current).requires or []
        except PackageNotFoundError:
            continue  # required on other platforms or interpreters only
        found.add(current)
        for line in requires:
            requirement, _, marker = line.partition(";")
            if "extra" not in marker:
                match = re.match(r"[A-Za-z0-9._-]+", requirement)
                assert match
                waiting.append(match.group())
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
