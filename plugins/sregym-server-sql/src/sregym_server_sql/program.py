"""How a service model describes servers of MySQL, MariaDB and PostgreSQL."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from sregym_apps.model import BenignErrorSet, Memory, StoreProgram, Text


class MysqlProgram(StoreProgram):
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
    benign_errors: BenignErrorSet = "sregym_server_sql:benign_errors.yaml#mysql"


class PostgresProgram(StoreProgram):
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
    benign_errors: BenignErrorSet = "sregym_server_sql:benign_errors.yaml#postgres"
