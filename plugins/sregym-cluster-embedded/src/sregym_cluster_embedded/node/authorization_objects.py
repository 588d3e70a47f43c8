"""The roles, bindings and accounts that a control plane makes for itself, read from data."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object

RBAC = "rbac.authorization.k8s.io"
_SYSTEM = "kube-system"
_CONTROLLER = "system:controller:"
_VERBS = {
    "read": ("get", "list", "watch"),
    "write": ("create", "delete", "deletecollection", "patch", "update"),
}
_EVENTS: Object = {
    "apiGroups": ["", "events.k8s.io"],
    "resources": ["events"],
    "verbs": ["create", "patch", "update"],
}
_LOCKING = "system::leader-locking-{}"


class _Role(NamedTuple):
    """One paragraph of the data.

    Attributes:
        name: As written.
        part_of: The role whose rules it is collected into; empty for none.
        collects: The roles whose rules it has.
        runs: Whether the controller of that name runs here.
        rules: As in the API.
        subjects: Who has the role; None when it is not bound.
    """

    name: str
    part_of: str
    collects: tuple[str, ...]
    runs: bool
    rules: list[Object]
    subjects: list[Object] | None


def cluster_roles() -> list[Object]:
    """The ClusterRoles, those that collect others with the rules they end up with."""
    return [*_objects()[0]]


def cluster_role_bindings() -> list[Object]:
    """Who has them."""
    return [*_objects()[1]]


def controller_accounts() -> list[str]:
    """The names of the accounts of the controllers in `kube-system`."""
    return [role.name for role in _read("controller_roles.txt") if role.runs]


def roles() -> list[Object]:
    """The Roles of the control plane."""
    leases = "coordination.k8s.io leases"
    wanted = (
        (
            _SYSTEM,
            "extension-apiserver-authentication-reader",
            ("core configmaps extension-apiserver-authentication: read",),
        ),
        *(
            (_SYSTEM, _LOCKING.format(name), (f"{leases}: watch", f"{leases} {name}: get update"))
            for name in ("kube-controller-manager", "kube-scheduler")
        ),
        (_SYSTEM, _CONTROLLER + "bootstrap-signer", ("core secrets: read",)),
        (
            _SYSTEM,
            _CONTROLLER + "cloud-provider",
            ("core configmaps: create get list update watch",),
        ),
        (
            _SYSTEM,
            _CONTROLLER + "token-cleaner",
            ("core secrets: delete get list watch", "+events"),
        ),
        (
            "kube-public",
            _CONTROLLER + "bootstrap-signer",
            ("core configmaps: read", "core configmaps cluster-info: update", "+events"),
        ),
    )
    return [
        {"metadata": _metadata(name, namespace), "rules": [_rule(line) for line in lines]}
        for namespace, name, lines in wanted
    ]


def role_bindings() -> list[Object]:
    """Who has those Roles."""
    leaders = ("kube-controller-manager", "kube-scheduler")
    locks = [_account(name) for name in leaders]
    reader = "extension-apiserver-authentication-reader"
    entries: list[tuple[str, str, str, list[Object]]] = [
        (
            _SYSTEM,
            f"system::{reader}",
            reader,
            [_subject("User", f"system:{name}") for name in leaders],
        )
    ]
    for name, account in zip(leaders, locks, strict=True):
        role = _LOCKING.format(name)
        entries.append((_SYSTEM, role, role, [_subject("User", f"system:{name}"), account]))
    for namespace, name in (
        (_SYSTEM, "bootstrap-signer"),
        (_SYSTEM, "cloud-provider"),
        (_SYSTEM, "token-cleaner"),
        ("kube-public", "bootstrap-signer"),
    ):
        role = _CONTROLLER + name
        entries.append((namespace, role, role, [_account(name)]))
    return [
        {
            "metadata": _metadata(name, namespace),
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": role},
            "subjects": subjects,
        }
        for namespace, name, role, subjects in entries
    ]


@lru_cache(maxsize=1)
def _objects() -> tuple[tuple[Object, ...], tuple[Object, ...]]:
    """ClusterRoles and ClusterRoleBindings; immutable, so a process reads them once."""
    known = {role.name: role for role in _all_roles()}
    made: list[Object] = []
    bound: list[Object] = []
    for name, role in sorted(known.items()):
        metadata = _metadata(name)
        if role.part_of:
            metadata["labels"][f"rbac.authorization.k8s.io/aggregate-to-{role.part_of}"] = "true"
        entry: Object = {"metadata": metadata, "rules": _rules(known, role)}
        if role.collects:
            selector = {"matchLabels": {f"{RBAC}/aggregate-to-{name}": "true"}}
            entry["aggregationRule"] = {"clusterRoleSelectors": [selector]}
        made.append(entry)
        if role.subjects is not None:
            reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": name}
            binding: Object = {"metadata": _metadata(name), "roleRef": reference}
            if role.subjects:
                binding["subjects"] = role.subjects
            bound.append(binding)
    return tuple(made), tuple(bound)


def _all_roles() -> Iterator[_Role]:
    yield from _read("default_roles.txt")
    for role in _read("controller_roles.txt"):
        yield role._replace(name=_CONTROLLER + role.name, subjects=[_account(role.name)])
    # The DNS is an addon, but its role is a part of what a cluster begins with here.
    rules = [
        _rule("core endpoints,services,pods,namespaces: list watch"),
        _rule("discovery.k8s.io endpointslices: list watch"),
    ]
    yield _Role("system:coredns", "", (), True, rules, [_account("coredns")])


def _rules(known: dict[str, _Role], role: _Role) -> list[Object]:
    rules = [*role.rules]
    for name in role.collects:
        rules += [rule for rule in _rules(known, known[name]) if rule not in rules]
    return rules


def _read(name: str) -> list[_Role]:
    found: list[_Role] = []
    for line in (Path(__file__).parent / name).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" "):
            found.append(_head(line))
        elif line.startswith("  <"):
            words = line.split()[1:]
            subjects = [*(found[-1].subjects or ())]
            if words:
                kind, subject = words
                account = kind == "ServiceAccount"
                subjects.append(_account(subject) if account else _subject(kind, subject))
            found[-1] = found[-1]._replace(subjects=subjects)
        else:
            found[-1].rules.append(_rule(line.strip()))
    return found


def _head(line: str) -> _Role:
    name, _, collected = line.partition(" = ")
    name, _, part_of = name.partition(" -> ")
    return _Role(
        name.removesuffix(" !"), part_of, tuple(collected.split()), not name.endswith("!"), [], None
    )


def _rule(line: str) -> Object:
    if line == "+events":
        return _EVENTS
    what, _, words = line.rpartition(": ")
    verbs = [verb for word in words.split() for verb in _VERBS.get(word, (word,))]
    if what.startswith("/"):
        paths = ["*"] if what == "/*" else what.split(",")
        return {"nonResourceURLs": paths, "verbs": verbs}
    groups, resources, *names = what.split()
    rule: Object = {
        "apiGroups": ["" if group == "core" else group for group in groups.split(",")],
        "resources": resources.split(","),
        "verbs": verbs,
    }
    if names:
        rule["resourceNames"] = names[0].split(",")
    return rule


def _metadata(name: str, namespace: str = "") -> Object:
    metadata: Object = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    # Bindings and roles without these were created by others, the DNS's by its manifest.
    if name != "system:coredns":
        metadata["labels"] = {"kubernetes.io/bootstrapping": "rbac-defaults"}
        metadata["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return metadata


def _subject(kind: str, name: str) -> Object:
    return {"apiGroup": RBAC, "kind": kind, "name": name}


def _account(name: str) -> Object:
    return {"kind": "ServiceAccount", "name": name, "namespace": _SYSTEM}
