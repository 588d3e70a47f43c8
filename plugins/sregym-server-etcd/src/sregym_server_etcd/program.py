"""How a service model describes etcd servers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Entry, Memory, StoreProgram, Text


class EtcdProgram(StoreProgram, Entry):
    """An etcd server of one member, configured by its command line and `ETCD_` variables.

    Attributes:
        kind: `etcd`.
        version: As it reports it.
        data_dir: The data directory; `--data-dir` and `ETCD_DATA_DIR` win.
    """

    kind: Literal["etcd"]
    port: Text = "2379"
    version: Text = "3.5.16"
    data_dir: str = "/default.etcd"
    starts_in_s: float = Field(default=1.1, ge=0)
    cpu_ms: float = Field(default=0.12, gt=0)
    latency_ms: float = Field(default=1.2, ge=0)
    memory: Memory = Memory(base_mib="24", ramp_s=0.5)
