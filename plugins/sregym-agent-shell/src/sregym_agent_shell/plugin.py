"""Entry point of the plugin."""

from __future__ import annotations
