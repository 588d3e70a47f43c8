"""Users of a server: what each may run, and on which keys (ACL)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import globs

from sregym_server_redis.replies import Pairs
from sregym_server_redis.vocabulary import Refused, Spec, specs

if TYPE_CHECKING:
    from collections.abc import Iterable

CATEGORIES = (
    "keyspace", "read", "write", "set", "sortedset", "list", "hash", "string", "bitmap",
    "hyperloglog", "geo", "stream", "pubsub", "admin", "fast", "slow", "blocking", "dangerous",
    "connection", "transaction", "scripting",
)  # fmt: skip


@dataclass(frozen=True)
class User:
    """A user of the server.

    Attributes:
        enabled: Whether it can log in.
        open: Whether any password will do (`nopass`).
        passwords: Digests, as hexadecimal digits.
        rules: What it may run, one after the other: `+@all`, `-flushall`, `+config|get`.
        keys: Patterns of keys that it may use.
        channels: Patterns of channels.
    """

    enabled: bool = False
    open: bool = False
    passwords: tuple[str, ...] = ()
    rules: tuple[str, ...] = ("-@all",)
    keys: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()

    def knows(self, password: str) -> bool:
        """Whether it can log in with a password."""
        return self.enabled and (self.open or digest(password) in self.passwords)

    def runs(self, spec: Spec) -> bool:
        """Whether it may run a command."""
        allowed = False
        for rule in self.rules:
            target = rule[1:]
            category = target.removeprefix("@")
            fits = target.startswith("@") and (category == "all" or category in spec.categories)
            if fits or target in (spec.name, spec.name.partition("|")[0]):
                allowed = rule.startswith("+")
        return allowed

    def touches(self, keys: Iterable[str]) -> bool:
        """Whether it may use all of some keys."""
        patterns = [pattern.partition("~")[2] for pattern in self.keys]
        return all(any(globs.matches(key, form, escapes=True) for form in patterns) for key in keys)

    def line(self, name: str, form: str = "") -> str:
        """It as ACL LIST shows it; `form` is said besides of the first user of newer servers."""
        words = ["on" if self.enabled else "off", *(["nopass"] if self.open else [])]
        words += [form] if form else []
        words += [f"#{one}" for one in self.passwords]
        words += [*self.keys, *(self.channels or ("resetchannels",)), *self.rules]
        return f"user {name} {' '.join(words)}"

    def told(self) -> Pairs:
        """It as ACL GETUSER shows it."""
        flags = ["on" if self.enabled else "off", *(["nopass"] if self.open else [])]
        return Pairs(
            [
                *("flags", flags, "passwords", list(self.passwords)),
                *("commands", " ".join(self.rules), "keys", " ".join(self.keys)),
                *("channels", " ".join(self.channels), "selectors", []),
            ]
        )


def default_user(password: str) -> User:
    """Who everybody is that does not log in."""
    digests = (digest(password),) if password else ()
    return User(True, not password, digests, ("+@all",), ("~*",), ("&*",))


def digest(password: str) -> str:
    """What is kept of a password."""
    return sha256(password.encode()).hexdigest()


_PLAIN: dict[str, dict[str, Any]] = {
    "on": {"enabled": True}, "off": {"enabled": False}, "allkeys": {"keys": ("~*",)},
    "resetkeys": {"keys": ()}, "allchannels": {"channels": ("&*",)},
    "resetchannels": {"channels": ()}, "allcommands": {"rules": ("+@all",)},
    "nocommands": {"rules": ("-@all",)}, "nopass": {"open": True, "passwords": ()},
    "resetpass": {"open": False, "passwords": ()},
}  # fmt: skip


def with_rule(user: User, rule: str) -> User:
    """A user after one modifier of ACL SETUSER.

    Raises:
        Refused: There is no such modifier.
    """
    plain = _PLAIN.get(rule.lower())
    if plain is not None:
        return replace(user, **plain)
    if rule.lower() == "reset":
        return User()
    if rule.startswith((">", "#")):
        fresh = digest(rule[1:]) if rule.startswith(">") else rule[1:]
        passwords = tuple(dict.fromkeys((*user.passwords, fresh)))
        return replace(user, passwords=passwords, open=False)
    if rule.startswith("<"):
        if digest(rule[1:]) not in user.passwords:
            raise _unfit(rule, "The password you are trying to remove from the user does not exist")
        kept = tuple(one for one in user.passwords if one != digest(rule[1:]))
        return replace(user, passwords=kept)
    if rule.startswith(("~", "%")) and "~" in rule:
        return replace(user, keys=("~*",) if rule == "~*" else (*user.keys, rule))
    if rule.startswith("&"):
        return replace(user, channels=(*user.channels, rule))
    if rule.startswith(("+", "-")) and len(rule) > 1:
        return replace(user, rules=_ruled(user.rules, rule.lower()))
    raise _unfit(rule, "Syntax error")


def _ruled(rules: tuple[str, ...], rule: str) -> tuple[str, ...]:
    target = rule[1:]
    if target == "@all":
        return (rule,)
    known = target[1:] in CATEGORIES if target.startswith("@") else target in specs()
    if not known:
        raise _unfit(rule, "Unknown command or category name in ACL")
    return (*(one for one in rules if one[1:] != target), rule)


def _unfit(rule: str, why: str) -> Refused:
    return Refused(f"ERR Error in ACL SETUSER modifier '{rule}': {why}")
