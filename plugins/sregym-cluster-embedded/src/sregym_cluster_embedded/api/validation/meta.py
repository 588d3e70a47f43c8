"""Validation of metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.validation import causes, formats, ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.api.resource import Resource

_ANNOTATIONS_BYTES = 256 * 1024
# Names in these groups may hold almost anything: `system:node`.
_FREE_GROUPS = frozenset({"rbac.authorization.k8s.io", "certificates.k8s.io"})
_LABEL_NAMES = frozenset({"namespaces", "services"})
STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_EVENT = {"apiVersion": "v1", "kind": "Event"}


def metadata(kind: Resource, meta: dict[str, Any]) -> list[Cause]:
    """All causes in the metadata of an object.

    Finalizers of the built-in types need a domain.
    """
    found = _name(kind, meta)
    found += formats.labels("metadata.labels", meta.get("labels") or {})
    found += annotation_keys("metadata.annotations", meta.get("annotations") or {})
    found += _owners(meta.get("ownerReferences") or ())
    finalizers = meta.get("finalizers") or ()
    for finalizer in finalizers:
        found += formats.qualified("metadata.finalizers", finalizer)
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        text = "finalizer orphan and foregroundDeletion cannot be both set"
        found.append(causes.invalid("metadata.finalizers", list(finalizers), text))
    if _strict(kind):
        found += _undomained(finalizers)
    return found


def _strict(kind: Resource) -> bool:
    """Whether finalizers without a domain are refused: not for what extends the API."""
    extending = kind.group.startswith(("admissionregistration.", "apiextensions.", "apireg"))
    return not extending and schema.of_kind(kind.group, kind.version, kind.kind) is not None


def _undomained(finalizers: Any) -> list[Cause]:
    text = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        causes.invalid(f"metadata.finalizers[{index}]", name, text)
        for index, name in enumerate(finalizers)
        if "/" not in name and name not in STANDARD_FINALIZERS
    ]


def changed(old: dict[str, Any], new: dict[str, Any]) -> list[Cause]:
    """What must not change in metadata."""
    if "deletionTimestamp" not in old:
        return []
    added = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    text = (
        "no new finalizers can be added if the object is being deleted, found new finalizers "
        f"[]string{{{listed}}}"
    )
    return [causes.forbidden("metadata.finalizers", text)]


def annotation_keys(field: str, values: dict[str, str]) -> list[Cause]:
    """Keys of annotations, and how long they are together."""
    found: list[Cause] = []
    for key in sorted(values):
        lowered = formats.qualified(field, key.lower())
        if lowered:
            shown = causes.quoted_value(key.lower())
            found += [
                causes.invalid(field, key, cause.message.partition(f"{shown}: ")[2])
                for cause in lowered
            ]
    size = sum(len(key.encode()) + len(value.encode()) for key, value in values.items())
    if size > _ANNOTATIONS_BYTES:
        found.append(causes.too_long(field, _ANNOTATIONS_BYTES))
    return found


def _owners(owners: Any) -> list[Cause]:
    found: list[Cause] = []
    first = ""
    for index, owner in enumerate(owners):
        field = f"metadata.ownerReferences[{index}]"
        api_version = owner.get("apiVersion", "")
        if not _version(api_version):
            text = "version must not be empty"
            found.append(causes.invalid(f"{field}.apiVersion", api_version, text))
        for name in ("kind", "name", "uid"):
            if not owner.get(name):
                found.append(causes.invalid(f"{field}.{name}", "", "must not be empty"))
        if _EVENT.items() <= owner.items():
            text = "/v1, Kind=Event is disallowed from being an owner"
            found.append(causes.invalid(field, owner, text))
        if not owner.get("controller"):
            continue
        named = f"{owner.get('kind', '')}/{owner.get('name', '')}"
        if first:
            text = (
                "Only one reference can have Controller set to true. Found "
                f'"true" in references for {first} and {named}'
            )
            found.append(causes.invalid("metadata.ownerReferences", list(owners), text))
        first = first or named
    return found


def _version(api_version: str) -> str:
    """The version of `group/version`; empty when there is none, or more than one slash."""
    return "" if api_version.count("/") > 1 else api_version.rpartition("/")[2]


def _name(kind: Resource, meta: dict[str, Any]) -> list[Cause]:
    check = _check(kind)
    base = meta.get("generateName", "")
    found = check("metadata.generateName", _completed(base)) if base else []
    if base.endswith("-"):
        found = [_restated(cause, base) for cause in found]
    name = meta.get("name", "")
    if not name:
        text = "name or generateName is required"
        return [*found, causes.required("metadata.name", text)]
    return found + check("metadata.name", name)


def _completed(base: str) -> str:
    """The base of a name as the server looks at it: a dash at its end is no end."""
    return f"{base[:-1]}a" if len(base) > 1 and base.endswith("-") else base


def _restated(cause: Cause, base: str) -> Cause:
    _, _, rest = cause.message.removeprefix("Invalid value: ").partition('": ')
    return causes.invalid(cause.field, base, rest)


def _check(kind: Resource) -> Callable[[str, str], list[Cause]]:
    if kind.group in _FREE_GROUPS:
        return formats.path_segment
    if kind.name == "ipaddresses.networking.k8s.io":
        return ranges.address_name
    return formats.label if kind.name in _LABEL_NAMES else formats.subdomain
