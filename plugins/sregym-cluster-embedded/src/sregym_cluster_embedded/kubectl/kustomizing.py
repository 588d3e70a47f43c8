"""Kustomizations of the simple sort: files, names, labels, images, generated data."""

from __future__ import annotations

import base64
import re
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import yaml

from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.patches import jsonpatch, merge
from sregym_cluster_embedded.kubectl import kustomized_fields as fields
from sregym_cluster_embedded.kubectl.builder import load_all
from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.yaml_text import compact_json, yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sregym_cluster_embedded.kubectl.flags import Flag
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS: tuple[Flag, ...] = ()

_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_KNOWN = frozenset({
    "apiVersion", "kind", "resources", "namePrefix", "nameSuffix", "namespace", "commonLabels",
    "labels", "commonAnnotations", "images", "replicas", "configMapGenerator", "secretGenerator",
    "generatorOptions", "patches",
})  # fmt: skip
_DEPRECATED = (
    "# Warning: '{}' is deprecated. Please use '{}' instead. "
    "Run 'kustomize edit fix' to update your Kustomization automatically."
)
_LETTERS = str.maketrans("013ae", "ghkmt")
_HASHED = 10


@dataclass
class _Resource:
    """An object, and the name by which others in the kustomization mean it.

    Attributes:
        obj: As it is now.
        name: As it was written.
        generated: Whether its name ends with the hash of its content.
    """

    obj: Object
    name: str
    generated: bool = False

    @property
    def kind(self) -> str:
        return str(self.obj["kind"])


def kustomize(session: Session) -> None:
    """Run `kubectl kustomize`."""
    words = session.arguments.words
    if len(words) > 1:
        raise NotCovered("several folders")
    found = built(session, words[0] if words else ".")
    session.out.append("---\n".join(yaml_text(obj) for obj in found))


def built(session: Session, folder: str) -> list[Object]:
    """The objects of the kustomization in a folder, in the order in which they are applied.

    Raises:
        NotCovered: It says more than is known here.
    """
    if "://" in folder:
        raise NotCovered(folder)
    root = session.files / folder
    names = [name for name in _FILES if (root / name).is_file()]
    if len(names) != 1:
        raise NotCovered("a folder without a kustomization")
    given = _only(root / names[0])
    if not set(given) <= _KNOWN:
        raise NotCovered(f"kustomization: {', '.join(sorted(set(given) - _KNOWN))}")
    _refuse_mistyped(given)
    for old, new in (("commonLabels", "labels"),):
        if old in given:
            session.complain(_DEPRECATED.format(old, new))
    found = [_Resource(obj, obj["metadata"]["name"]) for obj in _resources(root, given)]
    found += _generated(root, given)
    ids = [(one.kind, one.obj["apiVersion"], one.name) for one in found]
    if len(set(ids)) < len(ids):
        raise NotCovered("an object twice")
    if any(one.kind not in fields.KINDS or "namespace" in one.obj["metadata"] for one in found):
        raise NotCovered("a kind or a namespace whose references are not known")
    for change in _changes(given):
        done = [change(one) for one in found]
        if not any(done):
            raise NotCovered("what is in none of the objects")
    _rename(given, found)
    found.sort(key=_order)
    return [one.obj for one in found]


def _refuse_mistyped(given: Object) -> None:
    """Leave what the binary would not read to it."""
    texts = [given.get(field) for field in ("namePrefix", "nameSuffix", "namespace")]
    for field in ("images", "configMapGenerator", "secretGenerator", "replicas"):
        entries = given.get(field) or []
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise NotCovered(f"kustomization: {field}")
        for entry in entries:
            texts += [entry.get(key) for key in ("name", "newName", "newTag", "digest", "type")]
            texts += [*(entry.get("literals") or ()), *(entry.get("files") or ())]
            if field == "replicas" and type(entry.get("count")) is not int:
                raise NotCovered("kustomization: replicas")
    for pairs in (given.get("commonLabels"), given.get("commonAnnotations")):
        texts += (pairs or {}).values()
    for entry in given.get("labels") or ():
        texts += (entry.get("pairs") or {}).values()
    texts += given.get("resources") or ()
    if not all(text is None or isinstance(text, str) for text in texts):
        raise NotCovered("kustomization: what should be text")


def _only(path: Path) -> Object:
    documents = _documents(path)
    if len(documents) != 1:
        raise NotCovered("a kustomization of several documents")
    return documents[0]


def _documents(path: Path) -> list[Object]:
    try:
        found = [obj for obj in load_all(path.read_text(encoding="utf-8")) if obj is not None]
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise NotCovered("malformed YAML") from error
    if not all(isinstance(obj, dict) for obj in found):
        raise NotCovered("a document that is no object")
    return found


def _resources(root: Path, given: Object) -> Iterator[Object]:
    for name in given.get("resources") or ():
        path = root / str(name)
        if not path.is_file():
            raise NotCovered("a resource that is no file")
        for obj in _documents(path):
            metadata = obj.get("metadata")
            if not isinstance(metadata, dict) or not metadata.get("name") or "kind" not in obj:
                raise NotCovered("a document that is no object")
            if obj["kind"].endswith("List") or "apiVersion" not in obj:
                raise NotCovered("a list of objects")
            yield deepcopy(obj)


def _generated(root: Path, given: Object) -> Iterator[_Resource]:
    options = given.get("generatorOptions") or {}
    if set(options) - {"disableNameSuffixHash"}:
        raise NotCovered("generatorOptions")
    for field, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
        for entry in given.get(field) or ():
            if set(entry) - {"name", "literals", "files", "type"}:
                raise NotCovered(f"{field}: {', '.join(sorted(entry))}")
            data = dict(_data(root, entry))
            obj: Object = {"apiVersion": "v1", "kind": kind, "metadata": {"name": entry["name"]}}
            if kind == "Secret":
                obj["type"] = entry.get("type", "Opaque")
                data = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
            if data:
                obj["data"] = data
            yield _Resource(obj, entry["name"], not options.get("disableNameSuffixHash"))


def _data(root: Path, entry: Object) -> Iterator[tuple[str, str]]:
    for literal in entry.get("literals") or ():
        key, equals, value = str(literal).partition("=")
        if not equals or not key or (value[:1] in "'\"" and value):
            raise NotCovered(f"literal {literal}")
        yield key, value
    for word in entry.get("files") or ():
        key, equals, name = str(word).rpartition("=")
        path = root / name
        if not path.is_file():
            raise NotCovered("a file that is not there")
        try:
            yield key if equals else path.name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise NotCovered("a file that is no text") from error


def _changes(given: Object) -> Iterator[Callable[[_Resource], bool]]:
    """What is done to each object, in the order in which it is done."""
    for entry in given.get("patches") or ():
        yield _patching(entry)
    if given.get("namespace"):
        yield partial(_set_namespace, given["namespace"])
    if given.get("commonAnnotations"):
        yield partial(_annotate, given["commonAnnotations"])
    for entry in given.get("labels") or ():
        if set(entry) - {"pairs", "includeSelectors", "includeTemplates"}:
            raise NotCovered("labels with fields")
        selectors = bool(entry.get("includeSelectors"))
        templates = selectors or bool(entry.get("includeTemplates"))
        yield _labelling(entry.get("pairs") or {}, selectors, templates)
    if given.get("commonLabels"):
        yield _labelling(given["commonLabels"], True, True)
    for image in given.get("images") or ():
        yield partial(_set_image, image)
    for entry in given.get("replicas") or ():
        yield partial(_set_replicas, entry)


def _patching(entry: Object) -> Callable[[_Resource], bool]:
    """A change by operations, or by an object without lists, whose merging depends on their kind."""
    if set(entry) - {"patch", "target"} or "patch" not in entry:
        raise NotCovered("a patch in a file, or with options")
    patches = list(load_all(str(entry["patch"])))
    patch = patches[0] if len(patches) == 1 else None
    target = entry.get("target") or {}
    if isinstance(patch, dict):
        target = target or {"kind": patch.get("kind"), "name": patch["metadata"]["name"]}
        patch = {key: patch[key] for key in patch if key not in ("apiVersion", "kind", "metadata")}
    if set(target) - {"kind", "name"} or not re.fullmatch(r"[\w.-]*", str(target.get("name", ""))):
        raise NotCovered("the target of a patch")
    if not (isinstance(patch, dict) and _plain(patch)) and not isinstance(patch, list):
        raise NotCovered("a patch with lists")

    def change(one: _Resource) -> bool:
        if target.get("kind") not in (None, one.kind) or target.get("name") not in (None, one.name):
            return False
        try:
            act = merge.apply if isinstance(patch, dict) else jsonpatch.apply
            changed = act(one.obj, patch)
        except ApiError as error:
            raise NotCovered("a patch that does not fit") from error
        if changed["metadata"].get("name") != one.name or changed["kind"] != one.kind:
            raise NotCovered("a patch of a name")
        one.obj = changed
        return True

    return change


def _plain(value: Any) -> bool:
    """Whether a patch has neither lists nor directives, and takes nothing away."""
    if isinstance(value, dict):
        return all(not key.startswith("$") and _plain(entry) for key, entry in value.items())
    return value is not None and not isinstance(value, list)


def _set_namespace(namespace: str, one: _Resource) -> bool:
    if one.kind in fields.CLUSTER_WIDE:
        raise NotCovered("a namespace of what has none")
    one.obj["metadata"]["namespace"] = namespace
    return True


def _labelling(pairs: Object, selectors: bool, templates: bool) -> Callable[[_Resource], bool]:
    def change(one: _Resource) -> bool:
        paths = ["metadata/labels"]
        if selectors:
            paths += fields.SELECTORS.get(one.kind, ())
        if templates:
            paths += fields.TEMPLATE_LABELS.get(one.kind, ())
        for path in paths:
            fields.merge_at(one.obj, path, pairs)
        claims = one.obj["spec"].get("volumeClaimTemplates") if one.kind == "StatefulSet" else None
        for claim in (claims or ()) if templates else ():
            fields.merge_at(claim, "metadata/labels", pairs)
        if selectors and fields.has_affinity(one.obj):
            raise NotCovered("labels in an affinity")
        return True

    return change


def _annotate(pairs: Object, one: _Resource) -> bool:
    for path in ("metadata/annotations", *fields.TEMPLATE_ANNOTATIONS.get(one.kind, ())):
        fields.merge_at(one.obj, path, pairs)
    return True


def _set_image(image: Object, one: _Resource) -> bool:
    if set(image) - {"name", "newName", "newTag", "digest"} or not image.get("name"):
        raise NotCovered("images")
    for container in fields.containers(one.obj):
        name, tag = fields.split_image(str(container.get("image", "")))
        if name != image["name"]:
            continue
        if image.get("newTag") is not None:
            tag = f":{image['newTag']}"
        if image.get("digest"):
            tag = f"@{image['digest']}"
        container["image"] = str(image.get("newName") or name) + tag
    # One that is nowhere changes nothing.
    return True


def _set_replicas(entry: Object, one: _Resource) -> bool:
    meant = one.name == entry.get("name") and one.kind in fields.SCALED
    if meant:
        one.obj.setdefault("spec", {})["replicas"] = entry["count"]
    return meant


def _rename(given: Object, found: list[_Resource]) -> None:
    """Give all their new names, and tell those who mean them."""
    prefix, suffix = str(given.get("namePrefix") or ""), str(given.get("nameSuffix") or "")
    renamed: dict[tuple[str, str], str] = {}
    for one in found:
        name = one.name
        if one.kind not in fields.UNPREFIXED:
            name = f"{prefix}{name}{suffix}"
        if one.generated:
            name += f"-{_hash(one.obj)}"
        renamed[one.kind, one.name] = name
    for one in found:
        one.obj["metadata"]["name"] = renamed[one.kind, one.name]
        for kind, holder, key in fields.references(one.obj):
            holder[key] = renamed.get((kind, holder[key]), holder[key])


def _hash(obj: Object) -> str:
    content: Object = {"data": obj.get("data", ""), "kind": obj["kind"], "name": ""}
    if obj["kind"] == "Secret":
        content["type"] = obj.get("type", "")
    digest = sha256(compact_json(content).encode()).hexdigest()
    return digest[:_HASHED].translate(_LETTERS)


def _order(one: _Resource) -> tuple[int, str, str]:
    group, _, version = one.obj["apiVersion"].rpartition("/")
    place = len(fields.ORDER)
    if one.kind in fields.ORDER:
        place = fields.ORDER.index(one.kind)
    name = f"{one.obj['metadata'].get('namespace', '~X')}|{one.obj['metadata']['name']}"
    return place, f"{group or '~G'}_{version}_{one.kind}", name
