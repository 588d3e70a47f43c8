"""Datastores, caches and registries: programs with state, one class for each kind."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Log, Memory
from sregym_apps.model.service import Program


class StoreProgram(Program, Entry):
    """What datastores have in common.

    Attributes:
        port: The port it serves.
        starts_in_s: Seconds from the start of the process to its first answer.
        cpu_ms: CPU time of a command.
        latency_ms: Time of a command besides.
    """

    port: Text
    starts_in_s: float = Field(default=0.5, ge=0)
    cpu_ms: float = Field(default=0.05, gt=0)
    latency_ms: float = Field(default=0.1, ge=0)


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
    memory: Memory = Memory(base_mib="72", ramp_s=1.5)


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


class RegistryProgram(StoreProgram):
    """A service registry (Consul): processes register under a name, callers look it up.

    Attributes:
        kind: `registry`.
        ports: Further ports it listens on.
        version: As it reports it.
    """

    kind: Literal["registry"]
    port: Text = "8500"
    ports: tuple[Text, ...] = ()
    version: Text = "1.9.6"
    starts_in_s: float = Field(default=0.4, ge=0)
    log: Log = Log(format="consul")
    memory: Memory = Memory(base_mib="28", ramp_s=0.5)
