"""User impersonation: the headers behind `kubectl --as`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.access import authorizer
from sregym_cluster_embedded.api.access.attributes import Attributes
from sregym_cluster_embedded.api.access.rbac import ACCOUNT_PREFIX
from sregym_cluster_embedded.api.request import User

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World

USER = "impersonate-user"
GROUPS = "impersonate-group"
UID = "impersonate-uid"
EXTRA = "impersonate-extra-"
ANONYMOUS = "system:anonymous"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
# How several values of one header travel in a mapping: no header holds a line end itself.
SEPARATOR = "\n"
_IDENTITY = "authentication.k8s.io"


def is_impersonating(request: Request) -> bool:
    """Whether a request asks to act as another user."""
    return any(key.startswith("impersonate-") for key in request.headers)


def effective(world: World, request: Request) -> Request:
    """The request in the name of whom its headers name; itself when they name no user.

    Raises:
        errors.ApiError: Forbidden: its user may not act as that one. BadRequest: groups, a uid
            or more are named without a user.
    """
    headers = request.headers
    name = headers.get(USER, "")
    groups = tuple(filter(None, headers.get(GROUPS, "").split(SEPARATOR)))
    uid = headers.get(UID, "")
    extra = _extra(headers)
    if not name:
        if groups or uid or extra:
            raise errors.bad_request(
                "requested groups, uid or extra without impersonating a user name"
            )
        return request
    for asked in _questions(request.user, name, groups, uid, extra):
        decision = authorizer.decide(world, asked)
        if not decision.allowed:
            raise authorizer.refusal(asked, decision.reason)
    return replace(request, user=User(name, _all_groups(name, groups), uid, extra))


def account_groups(namespace: str) -> tuple[str, str]:
    """The groups of every ServiceAccount of a namespace."""
    return ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")


def account_of(name: str) -> tuple[str, str] | None:
    """Namespace and name of the ServiceAccount behind a user name, None when it is none."""
    parts = name.removeprefix(ACCOUNT_PREFIX).split(":")
    if not name.startswith(ACCOUNT_PREFIX) or len(parts) != 2 or not all(parts):
        return None
    return parts[0], parts[1]


def _all_groups(name: str, given: tuple[str, ...]) -> tuple[str, ...]:
    account = account_of(name)
    groups = given
    if not groups and account is not None:
        groups = account_groups(account[0])
    if AUTHENTICATED in groups or UNAUTHENTICATED in groups:
        return groups
    return (*groups, UNAUTHENTICATED if name == ANONYMOUS else AUTHENTICATED)


def _extra(headers: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {
        unquote(key.removeprefix(EXTRA)): tuple(value.split(SEPARATOR))
        for key, value in sorted(headers.items())
        if key.startswith(EXTRA)
    }


def _questions(
    user: User, name: str, groups: tuple[str, ...], uid: str, extra: Mapping[str, tuple[str, ...]]
) -> Iterator[Attributes]:
    """What `user` must be allowed to; asked of administrators for nothing, as they may all."""
    account = account_of(name)
    ask = Attributes(user, "impersonate", version="v1")
    if account is None:
        yield replace(ask, resource="users", name=name)
    else:
        yield replace(ask, resource="serviceaccounts", namespace=account[0], name=account[1])
    for group in groups:
        yield replace(ask, resource="groups", name=group)
    for key, values in extra.items():
        for value in values:
            yield replace(ask, group=_IDENTITY, resource="userextras", subresource=key, name=value)
    if uid:
        yield replace(ask, group=_IDENTITY, resource="uids", name=uid)
