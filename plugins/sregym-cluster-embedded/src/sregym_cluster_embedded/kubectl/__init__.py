"""An in-process twin of the kubectl binary.

`run` prints what kubectl 1.37 prints for the same command on the same state, in a fraction of the
time; what it does not cover raises `NotCovered`, and `fallback.run_binary` runs the real one.
"""

from __future__ import annotations

from sregym_cluster_embedded.kubectl.access import Access, DirectAccess
from sregym_cluster_embedded.kubectl.command import run
from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.session import CommandResult

__all__ = ["Access", "CommandResult", "DirectAccess", "NotCovered", "run"]
