"""Runs the contract tests of a plugin in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from sregym_core.errors import UsageError

from sregym_core import __version__
from sregym_index.form import Contract

if TYPE_CHECKING:
    from datetime import date

_LAST_LINES = 20


def held(name: str, version: str, tests: Path, today: date | None) -> tuple[Contract, str]:
    """Run the tests of a plugin; those that derive from a contract of the kit count.

    Args:
        name: Of the distribution; a contract among the tests has to name it.
        version: That is installed.
        tests: Folder or file of its tests.
        today: Noted as the date; None notes none.

    Returns:
        The result, and the end of what pytest printed.

    Raises:
        UsageError: There is no pytest or no such folder, or the tests hold no contract of the plugin.
    """
    if find_spec("pytest") is None:
        message = "contracts are tests: pip install pytest, and what the tests import besides"
        raise UsageError(message)
    if not tests.exists():
        message = f"{tests} is not there; --tests names the folder of the plugin's tests"
        raise UsageError(message)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        # Also those that a mark leaves out of the usual run: what is not run has not passed.
        words = ("-q", "-m", "", "-p", "sregym_index.counting", "-p", "no:cacheprovider", f"--contract-result={file}")  # fmt: skip
        command = [sys.executable, "-m", "pytest", *words, str(tests.resolve())]
        # From the folder in which the tests' own settings are looked for.
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        end = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_LAST_LINES:])
        if not file.exists():
            message = f"the tests in {tests} could not be run:\n{end}"
            raise UsageError(message)
        counted = json.loads(file.read_text(encoding="utf-8"))
    if not any(
        canonicalize_name(one) == canonicalize_name(name) for one in counted["distributions"]
    ):
        message = (
            f"no contract among the tests in {tests} names the distribution {name!r}: "
            "subclass PluginContract, or ExtensionContract for an extension of the simulation, and set `distribution`"
        )
        raise UsageError(message)
    contract = Contract(
        outcome="pass" if counted["failed"] == 0 else "fail",
        contracts=tuple(counted["contracts"]),
        passed=counted["passed"],
        failed=counted["failed"],
        version=version,
        core=__version__,
        date=today,
    )
    return contract, end
