"""States of a store in which it serves badly: modes, locks that are never released, no memory left."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode
from sregym_injectors.component_fault import not_changed
from sregym_injectors.defects import defect_check
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.accounts import table_of
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mongo, mysql, psql, redis
from sregym_injector_datastore.store_fault import (
    StoreChange,
    StoreFault,
    failure_line,
    run_in_store,
    store_defects,
)

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Check, Component

# A session that was forgotten over night.
_ASLEEP_S = 86_400
_MIB = 1 << 20


class ServerMode(StoreFault):
    """Switches a server into a mode in which it takes no writes."""

    name: ClassVar[str] = "server-mode"
    title: ClassVar[str] = "Store takes no writes: a mode of its server"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.POSTGRES, Family.MYSQL, Family.REDIS)
    mechanism = "store-read-only"
    phrases = (
        "store read only", "store is read-only", "read-only mode", "server is read-only", "database is read-only", "read_only is on",
        "super_read_only", "default_transaction_read_only", "min-replicas-to-write", "NOREPLICAS",
        "not enough replicas", "rejects writes", "refuses writes", "writes are disabled",
        "read-only transaction", "switched to read only",
    )  # fmt: skip
    symptoms = ("writes fail", "database errors", "changes are not saved")

    class Parameters(ClientParameters):
        """It has no parameters of its own."""

        restart_clients: bool | None = False

    @override
    def unnoticed(self, component: Component) -> str:
        return not_changed(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component = context.component
        family = family_of(component)
        if family is Family.POSTGRES:
            name, reload = "default_transaction_read_only", "SELECT pg_reload_conf()"
            return StoreChange(
                what=name,
                before="off",
                after="on",
                breaks=psql(f"ALTER SYSTEM SET {name} = on", reload),
                mends=psql(f"ALTER SYSTEM RESET {name}", reload),
                asks=psql(f"SHOW {name}"),
                healthy="off",
            )
        if family is Family.MYSQL:
            return StoreChange(
                what="super_read_only",
                before="OFF",
                after="ON",
                breaks=mysql("SET GLOBAL super_read_only = ON"),
                # The one does not take the other back.
                mends=mysql("SET GLOBAL super_read_only = OFF; SET GLOBAL read_only = OFF"),
                asks=mysql("SELECT @@global.super_read_only + @@global.read_only"),
                healthy="0",
            )
        name = "min-replicas-to-write"
        return StoreChange(
            what=name,
            before="0",
            after="1",
            breaks=redis(component, "CONFIG", "SET", name, "1"),
            mends=redis(component, "CONFIG", "SET", name, "0"),
            asks=redis(component, "CONFIG", "GET", name),
            healthy=rf"{name}\s+0",
        )


class LockHeld(StoreFault):
    """Leaves a session behind that holds a lock and sleeps."""

    name: ClassVar[str] = "lock-held"
    title: ClassVar[str] = "Forgotten session holds a lock"
    modes: ClassVar[tuple[FailureMode, ...]] = (
        FailureMode.SLOW,
        FailureMode.GRAY,
    )
    volatile = True
    families = (Family.POSTGRES, Family.MYSQL, Family.MONGODB)
    mechanism = "lock-held"
    phrases = (
        "lock held", "holds a lock", "table lock", "ACCESS EXCLUSIVE lock", "lock contention",
        "blocked by a lock", "fsyncLock", "fsync lock", "forgotten transaction", "open transaction",
        "idle in transaction", "blocking session", "metadata lock", "global read lock",
        "forgotten session", "locked table", "database is locked against writes",
    )  # fmt: skip
    symptoms = ("queries hang", "requests time out", "latency rises")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            table: SQL: what is locked against everybody; empty: in PostgreSQL the table for which
                an account is declared, in MySQL all tables against writes.
        """

        restart_clients: bool | None = False
        table: str = Field(default="", pattern=r"[\w.]*")

    @override
    def lacking(self, component: Component) -> str:
        if family_of(component) is Family.POSTGRES and not table_of(component):
            return "no account of it tells of a table"
        return ""

    @override
    def unnoticed(self, component: Component) -> str:
        # Elsewhere reads go on.
        return "" if family_of(component) is Family.POSTGRES else not_changed(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component, table = context.component, context.parameters.table
        family = family_of(component)
        if family is Family.POSTGRES:
            return _locked_in_postgres(table or table_of(component))
        if family is Family.MYSQL:
            return _locked_in_mysql(table)
        unlock = "db.fsyncUnlock()"
        return StoreChange(
            what="lock of all databases against writes",
            before="not held",
            after="held by db.fsyncLock()",
            breaks=mongo(component, "db.fsyncLock()"),
            mends=mongo(component, unlock),
            undoes=mongo(component, f"if (db.currentOp().fsyncLock) {{ {unlock} }}"),
            asks=mongo(component, "print(db.currentOp().fsyncLock === true)"),
            healthy="false",
        )


def _locked_in_postgres(table: str) -> StoreChange:
    mode = "mode = 'AccessExclusiveLock' AND granted"
    held = f"FROM pg_locks WHERE {mode} AND relation = '{table}'::regclass"
    lock = f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"
    end = psql(f"SELECT pg_terminate_backend(pid) {held}")
    return StoreChange(
        what=f"table lock on {table}",
        before="not held",
        after="held by a session that sleeps",
        breaks=_left_behind(psql(f"BEGIN; {lock}; SELECT pg_sleep({_ASLEEP_S})")),
        mends=end,
        asks=psql(f"SELECT count(*) {held}"),
        healthy="0",
    )


def _locked_in_mysql(table: str) -> StoreChange:
    lock = f"LOCK TABLES {table} WRITE" if table else "FLUSH TABLES WITH READ LOCK"
    asleep = "FROM information_schema.processlist WHERE state = 'User sleep'"
    kill = f"SELECT CONCAT('KILL ', id, ';') {asleep}"
    client = 'mysql -uroot -p"$MYSQL_ROOT_PASSWORD" -N'
    end = ("sh", "-c", f'{client} -e "$0" | {client}', kill)
    return StoreChange(
        what=f"lock on table {table}" if table else "lock on all tables against writes",
        before="not held",
        after="held by a session that sleeps",
        breaks=_left_behind(mysql(f"{lock}; SELECT SLEEP({_ASLEEP_S})")),
        mends=end,
        asks=mysql(f"SELECT count(*) {asleep}"),
        healthy="0",
    )


def _left_behind(argv: tuple[str, ...]) -> tuple[str, ...]:
    """A shell's command line that goes on after its session has ended."""
    head, flag, text, *words = argv
    text = text.replace("exec ", "nohup ", 1)
    return (head, flag, f"{text} >/dev/null 2>&1 &", *words)


class StoreFlooded(StoreFault):
    """Fills a Redis with foreign keys up to a limit at which it evicts nothing."""

    name: ClassVar[str] = "store-flooded"
    title: ClassVar[str] = "Store is full of foreign keys and takes no more"
    families = (Family.REDIS,)
    mechanism = "store-out-of-memory"
    phrases = (
        "maxmemory reached", "store out of memory", "OOM command not allowed", "memory limit reached",
        "maxmemory", "noeviction", "store is full", "cache is full", "flooded with keys",
        "memory exhausted", "filled with keys", "eviction policy", "used memory above maxmemory",
    )  # fmt: skip
    symptoms = ("writes fail", "OOM command not allowed when used memory > 'maxmemory'")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            mib: The limit; the keys fill it.
            prefix: Of the keys' names.
        """

        restart_clients: bool | None = False
        mib: int = Field(default=4, ge=2, le=64)
        prefix: str = Field(default="import", pattern=r"[a-z0-9_-]+")

    @override
    def change(self, context: FaultContext) -> StoreChange:
        given, component = context.parameters, context.component
        cli, count = redis(component)[0], given.mib * 16
        keys = f"{cli} --scan --pattern '{given.prefix}:*' | xargs -r {cli} DEL >/dev/null"
        fill = (
            f"{cli} CONFIG SET maxmemory {given.mib}mb && "
            f"{cli} CONFIG SET maxmemory-policy noeviction && "
            "block=$(head -c 65536 /dev/zero | tr '\\0' x) && "
            f'for n in $(seq {count}); do {cli} SET {given.prefix}:$n "$block" >/dev/null; done'
        )
        return StoreChange(
            what="memory of the store",
            before="not all in use",
            after=f"full of keys {given.prefix}:*, with maxmemory {given.mib}mb and noeviction",
            breaks=("sh", "-c", fill),
            mends=("sh", "-c", keys),
            asks=redis(component, "INFO", "memory"),
            healthy=".*",
        )

    @override
    def undoing(self, context: FaultContext) -> tuple[str, ...]:
        found = _memory(run_in_store(context, redis(context.component, "INFO", "memory")).stdout)
        cli = redis(context.component)[0]
        before = (
            f"{cli} CONFIG SET maxmemory {found.get('maxmemory', '0')} && "
            f"{cli} CONFIG SET maxmemory-policy {found.get('maxmemory_policy', 'noeviction')}"
        )
        return ("sh", "-c", f"{self.change(context).mends[-1]}; {before}")

    @override
    def present(self, context: FaultContext) -> Check:
        change = self.change(context)
        defects = store_defects(context, change)
        if not defects:
            asked = run_in_store(context, change.asks)
            found = _memory(asked.stdout)
            most, used = int(found.get("maxmemory", "0")), int(found.get("used_memory", "0"))
            if "used_memory" not in found:
                defects = [f"it tells nothing of its memory: {failure_line(asked)}"]
            elif most and used >= most - _MIB // 8 and found["maxmemory_policy"] == "noeviction":
                defects = [f"{used} of {most} bytes are in use, and nothing is evicted"]
        return defect_check("the store has memory for further keys", defects)


def _memory(text: str) -> dict[str, str]:
    lines = (line.strip().partition(":") for line in text.splitlines())
    return {name: value for name, colon, value in lines if colon}
