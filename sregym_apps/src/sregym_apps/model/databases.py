"""Databases that containers of applications run, each with a class of its own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.datastore import StoreProgram


class RedisProgram(StoreProgram, Entry):
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


class MysqlProgram(StoreProgram, Entry):
    """A MySQL server behind the entry point of its official image.

    MYSQL_ROOT_PASSWORD, MYSQL_DATABASE, MYSQL_USER and MYSQL_PASSWORD count when the data directory
    is empty, and so do the `.sql` files in /docker-entrypoint-initdb.d.

    Attributes:
        kind: `mysql`.
        version: As it reports it.
        data_dir: The data directory.
    """

    kind: Literal["mysql"]
    port: Text = "3306"
    version: Text = "8.0.39"
    data_dir: str = "/var/lib/mysql"
    starts_in_s: float = Field(default=4.0, ge=0)
    cpu_ms: float = Field(default=0.2, gt=0)
    memory: Memory = Memory(base_mib="380", ramp_s=3.0)


class PostgresProgram(StoreProgram, Entry):
    """A PostgreSQL server behind the entry point of its official image.

    POSTGRES_PASSWORD, POSTGRES_USER and POSTGRES_DB count when the data directory is empty, and so
    do the `.sql` files in /docker-entrypoint-initdb.d.

    Attributes:
        kind: `postgres`.
        version: As it reports it.
        data_dir: The data directory.
    """

    kind: Literal["postgres"]
    port: Text = "5432"
    version: Text = "16.4"
    data_dir: str = "/var/lib/postgresql/data"
    starts_in_s: float = Field(default=1.5, ge=0)
    cpu_ms: float = Field(default=0.2, gt=0)
    memory: Memory = Memory(base_mib="28", ramp_s=1.0)


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
