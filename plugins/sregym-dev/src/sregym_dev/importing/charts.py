"""Helm charts, rendered by Helm itself."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_TIMEOUT_S = 120


def rendered(chart: Path, name: str) -> str:
    """The manifests of a chart with its default values, as `helm template` writes them.

    Raises:
        UsageError: There is no Helm, or it cannot render the chart.
    """
    helm = shutil.which("helm")
    if helm is None:
        raise UsageError(
            f"--from: {str(chart)!r} is a Helm chart, and no `helm` is on the PATH to render it; where "
            f"there is one, run `helm template {name} {chart} > folder/all.yaml` and give `--from folder`"
        )
    words = [helm, "template", name, str(chart), "--namespace", name]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"--from: helm did not render {str(chart)!r} within {_TIMEOUT_S} s"
        ) from error
    if done.returncode:
        raise UsageError(f"--from: helm cannot render {str(chart)!r}: {done.stderr.strip()}")
    return done.stdout
