"""The whole product in one command."""

from __future__ import annotations
