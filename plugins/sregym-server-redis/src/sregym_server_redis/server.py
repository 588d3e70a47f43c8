"""A connection that executes commands: permissions, transactions, and the handlers of all commands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import emptied

from sregym_server_redis.administration import ADMINISTRATION
from sregym_server_redis.connection import NO_AUTH, Connection
from sregym_server_redis.hashes import HASHES
from sregym_server_redis.keys import Keys
from sregym_server_redis.keyspace import KEYSPACE
from sregym_server_redis.links import looked_at
from sregym_server_redis.lists import LISTS
from sregym_server_redis.replies import BlockedCommand, Status
from sregym_server_redis.strings import STRINGS
from sregym_server_redis.vocabulary import Refused, Spec, parts_of, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_server_redis.keys import Handler

STALE = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
_AT_ONCE = ("auth", "exec", "discard", "multi", "watch", "quit", "reset")
# Commands that read and write keys alone.
_ON_KEYS: Mapping[str, Handler] = {**STRINGS, **LISTS, **HASHES, **KEYSPACE}


class CommandConnection(Connection):
    """A connection whose client sends commands."""

    def run(self, words: list[str]) -> Any:
        """The reply to a command.

        Raises:
            Refused: With the server's error text.
            Held: The command blocks: no reply is sent yet.
        """
        name = words[0].lower()
        try:
            spec = spec_of(words, self.release < (7,))
            self._demand_rights(spec, words)
            if self.queued is not None and name not in _AT_ONCE:
                self.queued.append(words)
                return Status("QUEUED")
            return self._carried_out(spec, words)
        except Refused:
            self.broken = self.broken or (self.queued is not None and name not in _AT_ONCE)
            raise

    def _carried_out(self, spec: Spec, words: list[str]) -> Any:
        name, arguments = words[0].lower(), words[1:]
        if "w" in spec.flags:
            self.demand_write(spec)
        if spec.name == "exec":
            return self._transaction()
        own: Callable[[Connection, list[str]], Any] | None = ADMINISTRATION.get(
            spec.name
        ) or ADMINISTRATION.get(name)
        if own is not None:
            return own(self, arguments)
        if spec.name.endswith("|help"):
            return parts_of(name)
        handler = _ON_KEYS.get(name)
        if handler is None:
            shown = "".join(f"'{word}' " for word in arguments)
            raise Refused(f"ERR unknown command '{words[0]}', with args beginning with: {shown}")
        if not self._may_tell():
            raise Refused(STALE)
        data, now = self.data, self.world.now
        content = data.database(self.database, now)
        keys = Keys(content, now, int(self.world.epoch), self.version)
        reply = handler(keys, arguments)
        if name in ("flushall", "flushdb"):
            emptied(self.world, self.server.ref)
        if name == "flushall":
            self.keep(replace(data, databases={}))
        elif "w" in spec.flags:
            told = sum(len(word) + 15 for word in words)
            written = data.written + told
            self.keep(replace(data.with_database(self.database, keys.content), written=written))
        return reply

    def _demand_rights(self, spec: Spec, words: list[str]) -> None:
        if "n" in spec.flags:
            return
        if not self.known:
            raise Refused(NO_AUTH)
        user, new = self.account(self.user), self.release >= (7, 2)
        if not user.runs(spec):
            raise Refused(self.no_permission(self.user, spec))
        if not user.touches(spec.keys(words)):
            if new:
                raise Refused("NOPERM No permissions to access a key")
            text = "NOPERM this user has no permissions to access one of the keys used as arguments"
            raise Refused(text)

    def _may_tell(self) -> bool:
        """Whether the data may be told: that of a replica without its master may be old."""
        link = looked_at(self.world, self.server.ref)
        if link is None or link.master is not None:
            return True
        return self.setting("replica-serve-stale-data") == "yes"

    def _transaction(self) -> list[Any]:
        """EXEC: the replies to the commands that have been queued, errors among them."""
        if self.queued is None:
            raise Refused("ERR EXEC without MULTI")
        if self.broken:
            self.queued = None
            raise Refused("EXECABORT Transaction discarded because of previous errors.")
        queued, self.queued = self.queued, None
        replies: list[Any] = []
        for words in queued:
            try:
                replies.append(self.run(words))
            except Refused as refusal:
                replies.append(refusal)
            except BlockedCommand as held:
                replies.append(held.last)
        return replies
