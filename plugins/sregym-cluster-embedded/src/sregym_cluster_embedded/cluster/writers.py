"""As whom clients of the harness write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.request import User

if TYPE_CHECKING:
    from sregym_core.interfaces import Actor

_ACCOUNT = "system:serviceaccount:"


def user_of(actor: Actor) -> User:
    """The user behind an actor: with an administrator's rights, or with those that its groups have."""
    if not actor.limited:
        # What an administrator may, under names and groups of one's own: the log leaves out the rest.
        given = (*actor.groups, *User().groups) if actor.groups else User().groups
        return User(actor.user or User().name, tuple(dict.fromkeys(given)))
    if not actor.user.startswith(_ACCOUNT):
        return User(actor.user, ("system:authenticated",))
    return User(actor.user, account_groups(actor.user))


def account_groups(user: str) -> tuple[str, ...]:
    """The groups of a service account, by its user name."""
    namespace = user.removeprefix(_ACCOUNT).partition(":")[0]
    accounts = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return (*accounts, "system:authenticated")
