"""For authors of noise: a seeded rhythm, doses, changes that are undone, and whom to disturb.

A source says when it disturbs (`Rhythm`) and what it does at the beginning (`Disturbance.begin`);
what it changed through its `Turn` ends by itself, at the moment of the rhythm or before grading.
"""

from __future__ import annotations

from sregym_injectors.noise.disturbance import Disturbance, SettingNoise
from sregym_injectors.noise.rhythm import LASTING, Moment, Rhythm, moments
from sregym_injectors.noise.turn import Turn
from sregym_injectors.noise.victims import Victim, ready_services, workers

__all__ = [
    "LASTING",
    "Disturbance",
    "Moment",
    "Rhythm",
    "SettingNoise",
    "Turn",
    "Victim",
    "moments",
    "ready_services",
    "workers",
]
