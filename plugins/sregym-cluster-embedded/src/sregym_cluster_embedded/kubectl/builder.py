"""From words, selectors and files to the objects a command is about."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from sregym_regex.budget import spend

from sregym_cluster_embedded.api import aliases
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.scalars import Loader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubectl.client import Client
    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.flags import Arguments
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

NOTHING_NAMED = """error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""

NO_NAME = "error: resource(s) were provided, but no name was specified"

MIXED = (
    "error: there is no need to specify a resource type as a separate argument when passing "
    "arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of "
    "'kubectl get resource resource/<resource_name>'"
)


@dataclass(frozen=True)
class Target:
    """A type, with the name of one object or empty for all that the selectors match."""

    kind: ResourceType
    name: str = ""


def targets(client: Client, words: list[str], selecting: bool = False) -> list[Target]:
    """What positional arguments mean: `TYPE[,TYPE] [NAME...]` or `TYPE/NAME ...`.

    Args:
        client: For discovery.
        words: The arguments.
        selecting: Whether a selector or `--all` stands for the names.
    """
    if not words:
        raise CommandError(NOTHING_NAMED)
    if any("/" in word for word in words):
        return list(_slashed(client, words))
    kinds = _kinds(client, words[0])
    names = words[1:]
    if names and len(kinds) > 1:
        if any(client.discovery().category(word) for word in words[0].split(",")):
            raise CommandError("error: you must specify only one resource")
        return [Target(kind, name) for kind in kinds for name in names]
    if names and selecting:
        raise CommandError("error: name cannot be provided when a selector is specified")
    return [Target(kinds[0], name) for name in names] or [Target(kind) for kind in kinds]


def _slashed(client: Client, words: list[str]) -> Iterator[Target]:
    for word in words:
        kind, slash, name = word.partition("/")
        if not slash:
            raise CommandError(MIXED)
        if "/" in name or not name or not kind or "," in kind:
            raise NotCovered(word)
        yield Target(client.resource_type(kind), name)


def _kinds(client: Client, word: str) -> list[ResourceType]:
    kinds: list[ResourceType] = []
    for part in word.split(","):
        kinds += client.discovery().category(part) or [client.resource_type(part)]
    return list(dict.fromkeys(kinds))


def selector_query(arguments: Arguments) -> list[tuple[str, str]]:
    """The query by which the server selects."""
    query = []
    if arguments.text("selector"):
        query.append(("labelSelector", arguments.text("selector")))
    if arguments.text("field-selector"):
        query.append(("fieldSelector", arguments.text("field-selector")))
    return query


@dataclass(frozen=True)
class Document:
    """One object of a file.

    Attributes:
        obj: The object, without what lists wrap around it.
        source: Name of the file, `STDIN` for standard input: as messages call it.
        kind: Its type.
    """

    obj: Object
    source: str
    kind: ResourceType


def documents(session: Session, words: Sequence[str] = (), *, named: bool = True) -> list[Document]:
    """All objects of the files that `-f` names, or of the kustomization of `-k`, in order.

    Args:
        session: The command.
        words: Its words, which must not name objects as well.
        named: Whether each needs a name of its own.

    Raises:
        CommandError: `words` name objects as well.
        NotCovered: Something in them is left to the binary.
    """
    client, arguments = session.client, session.arguments
    if arguments.has("filename") and arguments.has("kustomize"):
        raise NotCovered("files and a kustomization")
    if words:
        text = "resource/name arguments cannot be provided when a path is specified"
        if "/" not in words[0]:
            text = (
                "when paths, URLs, or stdin is provided as input, you may not specify resource "
                "arguments as well"
            )
        raise CommandError(f"error: {text}")
    found = []
    for source, obj in _named(session):
        _check_metadata(obj, named)
        kind = client.type_of(obj)
        if kind is None:
            raise NotCovered("an object of an unknown kind")
        found.append(Document(obj, source, kind))
    return found


def _named(session: Session) -> Iterator[tuple[str, Object]]:
    arguments = session.arguments
    if arguments.has("kustomize"):
        folder = arguments.text("kustomize")
        built = import_module("sregym_cluster_embedded.kubectl.kustomizing").built
        yield from ((folder, obj) for obj in built(session, folder))
        return
    for name in arguments.all("filename"):
        if name.endswith("kustomization.yaml"):
            raise NotCovered("a kustomization")
        for source, text in _texts(session, name, recursive=arguments.on("recursive")):
            yield from ((source, obj) for obj in _objects(text))


def _check_metadata(obj: Object, named: bool) -> None:
    """Leave what the binary itself does not read to it."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        raise NotCovered("an object without metadata")
    texts = [metadata.get(name, "") for name in ("name", "namespace", "generateName")]
    for field in ("labels", "annotations"):
        pairs = metadata.get(field) or {}
        if not isinstance(pairs, dict):
            raise NotCovered(f"{field} that are no map")
        texts += pairs.values()
    if not all(isinstance(text, str) for text in texts):
        raise NotCovered("metadata that is no text")
    if named and not metadata.get("name"):
        raise NotCovered("an object without a name")


def _texts(session: Session, name: str, *, recursive: bool) -> Iterator[tuple[str, str]]:
    if name == "-":
        yield "STDIN", session.stdin
        return
    if "://" in name:
        raise NotCovered(name)
    path = session.files / name
    if not path.exists():
        raise CommandError(f'error: the path "{name}" does not exist')
    if not path.is_dir():
        yield name, text_of(path)
        return
    pattern = "**/*" if recursive else "*"
    for entry in sorted(path.glob(pattern)):
        if entry.is_file() and entry.suffix in {".json", ".yaml", ".yml"}:
            yield str(Path(name) / entry.relative_to(path)), text_of(entry)


def text_of(path: Path) -> str:
    """What is in a file.

    Raises:
        NotCovered: It is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise NotCovered("a file that is no text") from error


def _objects(text: str) -> Iterator[Object]:
    try:
        parsed = list(load_all(text))
    except aliases.AliasesError as error:
        raise CommandError(f"error: error converting YAML to JSON: {error}") from error
    except yaml.YAMLError as error:
        raise NotCovered("malformed YAML") from error
    for document in parsed:
        if document is None:
            continue
        yield from _unwrap(document)


def _unwrap(obj: Any) -> Iterator[Object]:
    kind = [obj.get(field) for field in ("kind", "apiVersion")] if isinstance(obj, dict) else [None]
    if not all(isinstance(text, str) for text in kind):
        raise NotCovered("a document that is no object")
    if obj["kind"].endswith("List") and isinstance(obj.get("items"), list):
        for item in obj["items"]:
            yield from _unwrap(item)
    else:
        yield obj


# What a document costs besides its length.
_DOCUMENT_STEPS = 10


def load_all(text: str) -> Iterator[Any]:
    """The documents of a JSON or YAML text, with keys as JSON has them."""
    if text.lstrip().startswith("{"):
        with suppress(json.JSONDecodeError):
            yield json.loads(text)
            return
    spend(len(text) >> 1)
    aliases.shallow(text.encode())
    for document in yaml.load_all(text, Loader=Loader):
        spend(_DOCUMENT_STEPS)
        yield _json_keys(aliases.checked(document))


def _json_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {_json_key(key): _json_keys(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_json_keys(entry) for entry in value]
    return value


def _json_key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key)
