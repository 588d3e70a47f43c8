"""Who writes to the Kubernetes API, and with which tool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """The client behind a write, as `metadata.managedFields` and the log of requests show it.

    Attributes:
        manager: Field manager: `kubectl-edit`, `helm`, `argocd-controller` ...
        user_agent: Header `User-Agent` of the tool.
        user: User name in the request log of a simulated cluster; empty: the administrator. On a
            real cluster it is always the user of the credentials.
        limited: Whether that user has no more rights than roles give it. Otherwise writes are not
            refused for want of rights.
        groups: Of that user, as the same log shows them; empty: an administrator's, or those of a
            service account.
    """

    manager: str
    user_agent: str
    user: str = ""
    limited: bool = False
    groups: tuple[str, ...] = ()


KUBECTL_AGENT = "kubectl/v1.34.1 (linux/amd64) kubernetes/93248f9"
_BY_VERB = {
    verb: Actor(f"kubectl-{verb}", KUBECTL_AGENT) for verb in ("create", "replace", "patch")
}


def default_actor(verb: str) -> Actor:
    """The default writer: a person with `kubectl create`, `replace`, `patch`.

    Args:
        verb: `create`, `replace` or `patch`; a deletion leaves no field manager and counts as any.
    """
    return _BY_VERB.get(verb, _BY_VERB["patch"])
