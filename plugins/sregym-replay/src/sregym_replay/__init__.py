"""`sregym replay`: recorded episodes, step by step, with the world as it stood."""

from __future__ import annotations
