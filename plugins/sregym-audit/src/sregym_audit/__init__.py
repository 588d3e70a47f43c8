"""`sregym audit`: what an agent did in an episode."""

from __future__ import annotations
