"""Install the vendors' command lines that their adapters are tested with, into a folder.

Where there is no npm, or it fetches nothing, the tests that need them are skipped and say so.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

# Also named in docs/how-to/run-a-coding-agent.md.
VERSIONS = {
    "@anthropic-ai/claude-code": "2.1.197",
    "@openai/codex": "0.169.0",
    "@google/gemini-cli": "0.61.0",
}
TIMEOUT_S = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where node_modules is made")
    folder: Path = parser.parse_args().folder
    missing = [name for name, version in VERSIONS.items() if installed(folder, name) != version]
    npm = shutil.which("npm")
    if not missing:
        return 0
    if npm is None:
        print("npm is not installed: the tests of the vendors' command lines will be skipped")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in VERSIONS.items()]
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error")
    try:
        done = subprocess.run(
            [npm, "install", "--prefix", str(folder), *options, *wanted],
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        print(f"npm took longer than {TIMEOUT_S} s: what it did not install is not tested")
        return 0
    if done.returncode != 0:
        print("npm could not install the vendors' command lines: their tests will be skipped")
    return 0


def installed(folder: Path, name: str) -> str:
    """The version of a package in the folder; empty when it is not there."""
    file = folder / "node_modules" / name / "package.json"
    if not file.is_file():
        return ""
    return str(json.loads(file.read_text(encoding="utf-8")).get("version", ""))


if __name__ == "__main__":
    sys.exit(main())
