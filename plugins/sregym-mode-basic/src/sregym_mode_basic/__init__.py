"""Modes besides `standard`: how an episode is put to an agent."""

from __future__ import annotations
