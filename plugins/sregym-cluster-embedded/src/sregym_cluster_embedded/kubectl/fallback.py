"""The real kubectl, for what the twin does not cover."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_kubernetes.kubectl import KubectlError, find_kubectl

from sregym_cluster_embedded.kubectl.session import CommandResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Of the API server that is simulated.
SERVER = (1, 36)

# What `timeout` exits with.
STOPPED = 124


class KubectlMissingError(Exception):
    """There is no kubectl binary that can be used; the message says why and how to get one."""


def find_binary(search_path: str | None = None) -> str:
    """Path of the kubectl binary: of this environment, or on PATH.

    Args:
        search_path: In the form of the variable PATH; the environment's own when None.

    Raises:
        KubectlMissingError: There is none, or none that fits.
    """
    try:
        return find_kubectl(SERVER, search_path).path
    except KubectlError as error:
        msg = f"this command needs the real kubectl: {error}"
        raise KubectlMissingError(msg) from error


# A command ends before it pays to look for what it no longer needs, unless it needs much. That is a
# fifth to a third of what a short one takes.
_NO_COLLECTION: Mapping[str, str] = MappingProxyType({"GOGC": "off", "GOMEMLIMIT": "256MiB"})
# What a shell ends with that cannot start a command.
_NOT_EXECUTED = 126


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
    124, as `timeout kubectl ...` would; what it printed until then is in the result. Arguments that
    the kernel does not take end with 126, as a shell says it.

    Raises:
        KubectlMissingError: There is no binary.
    """
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment = {**_NO_COLLECTION, **environment, "KUBECONFIG": str(kubeconfig.absolute())}
    environment["KUBECACHEDIR"] = str(kubeconfig.absolute().parent / "cache")
    if any("\0" in argument for argument in argv):
        return CommandResult(_NOT_EXECUTED, "", "kubectl: an argument holds a zero byte\n")
    try:
        done = subprocess.run(
            [*_bound_to_this_process(), find_binary(), *argv],
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
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        return CommandResult(_NOT_EXECUTED, "", "kubectl: Argument list too long\n")
    return CommandResult(done.returncode, _text(done.stdout), _text(done.stderr))


def _bound_to_this_process() -> list[str]:
    """What to put before a command so that the kernel ends it when this process is killed."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return [] if setpriv is None else [setpriv, "--pdeathsig", "KILL"]


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="surrogateescape")
