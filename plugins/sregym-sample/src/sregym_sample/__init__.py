"""Suites made of pairs: a seeded sample of them, and problems with several faults."""

from __future__ import annotations
