"""How a service model describes CouchDB servers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Entry, Memory, StoreProgram, Text


class CouchProgram(StoreProgram, Entry):
    """A CouchDB server of one node. What it keeps belongs to the volume at its data directory.

    The administrator is the one of the official image's `COUCHDB_USER` and `COUCHDB_PASSWORD`, read
    at each start; without these everybody may do everything, as in releases before 3.

    Attributes:
        kind: `couchdb`.
        version: As it reports it.
        data_dir: The data directory.
        databases: Databases that there are when the data directory is empty -> documents in them.
    """

    kind: Literal["couchdb"]
    port: Text = "5984"
    version: Text = "2.3.1"
    data_dir: str = "/opt/couchdb/data"
    databases: dict[str, int] = Field(default_factory=dict)
    starts_in_s: float = Field(default=2.5, ge=0)
    cpu_ms: float = Field(default=0.35, gt=0)
    latency_ms: float = Field(default=1.8, ge=0)
    memory: Memory = Memory(base_mib="48", ramp_s=1.5)
