"""Settings of PostgreSQL that people look at, with their defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Setting(NamedTuple):
    """A setting.

    Attributes:
        default: As pg_settings has it, in its unit.
        unit: `kB`, `8kB`, `ms`, `s`, `min`, or empty.
        context: Who may change it when: `user`, `superuser`, `sighup`, `postmaster`, `internal`.
    """

    default: str
    unit: str = ""
    context: str = "user"


_FOLDER = "/var/lib/postgresql/data"
SETTINGS: dict[str, Setting] = {
    "archive_mode": Setting("off", context="postmaster"),
    "autovacuum": Setting("on", context="sighup"),
    "autovacuum_max_workers": Setting("3", context="postmaster"),
    "check_function_bodies": Setting("on"),
    "checkpoint_timeout": Setting("300", "s", "sighup"),
    "client_encoding": Setting("UTF8"),
    "client_min_messages": Setting("notice"),
    "config_file": Setting(f"{_FOLDER}/postgresql.conf", context="postmaster"),
    "data_directory": Setting(_FOLDER, context="postmaster"),
    "deadlock_timeout": Setting("1000", "ms", "superuser"),
    "default_table_access_method": Setting("heap"),
    "default_tablespace": Setting(""),
    "default_transaction_isolation": Setting("read committed"),
    "default_transaction_read_only": Setting("off"),
    "effective_cache_size": Setting("524288", "8kB"),
    "fsync": Setting("on", context="sighup"),
    "hba_file": Setting(f"{_FOLDER}/pg_hba.conf", context="postmaster"),
    "hot_standby": Setting("on", context="postmaster"),
    "idle_in_transaction_session_timeout": Setting("0", "ms"),
    "idle_session_timeout": Setting("0", "ms"),
    "listen_addresses": Setting("*", context="postmaster"),
    "lock_timeout": Setting("0", "ms"),
    "log_connections": Setting("off", context="superuser"),
    "log_destination": Setting("stderr", context="sighup"),
    "log_lock_waits": Setting("off", context="superuser"),
    "log_min_duration_statement": Setting("-1", "ms", "superuser"),
    "log_min_messages": Setting("warning", context="superuser"),
    "log_statement": Setting("none", context="superuser"),
    "logging_collector": Setting("off", context="postmaster"),
    "maintenance_work_mem": Setting("65536", "kB"),
    "max_connections": Setting("100", context="postmaster"),
    "max_locks_per_transaction": Setting("64", context="postmaster"),
    "max_wal_senders": Setting("10", context="postmaster"),
    "max_wal_size": Setting("1024", "MB", "sighup"),
    "max_worker_processes": Setting("8", context="postmaster"),
    "password_encryption": Setting("scram-sha-256"),
    "port": Setting("5432", context="postmaster"),
    "primary_conninfo": Setting("", context="sighup"),
    "random_page_cost": Setting("4"),
    "recovery_min_apply_delay": Setting("0", "ms", "sighup"),
    "row_security": Setting("on"),
    "search_path": Setting('"$user", public'),
    "server_encoding": Setting("UTF8", context="internal"),
    "server_version": Setting("", context="internal"),
    "server_version_num": Setting("", context="internal"),
    "shared_buffers": Setting("16384", "8kB", "postmaster"),
    "shared_preload_libraries": Setting("", context="postmaster"),
    "ssl": Setting("off", context="sighup"),
    "standard_conforming_strings": Setting("on"),
    "statement_timeout": Setting("0", "ms"),
    "superuser_reserved_connections": Setting("3", context="postmaster"),
    "synchronous_commit": Setting("on"),
    "synchronous_standby_names": Setting("", context="sighup"),
    "tcp_keepalives_idle": Setting("0", "s"),
    "temp_buffers": Setting("1024", "8kB"),
    "TimeZone": Setting("Etc/UTC"),
    "transaction_isolation": Setting("read committed"),
    "transaction_read_only": Setting("off"),
    "unix_socket_directories": Setting("/var/run/postgresql", context="postmaster"),
    "wal_level": Setting("replica", context="postmaster"),
    "work_mem": Setting("4096", "kB"),
    "xmloption": Setting("content"),
}
_LOWER = {name.lower(): name for name in SETTINGS}
_BYTES = {"kb": 1024, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "b": 1}
_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
_SIZES = (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1024))
_SPANS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1))


def canonical(name: str) -> str | None:
    """The name of a setting as it is written; None where there is none."""
    return _LOWER.get(name.lower())


def _unit_bytes(unit: str) -> int:
    return 8192 if unit == "8kB" else _BYTES.get(unit.lower(), 0)


def raw(name: str, value: str) -> str:
    """A value in the unit of its setting: `8MB` of `work_mem` as 8192."""
    unit = SETTINGS[name].unit
    digits = value.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    given = value[len(digits) :].strip()
    if not unit or not given or not digits.lstrip("-").isdecimal():
        return value
    if _unit_bytes(unit):
        return str(int(digits) * _BYTES.get(given.lower(), 1) // _unit_bytes(unit))
    return str(int(int(digits) * _MS.get(given, 1.0) / _MS[unit]))


def in_effect(started: Mapping[str, str], kept: Mapping[str, str], name: str) -> str:
    """A setting of a server, in its unit.

    Args:
        started: The settings of its process, from its command line under `sql.` and the name.
        kept: What was set by ALTER SYSTEM, which waits for a restart where a setting needs one.
        name: The setting.
    """
    now = None if SETTINGS[name].context == "postmaster" else kept.get(name)
    given = now or started.get(f"sql.{name.lower()}")
    return raw(name, given) if given else SETTINGS[name].default


def settings_at_start(kept: Mapping[str, str]) -> dict[str, str]:
    """What a process that starts takes up of what was set by ALTER SYSTEM."""
    return {
        f"sql.{name.lower()}": value
        for name, value in kept.items()
        if name in SETTINGS and SETTINGS[name].context == "postmaster"
    }


def format_setting(name: str, value: str) -> str:
    """A value as SHOW writes it: with the largest unit in which it is a whole number."""
    unit = SETTINGS[name].unit
    if not unit or not value.lstrip("-").isdecimal() or int(value) <= 0:
        return value
    whole = int(value) * (_unit_bytes(unit) or int(_MS[unit]))
    for word, size in _SIZES if _unit_bytes(unit) else _SPANS:
        if whole % size == 0:
            return f"{whole // size}{word}"
    return value
