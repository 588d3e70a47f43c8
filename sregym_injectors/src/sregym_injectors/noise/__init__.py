"""For authors of noise: a seeded schedule, values by level, changes that are undone, targets.

A source defines when it disturbs (`Schedule`) and what it does at the beginning (`Disturbance.begin`);
what it changed through its `Occurrence` ends by itself, by the schedule or before grading.
"""

from __future__ import annotations

from sregym_injectors.noise.disturbance import Disturbance, SettingNoise
from sregym_injectors.noise.occurrence import Occurrence
from sregym_injectors.noise.schedule import LASTING, Moment, Schedule, moments
from sregym_injectors.noise.targets import NoiseTarget, ready_services, workers

__all__ = [
    "LASTING",
    "Disturbance",
    "Moment",
    "NoiseTarget",
    "Occurrence",
    "Schedule",
    "SettingNoise",
    "moments",
    "ready_services",
    "workers",
]
