"""How people tell what is wrong with a replica set, and what its clients see, by family of its servers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sregym_injector_datastore.families import Family

if TYPE_CHECKING:
    from collections.abc import Mapping


def _by_family(**texts: tuple[str, ...]) -> Mapping[Family | None, tuple[str, ...]]:
    found: dict[Family | None, tuple[str, ...]] = defaultdict(tuple)
    return found | {Family(name): told for name, told in texts.items()}


_NO_PRIMARY = ("no primary", "No primary available for writes", "not master", "writes fail")

LOST = _by_family(
    mongodb=(
        "replica set has no majority", "majority of the members is lost", "quorum lost", "lost quorum",
        "no quorum", "majority lost", "no primary because a majority is missing",
        "not enough members to elect a primary",
    ),
    postgres=(
        "standbys are missing", "no synchronous standby", "synchronous standbys are gone",
        "standbys were scaled away", "commits wait for a standby", "commits wait for synchronous replication",
        "synchronous_standby_names cannot be met", "primary without standbys", "SyncRep",
    ),
    redis=(
        "NOREPLICAS", "not enough good replicas", "master has no replicas", "min-replicas-to-write is not met",
        "replicas are missing", "replicas were scaled away", "no quorum of Sentinels",
    ),
)  # fmt: skip
LOST_SEEN = _by_family(
    mongodb=_NO_PRIMARY,
    postgres=("writes hang", "commits hang", "writes time out", "checkout times out", "deadline exceeded"),
    redis=("writes fail", "Not enough good replicas to write", "carts cannot be changed"),
)  # fmt: skip
LAG = _by_family(
    mongodb=(
        "secondaries are locked", "fsyncLock on the secondaries", "secondaries lag", "replication lag",
        "replicas lag behind", "fsyncLock was not released", "secondaries are locked against writes",
        "replication is stopped", "oplog is not applied", "backup left a lock",
        "secondaries do not apply the oplog", "members are behind the primary",
        "db.fsyncLock() on the secondaries",
    ),
    postgres=(
        "replay is paused", "WAL replay is paused", "replay paused on the standbys", "pg_wal_replay_pause",
        "standbys lag", "replication lag", "standbys do not replay", "standbys do not apply the log",
        "standbys are behind the primary", "recovery is paused", "replay was not resumed",
        "commits wait for remote_apply", "synchronous commits wait for standbys that do not apply",
    ),
)  # fmt: skip
LAG_SEEN = _by_family(
    mongodb=(
        "waiting for replication timed out", "writes time out", "write concern majority is not met",
        "stale reads", "compose fails",
    ),
    postgres=("writes hang", "commits hang", "writes time out", "stale reads", "deadline exceeded"),
)  # fmt: skip
STUCK = _by_family(
    mongodb=(
        "no member can become primary", "priority 0", "members have priority 0",
        "no electable member", "primary is unreachable under its configured host",
        "wrong host in the replica set configuration", "stale host in rs.conf",
        "replica set configuration names a host that does not exist", "failover is impossible",
        "secondaries cannot be elected", "election cannot succeed", "replica set has no primary",
        "replica set was reconfigured", "member is not in the configuration", "REMOVED",
    ),
    postgres=(
        "no primary", "all servers are standbys", "every member is in recovery", "no standby was promoted",
        "primary was demoted", "primary became a standby", "standby.signal", "no writable server",
        "failover was not finished", "switchover was not finished", "nobody was promoted",
        "replication loop without a primary", "primary is in recovery", "pg_promote was never run",
    ),
    mysql=(
        "super_read_only on the source", "source is read-only", "all servers are read-only", "no writable server",
        "no replica was promoted", "switchover was not finished", "failover was not finished",
        "every member has super_read_only", "primary is read-only", "nobody was promoted",
        "promotion was never done", "read_only is ON on the source",
    ),
    redis=(
        "quorum is larger than the number of Sentinels", "quorum cannot be reached", "NOQUORUM",
        "quorum 5 of 3 Sentinels", "quorum too high", "Sentinel quorum", "Sentinels cannot agree",
        "failover is impossible", "no failover", "master is a replica", "master follows a host that does not exist",
        "REPLICAOF on the master", "master was demoted", "no master", "all servers are replicas",
        "odown is never reached",
    ),
)  # fmt: skip
STUCK_SEEN = _by_family(
    mongodb=("no primary", "No primary available for writes", "not master", "writes fail", "reads fail"),
    postgres=("writes fail", "read-only transaction", "session is read-only", "no primary", "orders cannot be placed"),
    mysql=("writes fail", "--super-read-only option", "contacts cannot be created", "database errors"),
    redis=("writes fail", "READONLY", "no connection to the master", "carts cannot be reached", "master link is down"),
)  # fmt: skip
