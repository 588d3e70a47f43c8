"""What faults change in replica sets, by family of their servers: command lines that break, mend and ask.

They are run in one member's container and reach the others over the network, as people do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import (
    members,
    mongo,
    mongo_members,
    mysql_members,
    psql_members,
    redis,
)
from sregym_injector_datastore.store_fault import StoreChange

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.model import Component

# The domain of a place from which a member has moved.
_MOVED = ".mongodb.internal:27017"
_STUCK = (
    "c = rs.conf(); const leader = rs.status().members.find(m => m.stateStr == 'PRIMARY');"
    " const able = c.members.filter(m => m.priority > 0);"
    " if (leader && able.length > 1 && !db.isMaster().ismaster) {"
    " c.members.forEach(m => {"
    f" if (m.host == leader.name) {{ m.host = m.host.split('.')[0] + '{_MOVED}' }}"
    " else { m.priority = 0 } });"
    " rs.reconfig(c, {force: true}) }"
)
_FREED = (
    f"c = rs.conf(); const near = c.members.find(m => !m.host.endsWith('{_MOVED}'));"
    " const domain = near.host.slice(near.host.indexOf('.'));"
    " c.members.forEach(m => { m.host = m.host.split('.')[0] + domain; m.priority = 1 });"
    " rs.reconfig(c, {force: true})"
)
_ASKED = (
    f"const c = rs.conf(); const gone = c.members.some(m => m.host.endsWith('{_MOVED}'));"
    " const able = c.members.filter(m => m.priority > 0).length;"
    " print(gone || able < 2 ? 'stuck' : 'able')"
)


def lagging(component: Component) -> StoreChange:
    """Copies that apply nothing of what they get."""
    return _LAGGING[_family(component)](component)


def stuck(component: Component) -> StoreChange:
    """A replica set without a primary, in which none is elected."""
    return _STUCK_SETS[_family(component)](component)


def _family(component: Component) -> Family:
    family = family_of(component)
    assert family is not None
    return family


def _mongodb_lagging(component: Component) -> StoreChange:
    unlock = "if (db.currentOp().fsyncLock) { db.fsyncUnlock() }"
    return StoreChange(
        what="lock of the secondaries against writes",
        before="not held",
        after="held by db.fsyncLock()",
        breaks=mongo_members(component, "if (!db.isMaster().ismaster) { db.fsyncLock() }"),
        mends=mongo_members(component, unlock),
        asks=mongo_members(component, "print(db.currentOp().fsyncLock ? 'locked' : 'free')"),
        healthy=r"(free\s*)+",
    )


def _postgres_lagging(component: Component) -> StoreChange:
    pause, resume = (
        f"SELECT pg_wal_replay_{verb}() WHERE pg_is_in_recovery()" for verb in ("pause", "resume")
    )
    paused = "CASE WHEN pg_is_wal_replay_paused() THEN 'paused' ELSE 'replays' END"
    asked = f"SELECT CASE WHEN pg_is_in_recovery() THEN {paused} ELSE 'leads' END"
    return StoreChange(
        what="replay of the log on the standbys",
        before="not paused",
        after="paused by pg_wal_replay_pause()",
        breaks=psql_members(component, pause),
        mends=psql_members(component, resume),
        asks=psql_members(component, asked),
        healthy=r"((leads|replays)\s*)+",
    )


def _mongodb_stuck(component: Component) -> StoreChange:
    return StoreChange(
        what="configuration of the replica set",
        before="all members may lead, under their own addresses",
        after=f"only one may lead, at an address that ends in {_MOVED}",
        breaks=mongo_members(component, _STUCK),
        mends=mongo(component, _FREED),
        asks=mongo_members(component, _ASKED),
        healthy=r"(able\s*)+",
    )


# Half of a switch-over was done: the former primary is a standby of the next one, which was not promoted.
_DEMOTED = (
    'test "$(psql -U "${POSTGRES_USER:-postgres}" -d postgres -tAc "SELECT pg_is_in_recovery()")" = f || exit 1; '
    'psql -U "${POSTGRES_USER:-postgres}" -d postgres -c "ALTER SYSTEM SET primary_conninfo = '
    "'host=$0 port=5432 user=${POSTGRES_USER:-postgres} password=$POSTGRES_PASSWORD application_name=$HOSTNAME'\" "
    '&& touch "$PGDATA/standby.signal" && kill -INT 1'
)
_PROMOTED = (
    'export PGPASSWORD="$POSTGRES_PASSWORD" PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE=postgres; '
    'for member in "$@"; do test "$(psql -h "$member" -tAc "$0")" = f && exit 0; done; '
    'psql -h "$1" -c "SELECT pg_promote()" -c "ALTER SYSTEM RESET primary_conninfo" -c "SELECT pg_reload_conf()"'
)


def _postgres_stuck(component: Component) -> StoreChange:
    asked = "SELECT pg_is_in_recovery()"
    _, second, *_ = members(component)
    return StoreChange(
        what="role of the former primary",
        before="it leads",
        after="a standby by standby.signal, and no standby was promoted",
        breaks=("sh", "-c", _DEMOTED, second),
        mends=("sh", "-c", _PROMOTED, asked, *members(component)),
        asks=psql_members(component, asked),
        healthy=r"(t\s*)*f\s*(t\s*)*",
    )


# Of a switch-over the first half was done: the source takes no writes, and no replica does.
_OPENED = (
    'for member in "$@"; do test "$(mysql -h "$member" -uroot -p"$MYSQL_ROOT_PASSWORD" -N -e "$0")" = 0 && exit 0; done; '
    'mysql -h "$1" -uroot -p"$MYSQL_ROOT_PASSWORD" -e "SET PERSIST super_read_only = OFF; SET PERSIST read_only = OFF"'
)


def _mysql_stuck(component: Component) -> StoreChange:
    asked = "SELECT @@super_read_only"
    first, *_ = members(component)
    closing = 'mysql -h "$1" -uroot -p"$MYSQL_ROOT_PASSWORD" -e "$0"'
    return StoreChange(
        what="whether the source takes writes",
        before="it does",
        after="super_read_only = ON, as its replicas have it, and none was promoted",
        breaks=("sh", "-c", closing, "SET PERSIST super_read_only = ON", first),
        mends=("sh", "-c", _OPENED, asked, *members(component)),
        asks=mysql_members(component, asked),
        healthy=r"(1\s*)*0\s*(1\s*)*",
    )


# Sentinels stand beside the members, at this port.
SENTINEL = 26379
_AT_SENTINELS = (
    'cli=$1 name=$2; shift 2; for member in "$@"; do '
    f'$cli -h "$member" -p {SENTINEL} SENTINEL SET "$name" quorum "$0"; done; '
)
_LEADER = (
    f'$($cli -h "$1" -p {SENTINEL} --raw SENTINEL get-master-addr-by-name "$name" | head -n 1)'
)
_MOVED_AWAY = f'$cli -h "{_LEADER}" REPLICAOF "$name.redis.internal" 6379'
_CHECKED = (
    'cli=$1 name=$2; shift 2; for member in "$@"; do '
    f'$cli -h "$member" -p {SENTINEL} SENTINEL CKQUORUM "$name"; done; '
    f'$cli -h "{_LEADER}" --raw ROLE | head -n 1'
)


def _redis_stuck(component: Component) -> StoreChange:
    words = (redis(component)[0], component.replica_set, *members(component))
    enough, too_many = component.replicas // 2 + 1, component.replicas + 2
    return StoreChange(
        what="quorum of the Sentinels, and whom the master follows",
        before=f"{enough} of {component.replicas}, and nobody",
        after=f"{too_many}, and a server that is not there",
        breaks=("sh", "-c", _AT_SENTINELS + _MOVED_AWAY, str(too_many), *words),
        mends=("sh", "-c", _AT_SENTINELS, str(enough), *words),
        asks=("sh", "-c", _CHECKED, "sh", *words),
        healthy=r"(OK [^\n]*\s*)+master",
    )


_LAGGING: Mapping[Family, Callable[[Component], StoreChange]] = {
    Family.MONGODB: _mongodb_lagging,
    Family.POSTGRES: _postgres_lagging,
}
_STUCK_SETS: Mapping[Family, Callable[[Component], StoreChange]] = {
    Family.MONGODB: _mongodb_stuck,
    Family.POSTGRES: _postgres_stuck,
    Family.MYSQL: _mysql_stuck,
    Family.REDIS: _redis_stuck,
}
# Of which families each of both can be.
LAGGING, STUCK = tuple(_LAGGING), tuple(_STUCK_SETS)
