"""`kubectl describe` of roles, bindings and service accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.describe.common_sections import (
    write_annotations,
    write_events,
    write_labels,
)
from sregym_cluster_embedded.kubectl.describe.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object


def describe_role(_session: Session, obj: Object) -> str:
    """The description of one Role or ClusterRole."""
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.line(0, "PolicyRule:")
    writer.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs")
    writer.line(1, "---------\t-----------------\t--------------\t-----")
    for row in rule_rows(obj.get("rules") or ()):
        writer.line(1, "\t".join(row))
    return writer.text()


def rule_rows(rules: Sequence[Object]) -> list[list[str]]:
    """Rules as rows: resources, paths, names and verbs."""
    simple = _compact([part for rule in rules for part in _broken_down(rule)])
    return [
        [
            _combined(rule["resources"], rule["apiGroups"]),
            *(_listed(rule[field]) for field in ("nonResourceURLs", "resourceNames", "verbs")),
        ]
        for rule in sorted(simple, key=_go_text)
    ]


_FIELDS = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
Rule = dict[str, tuple[str, ...]]


def _broken_down(rule: Object) -> list[Rule]:
    """A rule for each pair of group and resource, verb, name, and each path."""
    parts: list[Rule] = []
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in rule.get("verbs") or ():
                base: Rule = dict.fromkeys(_FIELDS, ())
                base |= {"verbs": (verb,), "apiGroups": (group,), "resources": (resource,)}
                names = rule.get("resourceNames") or ()
                parts += [{**base, "resourceNames": (name,)} for name in names] or [base]
    for url in rule.get("nonResourceURLs") or ():
        for verb in rule.get("verbs") or ():
            base = dict.fromkeys(_FIELDS, ())
            parts.append(base | {"verbs": (verb,), "nonResourceURLs": (url,)})
    return parts


def _compact(rules: list[Rule]) -> list[Rule]:
    """Simple rules about one resource joined into one, with all verbs."""
    joined: list[Rule] = []
    simple: dict[tuple[tuple[str, ...], ...], Rule] = {}
    for rule in rules:
        if rule["nonResourceURLs"]:
            joined.append(rule)
            continue
        place = (rule["apiGroups"], rule["resources"], rule["resourceNames"])
        known = simple.get(place)
        if known is None:
            simple[place] = rule
        elif rule["verbs"][0] not in known["verbs"]:
            simple[place] = {**known, "verbs": known["verbs"] + rule["verbs"]}
    return [*joined, *simple.values()]


def _go_text(rule: Rule) -> str:
    """The rule as Go prints it, by which rules are sorted."""
    return "&PolicyRule{" + "".join(
        f"{title}:[{' '.join(rule[field])}],"
        for title, field in (
            ("Verbs", "verbs"), ("APIGroups", "apiGroups"), ("Resources", "resources"),
            ("ResourceNames", "resourceNames"), ("NonResourceURLs", "nonResourceURLs"),
        )
    )  # fmt: skip


def _combined(resources: tuple[str, ...], groups: tuple[str, ...]) -> str:
    if not resources:
        return ""
    plural, slash, rest = resources[0].partition("/")
    if groups and groups[0]:
        plural += f".{groups[0]}"
    return plural + slash + rest


def _listed(values: tuple[str, ...]) -> str:
    return f"[{' '.join(values)}]"


def describe_binding(_session: Session, obj: Object) -> str:
    """The description of one RoleBinding or ClusterRoleBinding."""
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    writer.line(0, "Role:")
    writer.field(1, "Kind", obj["roleRef"]["kind"])
    writer.field(1, "Name", obj["roleRef"]["name"])
    writer.line(0, "Subjects:")
    writer.line(1, "Kind\tName\tNamespace")
    writer.line(1, "----\t----\t---------")
    for subject in obj.get("subjects") or ():
        writer.line(1, f"{subject['kind']}\t{subject['name']}\t{subject.get('namespace', '')}")
    return writer.text()


def describe_service_account(session: Session, obj: Object) -> str:
    """The description of one ServiceAccount."""
    writer = Writer()
    metadata = obj["metadata"]
    writer.field(0, "Name", metadata["name"])
    writer.field(0, "Namespace", metadata["namespace"])
    write_labels(writer, "Labels", metadata.get("labels"))
    write_annotations(writer, "Annotations", metadata.get("annotations"))
    head = "Image pull secrets:"
    names = [one.get("name", "") for one in obj.get("imagePullSecrets", ())]
    for name in names or ["<none>"]:
        writer.line(0, f"{head}\t{name}")
        head = " " * len(head)
    write_events(writer, session, obj)
    return writer.text()
