"""Entry point of the plugin: five modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_modes() -> Sequence[Registration]:
    """`--mode reactive` and the others."""
    return [
        Registration("reactive", "sregym_mode_basic.modes:Reactive"),
        Registration("proactive", "sregym_mode_basic.modes:Proactive"),
        Registration("diagnosis-only", "sregym_mode_basic.modes:DiagnosisOnly"),
        Registration("mitigation-only", "sregym_mode_basic.modes:MitigationOnly"),
        Registration("one-shot", "sregym_mode_basic.modes:OneShot"),
    ]
