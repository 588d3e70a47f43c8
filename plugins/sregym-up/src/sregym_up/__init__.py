"""A broken world for a person or any agent, and what is asked of it and handed in from inside."""

from __future__ import annotations
