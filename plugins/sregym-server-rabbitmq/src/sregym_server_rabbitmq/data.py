"""Accounts, virtual hosts and queues of one broker, kept under the identity of its data directory."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import Broker, OffsetReset, TableKey, Topics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World

TABLE: TableKey[str, RabbitmqData] = TableKey("userland.rabbitmq")


class Account(NamedTuple):
    """A user: password, tags, and per virtual host what it may configure, write and read."""

    password: str
    tags: tuple[str, ...] = ()
    permissions: tuple[tuple[str, tuple[str, str, str]], ...] = ()

    def may(self, vhost: str) -> tuple[str, str, str] | None:
        """The patterns in a virtual host; None without access to it."""
        return dict(self.permissions).get(vhost)


@dataclass(frozen=True)
class RabbitmqData:
    """All that one broker keeps.

    Attributes:
        version: Of the broker that made it; empty before there was one.
        vhosts: Names of virtual hosts.
        accounts: Name -> account.
        queues: Name -> (virtual host, whether it is durable).
        purged: Which queue was emptied how often, in turn.
    """

    version: str = ""
    vhosts: tuple[str, ...] = ()
    accounts: Mapping[str, Account] = field(default_factory=dict)
    queues: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    purged: tuple[str, ...] = ()

    def as_topics(self) -> Topics:
        """Queues as topics of one partition with one group, which is how messages flow."""
        return self._topics

    @cached_property
    def _topics(self) -> Topics:
        # Asked for with each look at the traffic, and seldom other than before.
        resets = tuple(OffsetReset(name, name, number) for number, name in enumerate(self.purged))
        return Topics(dict.fromkeys(self.queues, 1), (), resets)


def load(world: World, storage: str) -> RabbitmqData:
    """What is kept under an identity; nothing when there is none."""
    found: RabbitmqData | None = world.table(TABLE).get(storage)
    return found or RabbitmqData()


def store(world: World, storage: str, data: RabbitmqData) -> None:
    """Keep data under an identity."""
    world.table(TABLE)[storage] = data


def describe(data: RabbitmqData) -> str:
    """All of it as canonical text, without messages."""
    rows = [f"vhost {name}" for name in sorted(data.vhosts)]
    rows += [
        f"user {name}: {account.password} {','.join(account.tags)} "
        + " ".join(f"{vhost}={'|'.join(may)}" for vhost, may in sorted(account.permissions))
        for name, account in sorted(data.accounts.items())
    ]
    rows += [f"queue {name} in {vhost}" for name, (vhost, _) in sorted(data.queues.items())]
    return "\n".join(rows)


class RabbitmqBroker(Broker):
    """Queues as topics of one partition; all who take from one are one group, and it waits."""

    keeps_unread = True

    def topics(self, world: World, storage: str) -> Topics | None:
        """What is kept under an identity; None where there is nothing."""
        found: RabbitmqData | None = world.table(TABLE).get(storage)
        return None if found is None else found.as_topics()

    def group(self, topic: str, group: str) -> str:
        """The queue itself."""
        return topic


BROKER = RabbitmqBroker()
