"""Get Debian's kernels for tests on machines that QEMU makes, and an engine of containers: packages by apt, installed nowhere.

    python tools/kernel_images.py              # kernels 6.1 and 6.12, docker.io, into .tox/images, some 100 MB
    python tools/kernel_images.py --into DIR

What cannot be got is said and skipped: the tests say then what they need.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

INTO = Path(__file__).resolve().parents[1] / ".tox" / "images"
VERSIONS = ("6.1", "6.12")
# Installed it would start, and change rules of the machine's network.
ENGINE = "docker.io"
_FLAVOUR = "cloud-amd64"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--into", type=Path, default=INTO)
    options = parser.parse_args()
    if shutil.which("apt-get") is None:
        print("apt-get is not on this machine, so no kernel of Debian's is got")
        return 0
    options.into.mkdir(parents=True, exist_ok=True)
    for version in VERSIONS:
        if any(options.into.glob(f"linux-image-{version}[.+-]*.deb")):
            continue
        name = newest(version)
        if name is None:
            print(f"Debian's archive, as this machine knows it, has no kernel {version}")
            continue
        _get(name, options.into)
    if shutil.which("dockerd") is None and not any(options.into.glob(f"{ENGINE}_*.deb")):
        _get(ENGINE, options.into)
    return 0


def _get(name: str, into: Path) -> None:
    done = subprocess.run(["apt-get", "-qq", "download", name], cwd=into, check=False)
    if done.returncode:
        print(f"{name} could not be downloaded; run apt-get update")


def newest(version: str) -> str | None:
    """The package with the newest kernel of a version; None when there is none."""
    pattern = rf"^linux-image-{re.escape(version)}[.+-].*{_FLAVOUR}$"
    words = ["apt-cache", "search", "--names-only", pattern]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    names = [line.split()[0] for line in said.splitlines()]
    # Not the one that only names the newest, which has no kernel in it.
    whole = [name for name in names if re.search(rf"{re.escape(version)}\.\d", name)]
    return max(whole, key=_order, default=None)


def _order(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


if __name__ == "__main__":
    sys.exit(main())
