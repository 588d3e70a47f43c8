"""Install the vendors' command lines that their adapters are tested with, into a folder.

Where there is no npm, or it fetches nothing, the tests that need them are skipped and say so.
"""

from __future__ import annotations

import argparse
import json
import os
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
# The oldest that all of them run on.
NODE = 20
TIMEOUT_S = 240
# Scripts of packages build optional native parts, which takes a compiler and more downloads.
OPTIONS = (
    *("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error"),
    *("--fetch-retries", "1", "--fetch-timeout", "30000"),
)
# The one script that is needed: it puts the program where its name leads.
FINISH = ("@anthropic-ai/claude-code", "install.cjs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where node_modules is made")
    folder: Path = parser.parse_args().folder
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None or major(node) < NODE:
        print(f"npm with node {NODE} is not installed: the vendors' command lines are not tested")
        return 0
    if any(installed(folder, name) != version for name, version in VERSIONS.items()):
        folder.mkdir(parents=True, exist_ok=True)
        wanted = [f"{name}@{version}" for name, version in VERSIONS.items()]
        if not run([npm, "install", "--prefix", str(folder), *OPTIONS, *wanted], folder):
            print("npm could not install the vendors' command lines: their tests will be skipped")
            return 0
    package, script = FINISH
    run([node, script], folder / "node_modules" / package)
    return 0


def major(node: str) -> int:
    """Of the version that it says it is."""
    said = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)
    return int(said.stdout.strip().lstrip("v").partition(".")[0] or 0)


def run(command: list[str], folder: Path) -> bool:
    """Whether a command did well in time."""
    environment = dict(os.environ)
    # Node does not look where other programs are told of further certificates.
    if "SSL_CERT_FILE" in environment:
        environment.setdefault("NODE_EXTRA_CA_CERTS", environment["SSL_CERT_FILE"])
    try:
        done = subprocess.run(command, cwd=folder, env=environment, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def installed(folder: Path, name: str) -> str:
    """The version of a package in the folder; empty when it is not there."""
    file = folder / "node_modules" / name / "package.json"
    if not file.is_file():
        return ""
    return str(json.loads(file.read_text(encoding="utf-8")).get("version", ""))


if __name__ == "__main__":
    sys.exit(main())
