"""Toolkit for authors of SREGym agents: the gateway for processes outside, kubectl's answers as data."""

from __future__ import annotations
