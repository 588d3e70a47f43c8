"""Build every distribution, check it, and use what was built as the README says: `tox -e wheels`.

Wheels and source distributions are built twice and looked at; then the README's block about wheels is run in
a copy of this repository with an empty environment, and problems are proved there, outside the copy.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zipfile import ZipFile

from build import Built, build_all, distributions
from wheel_checks import Figures, look_at
from workspace import ROOT

# Of several kinds of faults: an object, the network, a datastore.
PROBLEMS = (
    "configmap_drift_hotel_reservation",
    "k8s_target_port-misconfig",
    "revoke_auth_mongodb-1",
)
# The block of the README that is run here.
_BLOCK = re.compile(r"(?s)<!-- run by tox -e wheels -->\n```bash\n(.*?)```")


class WheelError(Exception):
    """What did not work, and what it said."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="distributions to look at; all when none given")
    parser.add_argument("--only-look", action="store_true", help="build and check, install nothing")
    options = parser.parse_args()
    chosen = [p for p in distributions() if p.name in options.names or not options.names]
    unknown = sorted(set(options.names) - {project.name for project in chosen})
    if unknown:
        parser.error(f"no folder of this repository holds {', '.join(unknown)}")
    version = str(distributions()[0].settings["project"]["version"])
    with tempfile.TemporaryDirectory() as scratch:
        start = time.monotonic()
        built = build_all(chosen, Path(scratch, "dist"))
        looked = [look_at(one, version) for one in built]
        print(table(looked), flush=True)
        print(f"built twice and looked at in {time.monotonic() - start:.1f} s", flush=True)
        if any(one.findings for one in looked):
            return 1
        if not options.only_look and not options.names:
            try:
                play(built, Path(scratch))
            except WheelError as error:
                print(f"wheels: {error}", file=sys.stderr)
                return 1
    return 0


def table(looked: list[Figures]) -> str:
    """One line for each distribution, what is wrong below it, and the sums."""
    head = f"{'distribution':32} {'wheel':>9} {'sdist':>9} {'files':>6} {'needs':>6}"
    lines = [head]
    for one in looked:
        sizes = f"{one.wheel / 1024:5.0f} KiB {one.sdist / 1024:5.0f} KiB"
        state = "ok" if not one.findings else f"{len(one.findings)} findings"
        lines.append(f"{one.name:32} {sizes} {one.files:6} {one.requirements:6}  {state}")
        lines += [f"    {finding}" for finding in one.findings]
    wrong = sum(bool(one.findings) for one in looked)
    wheels, sdists = sum(one.wheel for one in looked), sum(one.sdist for one in looked)
    links = sum(one.links for one in looked)
    lines.append(
        f"{len(looked)} distributions, {wheels / 2**20:.1f} MiB of wheels, {sdists / 2**20:.1f} MiB of sources; "
        f"{wrong or 'none'} with findings; {links} relative links in READMEs lead nowhere on an index"
    )
    return "\n".join(lines)


def play(built: list[Built], scratch: Path) -> None:
    """Run the README's block in a copy of the repository, then prove problems outside it.

    Raises:
        WheelError: A command fails, or what is installed is not what was looked at.
    """
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = _BLOCK.findall(readme)
    if len(blocks) != 1:
        raise WheelError(
            f"README.md has {len(blocks)} blocks marked as run by tox -e wheels, not one"
        )
    copy, elsewhere, environment = scratch / "copy", scratch / "elsewhere", scratch / "environment"
    elsewhere.mkdir()
    copy_files(copy)
    _run("make an environment", [sys.executable, "-m", "venv", str(environment)], elsewhere, {})
    settings = _settings(environment)
    _timed("the README's block", ["bash", "-euo", "pipefail", "-c", blocks[0]], copy, settings)
    print(
        f"{expect_the_same(built, environment)} distributions installed, each as it was looked at"
    )
    shutil.rmtree(copy)  # nothing that follows may need it
    _timed("sregym plugins", ["sregym", "plugins"], elsewhere, settings)
    _timed("sregym verify", ["sregym", "verify", *PROBLEMS], elsewhere, settings)


def copy_files(place: Path) -> None:
    """Copy what git knows or would know of this repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.split("\0"):
        if name and (ROOT / name).exists():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place / name)


def expect_the_same(built: list[Built], environment: Path) -> int:
    """Compare the record of files and digests of each installed distribution with that of its wheel.

    Returns:
        How many distributions of this repository are installed.
    """
    [packages] = environment.glob("lib/python3*/site-packages")
    count = 0
    for one in built:
        with ZipFile(one.wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
            wanted = set(archive.read(name).decode().split())
        record = packages / name
        if not record.exists():
            continue
        count += 1
        missing = sorted(wanted - set(record.read_text(encoding="utf-8").split()))
        if missing:
            raise WheelError(
                f"{one.project.name} is installed otherwise than it was built: {', '.join(missing[:3])}; "
                "was it found in an index instead of the folder of wheels?"
            )
    if not count:
        raise WheelError(f"the README's block installed none of {len(built)} distributions")
    return count


def _settings(environment: Path) -> dict[str, str]:
    """What commands find: first of all the programs of that environment, and nothing of this one."""
    foreign = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "UV_", "TOX_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(foreign)}
    path = os.pathsep.join((str(environment / "bin"), os.environ.get("PATH", os.defpath)))
    pins = os.environ.get("UV_CONSTRAINT")
    return {**kept, "PATH": path, **({"PIP_CONSTRAINT": pins} if pins else {})}


def _timed(what: str, command: list[str], folder: Path, settings: dict[str, str]) -> None:
    start = time.monotonic()
    said = _run(what, command, folder, settings).strip().splitlines()
    print(f"{what}: {time.monotonic() - start:.1f} s; it ends with: {said[-1].strip()}", flush=True)


def _run(what: str, command: list[str], folder: Path, settings: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=settings or None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WheelError(f"{what} failed with exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
