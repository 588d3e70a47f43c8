"""How a service model describes ZooKeeper servers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Entry, Memory, StoreProgram, Text


class ZooProgram(StoreProgram, Entry):
    """A standalone ZooKeeper server. What it keeps belongs to the volume at its data directory.

    Attributes:
        kind: `zookeeper`.
        version: As it reports it.
        data_dir: The data directory.
        nodes: Path -> value of what stands in its tree when the data directory is empty.
    """

    kind: Literal["zookeeper"]
    port: Text = "2181"
    version: Text = "3.4.14"
    data_dir: str = "/data"
    nodes: dict[str, str] = Field(default_factory=dict)
    starts_in_s: float = Field(default=1.4, ge=0)
    cpu_ms: float = Field(default=0.06, gt=0)
    latency_ms: float = Field(default=0.8, ge=0)
    memory: Memory = Memory(base_mib="60", ramp_s=1.0)
