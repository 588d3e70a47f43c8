"""The mode `on-call`."""

from __future__ import annotations
