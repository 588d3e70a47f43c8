"""How a service model describes a MongoDB server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import BenignErrorSet, Log, Memory, StoreProgram, Text


class MongodbProgram(StoreProgram):
    """A MongoDB server behind the entry point of its official image.

    Authentication is on with `--auth` or with the root account in the environment. Scripts in
    /docker-entrypoint-initdb.d run when the data directory is empty. What is stored belongs to
    the volume mounted at the data directory.

    Attributes:
        kind: `mongodb`.
        version: Server version, as it reports it.
        data_dir: The data directory.
        reads: Major versions whose data files it can open; its own and the one before unless
            given.
    """

    kind: Literal["mongodb"]
    port: Text = "27017"
    version: Text = "4.4.6"
    data_dir: str = "/data/db"
    reads: tuple[Text, ...] = ()
    starts_in_s: float = Field(default=1.2, ge=0)
    cpu_ms: float = Field(default=0.15, gt=0)
    latency_ms: float = Field(default=0.6, ge=0)
    log: Log = Log(format="mongod-json")
    benign_errors: BenignErrorSet = "sregym_server_mongodb:benign_errors.yaml#mongod"
    memory: Memory = Memory(base_mib="72", ramp_s=1.5)
