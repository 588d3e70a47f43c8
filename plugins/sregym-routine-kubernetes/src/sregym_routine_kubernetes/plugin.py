"""Entry point of the plugin: a routine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_routines() -> Sequence[Registration]:
    """`kubernetes`."""
    return [Registration("kubernetes", "sregym_routine_kubernetes.routine:KubernetesRoutine")]
