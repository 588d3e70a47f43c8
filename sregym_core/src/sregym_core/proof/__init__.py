"""Proof of problems: the battery of episodes that each listed problem has to survive."""

from __future__ import annotations

from sregym_core.proof.battery import prove
from sregym_core.proof.checks import Proof, ProofCheck

__all__ = ["Proof", "ProofCheck", "prove"]
