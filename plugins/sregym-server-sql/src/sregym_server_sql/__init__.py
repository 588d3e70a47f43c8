"""Relational servers: what they keep, how statements are carried out, their clients."""

from __future__ import annotations
