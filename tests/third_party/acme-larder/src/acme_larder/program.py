"""How a service model describes a Larder."""

from __future__ import annotations

from typing import Literal

from sregym_apps.model import Log, Memory, StoreProgram, Text


class LarderProgram(StoreProgram):
    """A Larder.

    Attributes:
        kind: `larder`.
        data_dir: Where it keeps its shelves.
        limit: How many documents it takes, until somebody says otherwise with `larderctl limit`.
    """

    kind: Literal["larder"]
    port: Text = "7333"
    data_dir: str = "/var/lib/larder"
    limit: int = 100_000
    log: Log = Log(format="larder")
    memory: Memory = Memory(base_mib="20", ramp_s=0.3)
