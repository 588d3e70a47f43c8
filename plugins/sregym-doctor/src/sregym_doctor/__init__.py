"""What is missing on this machine or cluster."""

from __future__ import annotations
