"""Expressions of the Common Expression Language: read, checked, compiled and evaluated."""

from __future__ import annotations

from sregym_cluster_embedded.api.cel.builtin import KUBERNETES, STANDARD
from sregym_cluster_embedded.api.cel.environment import Environment
from sregym_cluster_embedded.api.cel.libraries import Library
from sregym_cluster_embedded.api.cel.program import Program
from sregym_cluster_embedded.api.cel.values import CelError, CompileError

__all__ = [
    "KUBERNETES",
    "STANDARD",
    "CelError",
    "CompileError",
    "Environment",
    "Library",
    "Program",
]
