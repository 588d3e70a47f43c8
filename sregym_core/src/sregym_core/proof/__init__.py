"""Proof of problems: the battery of episodes that each listed problem has to survive."""

from __future__ import annotations

from sregym_core.proof.battery import Proof, ProofCheck, prove
from sregym_core.proof.cheats import CHEATS

__all__ = ["CHEATS", "Proof", "ProofCheck", "prove"]
