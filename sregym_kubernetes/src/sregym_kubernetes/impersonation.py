"""Acting as another user: `kubectl --as`, answered as an API server does whose user may not.

The harness's own credentials act in the agent's name; what an agent adds of this kind must never
be asked with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_kubernetes.filtering import status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.policy import Identity

PREFIX = "impersonate-"
_ACCOUNT = "system:serviceaccount:"
_GROUP = "authentication.k8s.io"


def refusal(identity: Identity, headers: Mapping[str, str]) -> tuple[int, bytes] | None:
    """Code and Status for a request in the name of another user; None when it does not."""
    asked = {name: value for name, value in headers.items() if name.startswith(PREFIX)}
    if not asked:
        return None
    name = asked.get("impersonate-user", "")
    if not name:
        text = "requested groups, uid or extra without impersonating a user name"
        return 400, status(400, "BadRequest", text)
    resource, place, where = "users", name, "at the cluster scope"
    account = name.removeprefix(_ACCOUNT).split(":")
    if name.startswith(_ACCOUNT) and len(account) == 2 and all(account):
        resource, place = "serviceaccounts", account[1]
        where = f'in the namespace "{account[0]}"'
    text = (
        f'{resource} "{place}" is forbidden: User "{identity.name}" cannot impersonate resource '
        f'"{resource}" in API group "" {where}'
    )
    return 403, status(403, "Forbidden", text, {"name": place, "kind": resource})
