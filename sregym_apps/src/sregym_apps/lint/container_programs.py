"""The program that each container of the manifests runs, and what it reads when it starts."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_lint import did_you_mean, no_such

from sregym_apps.container_input import UNKNOWN, file_text, filled, mounted, variables
from sregym_apps.model import (
    DEFAULT_PATH,
    Image,
    Program,
    ServiceProgram,
    StoreProgram,
    expand,
    parse_reference,
    placeholders,
    settings_found,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_lint import Defect, Location

    from sregym_apps.lint.files import Files, KubeDocument


@dataclass(frozen=True)
class Running:
    """A container whose program is known.

    Attributes:
        owner: The object with the template.
        labels: Of its pods.
        container: Of the template.
        name: Of the program.
        program: What it does.
        facts: Its settings, and what else may stand as `${name}`; where the value is not known
            before a cluster runs, the name is not there.
    """

    owner: KubeDocument
    labels: Mapping[str, str]
    container: Mapping[str, Any]
    name: str
    program: Program
    facts: Mapping[str, str]

    def value(self, text: str) -> str | None:
        """A text with everything filled in; None where a value is not known."""
        return None if set(placeholders(text)) - set(self.facts) else expand(text, self.facts)

    def ports(self) -> dict[int, str]:
        """Ports that it listens on -> name of the listener, or of the program."""
        texts: dict[str, str] = {}
        if isinstance(self.program, ServiceProgram):
            texts = {name: one.port for name, one in self.program.listeners.items()}
        elif isinstance(self.program, StoreProgram):
            texts = {self.name: self.program.port}
            more = getattr(self.program, "ports", ())
            texts |= {f"{self.name} {text}": text for text in more}
        values = ((self.value(text), name) for name, text in texts.items())
        return {int(value): name for value, name in values if value and value.isdecimal()}

    @property
    def all_known(self) -> bool:
        """Whether `ports` are all its ports."""
        if not isinstance(self.program, ServiceProgram):
            return False
        return len(self.ports()) == len(self.program.listeners)


def programs_of_containers(files: Files) -> Iterator[Running | Defect]:
    """Each container with its program, and why others cannot start; what is unknown is left out."""
    for owner in files.objects:
        if owner.template is None:
            continue
        place, template = owner.template
        labels = (template.get("metadata") or {}).get("labels") or {}
        for group in ("initContainers", "containers"):
            members = template["spec"].get(group) or ()
            for index, container in enumerate(members):
                if isinstance(container, dict) and isinstance(container.get("image"), str):
                    here = (*place, "spec", group, index)
                    yield from _of(files, owner, here, labels, template["spec"], container)


def _of(
    files: Files,
    owner: KubeDocument,
    here: Location,
    labels: Mapping[str, str],
    pod: Mapping[str, Any],
    container: Mapping[str, Any],
) -> Iterator[Running | Defect]:
    image, wrong = _image(files, container["image"])
    if wrong:
        yield owner.defect((*here, "image"), wrong)
    if image is None or files.examined is None or files.examined.model is None:
        return
    content = partial(_content, files)
    environment = {**image.env, **variables(content, owner.namespace, container)}
    line = [filled(word, environment) for word in _command_line(container, image)]
    if not line:
        yield owner.defect((*here, "image"), f"image {container['image']!r} has no command to run")
        return
    mounts = mounted(content, owner.namespace, pod, container)
    name, wrong = _executable(files, image, line[0], environment, mounts)
    if wrong:
        yield owner.defect((*here, "command" if container.get("command") else "image"), wrong)
    program = files.examined.model.programs.get(name)
    if program is None:
        return
    working_dir = str(container.get("workingDir") or image.working_dir)

    read = partial(file_text, mounts, image)
    found = settings_found(program.config, tuple(line[1:]), environment, read, working_dir)
    moment = {"program": name, "namespace": owner.namespace, "image": container["image"]}
    facts = {key: text for key, text in {**moment, **found}.items() if UNKNOWN not in text}
    yield Running(owner, labels, container, name, program, facts)


def _image(files: Files, reference: str) -> tuple[Image | None, str]:
    """The image of a reference in the service model; why there is none."""
    model = files.examined.model if files.examined else None
    if model is None:
        return None, ""
    written = reference.rpartition(":")[0] or reference
    if written in files.left_out():
        return None, ""  # what is wrong with it is told already
    repository, tag = parse_reference(reference)
    tags: dict[str, set[str]] = {}
    for image in model.images:
        there = parse_reference(image.repository)[0]
        if there == repository and tag in image.tags:
            return image, ""
        tags.setdefault(there, set()).update(image.tags)
    if files.vocabulary is not None:
        for name, known in files.vocabulary.images.items():
            tags.setdefault(name, set()).update(known)
    if tag in tags.get(repository, ()) or tag.startswith("sha256:"):
        return None, ""  # a public image
    if repository in tags:
        return None, f"image {reference!r}: {no_such('tag', tag, tags[repository])}"
    known_repositories = [image.repository for image in model.images]
    hint = did_you_mean(written, known_repositories)
    if files.vocabulary is None and not hint:
        return None, ""
    there = ", ".join(sorted(set(known_repositories))) or "none"
    return None, f"no image {reference!r} in the service model (there are: {there}){hint}"


def _command_line(container: Mapping[str, Any], image: Image) -> list[str]:
    command, args = container.get("command"), container.get("args")
    if command:
        return [str(word) for word in (*command, *(args or ()))]
    return [str(word) for word in (*image.entrypoint, *(image.cmd if args is None else args))]


def _executable(
    files: Files,
    image: Image,
    word: str,
    environment: Mapping[str, str],
    mounts: Mapping[str, Any],
) -> tuple[str, str]:
    """The program behind the first word of a command line; why there is none."""
    if "/" in word:
        path = posixpath.normpath(posixpath.join(image.working_dir, word))
        found = image.binaries.get(path, "")
        elsewhere = path in image.files or any(path.startswith(f"{mount}/") for mount in mounts)
        elsewhere = elsewhere or path in mounts
    else:
        folders = environment.get("PATH", DEFAULT_PATH).split(":")
        found = next((image.binaries.get(f"{at}/{word}", "") for at in folders if f"{at}/{word}" in image.binaries), "")  # fmt: skip
        elsewhere = any(f"{folder}/{word}" in image.files for folder in folders)
    name = posixpath.basename(word)
    if found or elsewhere or _is_tool(files, image, name) or UNKNOWN in word:
        return found, ""
    known = {path if "/" in word else posixpath.basename(path) for path in image.binaries}
    return "", f"image {image.repository!r}: {no_such('executable', word, known)}"


def _is_tool(files: Files, image: Image, name: str) -> bool:
    """Whether a command is one of the image's tools; True where their contents are not declared."""
    if name in image.tools:
        return True
    sets = {name: frozenset(words) for name, words in files.known.tool_sets.items()}
    sets |= files.vocabulary.tool_sets if files.vocabulary else {}
    unknown = any(tool not in sets and tool not in files.known.commands for tool in image.tools)
    if files.vocabulary is None and unknown:
        return True
    return any(name in sets.get(tool, ()) for tool in image.tools)


def _content(files: Files, kind: str, namespace: str, name: str) -> dict[str, str]:
    obj = files.find(kind, namespace, name)
    data: dict[str, Any] = {} if obj is None else obj.data.get("data") or {}
    hidden = kind == "Secret"
    return {str(key): UNKNOWN if hidden else str(text) for key, text in data.items()}
