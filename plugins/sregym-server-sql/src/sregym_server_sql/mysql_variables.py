"""System variables of MySQL that people look at, with their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES: dict[str, str] = {
    "autocommit": "ON", "bind_address": "*", "character_set_server": "utf8mb4",
    "collation_server": "utf8mb4_0900_ai_ci", "connect_timeout": "10", "datadir": "/var/lib/mysql/",
    "default_authentication_plugin": "caching_sha2_password", "default_storage_engine": "InnoDB",
    "event_scheduler": "ON", "general_log": "OFF", "general_log_file": "/var/lib/mysql/db.log",
    "have_ssl": "YES", "hostname": "", "innodb_buffer_pool_size": "134217728",
    "innodb_deadlock_detect": "ON", "innodb_file_per_table": "ON",
    "innodb_flush_log_at_trx_commit": "1", "innodb_lock_wait_timeout": "50",
    "innodb_log_file_size": "50331648", "interactive_timeout": "28800", "lock_wait_timeout": "31536000",
    "log_bin": "ON", "log_error": "stderr", "long_query_time": "10.000000",
    "lower_case_table_names": "0", "max_allowed_packet": "67108864", "max_connect_errors": "100",
    "max_connections": "151", "max_execution_time": "0", "max_user_connections": "0",
    "net_read_timeout": "30", "net_write_timeout": "60", "offline_mode": "OFF",
    "open_files_limit": "1048576", "pid_file": "/var/run/mysqld/mysqld.pid", "port": "3306",
    "read_only": "OFF", "server_id": "1", "skip_name_resolve": "ON", "skip_networking": "OFF",
    "slow_query_log": "OFF", "slow_query_log_file": "/var/lib/mysql/db-slow.log",
    "socket": "/var/run/mysqld/mysqld.sock", "sql_mode": "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
    "super_read_only": "OFF", "system_time_zone": "UTC", "table_open_cache": "4000",
    "thread_cache_size": "9", "time_zone": "SYSTEM", "transaction_isolation": "REPEATABLE-READ",
    "transaction_read_only": "OFF", "version": "", "version_comment": "MySQL Community Server - GPL",
    "version_compile_machine": "x86_64", "version_compile_os": "Linux", "wait_timeout": "28800",
}  # fmt: skip
FIXED = frozenset(
    {"bind_address", "datadir", "hostname", "have_ssl", "log_error", "lower_case_table_names"}
    | {"open_files_limit", "pid_file", "port", "skip_name_resolve", "skip_networking", "socket"}
    | {"system_time_zone", "version", "version_comment", "version_compile_os"}
    | {"version_compile_machine", "innodb_log_file_size"}
)


def in_effect(started: Mapping[str, str], kept: Mapping[str, str], name: str) -> str:
    """A variable of a server: as it was set while it ran, as it was started, or the default."""
    return kept.get(name) or started.get(f"sql.{name}") or VARIABLES.get(name, "")


def option_against_writes(
    started: Mapping[str, str], kept: Mapping[str, str], superuser: bool
) -> str:
    """The option that keeps a user from writing; empty when there is none."""
    if in_effect(started, kept, "super_read_only") == "ON":
        return "super-read-only"
    held = in_effect(started, kept, "read_only") == "ON"
    return "read-only" if held and not superuser else ""


def numeric(name: str) -> bool:
    """Whether a variable is a number."""
    return VARIABLES[name].replace(".", "", 1).isdecimal()


def switch(name: str) -> bool:
    """Whether a variable is on or off."""
    return VARIABLES[name] in ("ON", "OFF")
