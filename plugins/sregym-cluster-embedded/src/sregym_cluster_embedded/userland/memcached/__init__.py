"""A memcached server: its items, its text protocol, its statistics."""

from __future__ import annotations
