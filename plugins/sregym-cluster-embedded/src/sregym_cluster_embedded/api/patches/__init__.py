"""The three kinds of patches: JSON patch, merge patch, strategic merge patch."""

from __future__ import annotations
