"""How a service model describes servers that speak the protocol of Redis."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import Memory, StoreProgram, Text


class RedisProgram(StoreProgram):
    """A Redis or Valkey server, configured by its configuration file and its command line.

    What is stored belongs to the volume mounted at the data directory. Clients call it with the
    protocol `keyvalue`.

    Attributes:
        kind: `redis`.
        flavour: `redis` or `valkey`.
        version: As it reports it.
        data_dir: Where it keeps its data.
    """

    kind: Literal["redis"]
    flavour: Literal["redis", "valkey"] = "redis"
    port: Text = "6379"
    version: Text = "7.2.5"
    data_dir: str = "/data"
    starts_in_s: float = Field(default=0.1, ge=0)
    memory: Memory = Memory(base_mib="9", ramp_s=0.1)


class SentinelProgram(RedisProgram):
    """Redis or Valkey Sentinel: watches a master, and lets a replica lead in its place.

    It reads whom to watch from its configuration file, and keeps in that file's folder what it knows.

    Attributes:
        kind: `redis-sentinel`.
    """

    kind: Literal["redis-sentinel"]  # type: ignore[assignment]  # another kind of the same family
    port: Text = "26379"


class KeyValueProgram(StoreProgram):
    """A generic key-value server, with a password or without.

    Attributes:
        kind: `keyvalue`.
        password: What clients must know; empty for none.
        data_dir: Where it keeps its data; nothing is kept when empty.
    """

    kind: Literal["keyvalue"]
    port: Text = "6379"
    password: Text = ""
    data_dir: str = ""
    memory: Memory = Memory(base_mib="8", ramp_s=0.1)
