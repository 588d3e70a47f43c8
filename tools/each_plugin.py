"""Run the tests of each project folder alone: only what it declares is installed.

A plugin that imports an undeclared package passes in the shared environment and fails here. Takes
names of distributions to test only these. Siblings come from their folders in this repository.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workspace import ROOT, Project, projects, uv

TESTING = "sregym-core[testing]"


@dataclass(frozen=True)
class Result:
    """How it went for one folder."""

    project: Project
    exit_code: int
    seconds: float
    output: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="distributions; all but the core when none given")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    chosen = [p for p in projects()[1:] if p.name in options.names or not options.names]
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        # The largest suites first, so that the last minutes are not spent on one core.
        chosen.sort(key=_weight, reverse=True)
        futures = [pool.submit(run_alone, project, Path(scratch)) for project in chosen]
        results = [future.result() for future in futures]
    for result in sorted(results, key=lambda result: result.project.relative):
        state = "ok" if result.exit_code == 0 else f"exit {result.exit_code}"
        lines = result.output.strip().splitlines()
        summary = lines[-1] if lines else ""
        print(f"{result.project.name:28} {state:8} {result.seconds:6.1f} s  {summary}")
    failed = [result for result in results if result.exit_code]
    for result in failed:
        print(f"\n===== {result.project.name}\n{result.output}")
    return 1 if failed else 0


def run_alone(project: Project, scratch: Path) -> Result:
    start = time.monotonic()
    place = scratch / project.name
    python = place / "venv" / "bin" / "python"
    install = ["--editable", f"./{project.relative}"]
    if project.test_group:
        install += ["--group", f"{project.relative}/pyproject.toml:test"]
    core = f"{TESTING} @ {(ROOT / 'sregym_core').as_uri()}"
    commands = [
        uv("venv", "--quiet", "--python", sys.executable, str(place / "venv")),
        uv("pip", "install", "--quiet", "--python", str(python), *install, "--editable", core),
        [
            *(
                str(python),
                "-m",
                "pytest",
                "--rootdir",
                str(ROOT),
                "-c",
                str(ROOT / "pyproject.toml"),
            ),
            *("-p", "no:cacheprovider", f"{project.relative}/tests"),
        ],
    ]
    # Programs that a requirement brings, such as kubectl, come before those of the machine.
    path = f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environment = {**os.environ, "PATH": path}
    output = ""
    for command in commands:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        output += done.stdout
        if done.returncode:
            break
    return Result(project, done.returncode, time.monotonic() - start, output)


def _weight(project: Project) -> int:
    return sum(path.stat().st_size for path in project.folder.glob("tests/**/*.py"))


if __name__ == "__main__":
    sys.exit(main())
