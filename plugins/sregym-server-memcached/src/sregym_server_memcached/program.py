"""How a service model describes a memcached server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Memory, StoreProgram, Text


class MemcachedProgram(StoreProgram):
    """A memcached server: says nothing, keeps nothing over a restart.

    Attributes:
        kind: `memcached`.
    """

    kind: Literal["memcached"]
    port: Text = "11211"
    starts_in_s: float = Field(default=0.05, ge=0)
    cpu_ms: float = Field(default=0.02, gt=0)
    memory: Memory = Memory(base_mib="4", ramp_s=0.1)
