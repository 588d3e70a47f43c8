"""As whom servers run that must not be root, and whose images name no user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import parse_reference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_apps.simulation import Installed

    from sregym_dev.importing.remarks import Remarks
    from sregym_dev.importing.roles import Role

# By number, as kubelets want it of containers that must not run as root.
SOMEBODY = "1000"
# Accounts that the official images on Alpine make with another number than those on Debian.
_ON_ALPINE = {"postgres": 70, "rabbitmq": 100}


def run_as_non_root(roles: Iterable[Role], known: Installed, remarks: Remarks) -> None:
    """Give containers of public images a user that must not be root and would be.

    No kubelet starts such a container, so the files cannot have run as they are. Images of other
    publishers are taken to name a user, as theirs mostly do.
    """
    for role in roles:
        if not role.part.needs_user or role.kind not in ("server", "public"):
            continue
        if role.server is not None and role.server.image.get("user", "root") != "root":
            continue
        if role.server is not None and not role.server.official:
            role.server.image["user"] = SOMEBODY
            continue
        kind = "" if role.server is None else role.server.kind
        accounts = known.kinds[kind].users.values() if kind else ()
        number = next(iter(accounts), int(SOMEBODY))
        if "alpine" in parse_reference(role.part.image)[1]:
            number = _ON_ALPINE.get(kind, number)
        context = role.part.container.setdefault("securityContext", {})
        context["runAsUser"] = number
        remarks.changed(
            role.part.where,
            f"it must not run as root, and its image {role.part.image} names no other user: no kubelet "
            f"would start it; it has 'runAsUser: {number}'",
        )
