"""What the registries have, and which program each executable of an image is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from sregym_apps.model import DEFAULT_PATH, AnyProgram, Image, ServiceModel, parse_reference

from sregym_cluster_embedded.kubelet.runtime import ImagePull
from sregym_cluster_embedded.userland.files.image_tree import image_files, image_tree
from sregym_cluster_embedded.userland.registries import (
    REGISTRIES,
    connect_timeout_s,
    missing_tag,
    refusal,
    registry_of,
    unknown_host,
)
from sregym_cluster_embedded.userland.toolsets import in_packages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.kubelet.runtime import Login
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.world import World

_MIB = 1024 * 1024
# The application whose images are those of public registries.
PUBLIC = "public"
_MIRRORS = ("public.ecr.aws/docker/library", "mirror.gcr.io/library")


@dataclass(frozen=True)
class Known:
    """An image of a service model, with the programs of that model.

    Attributes:
        application: The application that the service model is of.
        image: The image; packages in its tools are named by their commands.
        programs: Name -> behaviour.
        users: Numbers of users that official images of servers bring.
    """

    application: str
    image: Image
    programs: dict[str, AnyProgram]
    users: Mapping[str, int] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """ENV of the image, with the usual PATH unless it has its own."""
        return {"PATH": DEFAULT_PATH, **self.image.env}

    @cached_property
    def files(self) -> dict[str, str]:
        """Absolute path -> content of the image's files."""
        return image_files(self.image, self.users)

    @cached_property
    def interpreted(self) -> dict[str, tuple[str, ...]]:
        """Path of an executable that is a shell script -> what it waits for, as a command line."""
        return {path: tuple(line.split()) for path, line in self.image.scripts.items()}

    @cached_property
    def tree(self) -> dict[str, Inode]:
        """Absolute path -> inode of all that stands in the image."""
        return image_tree(self.image, self.users)


class Catalogue:
    """All images of a number of service models.

    Args:
        models: Service models; where two know one image, each counts in its own namespaces, and the
            first everywhere else.
        extensions: What tools and users of images mean.
    """

    def __init__(self, models: Iterable[ServiceModel], extensions: Installed) -> None:
        self._known: dict[tuple[str, str], Known] = {}
        self._own: dict[tuple[str, str, str], Known] = {}
        self._repositories: dict[str, None] = {}
        self._hosts: dict[str, None] = {}
        for model in models:
            for image in model.images:
                places = [parse_reference(each)[0] for each in (image.repository, *image.mirrors)]
                if model.application == PUBLIC:
                    places += _mirrors(places[0])
                for repository in places:
                    self._repositories[repository] = None
                    self._hosts[repository.split("/", 1)[0]] = None
                tools = in_packages(image.tools, extensions.tool_sets)
                if tools != image.tools:
                    image = image.model_copy(update={"tools": tools})
                for tag in image.tags:
                    known = Known(model.application, image, model.programs, extensions.users)
                    for repository in places:
                        self._known.setdefault((repository, tag), known)
                        for namespace in model.namespaces:
                            self._own.setdefault((repository, tag, namespace), known)

    def find(self, reference: str, namespace: str = "") -> Known | None:
        """The image behind a reference as written in a pod spec of a namespace, or None."""
        place = parse_reference(reference)
        return self._own.get((*place, namespace)) or self._known.get(place)

    def pull(self, world: World, reference: str, logins: Sequence[Login] = ()) -> ImagePull:
        """The registry's response, with the error text of containerd."""
        repository, tag = parse_reference(reference)
        host = repository.split("/", 1)[0]
        known = self._known.get((repository, tag))
        if host not in self._hosts and host not in world.table(REGISTRIES):
            return ImagePull(False, error=unknown_host(repository, tag))
        error = refusal(registry_of(world, host), repository, tag, logins, known is not None)
        if not error and known is not None:
            full = f"{repository}{'@' if ':' in tag else ':'}{tag}"
            return ImagePull(True, int(known.image.size_mib * _MIB), image_id(full))
        if known is None and repository in self._repositories and "pull access denied" in error:
            error = missing_tag(repository, tag)
        return ImagePull(False, error=error, took_s=connect_timeout_s(registry_of(world, host)))


def _mirrors(repository: str) -> list[str]:
    """Where the official images of the hub stand besides."""
    name = repository.removeprefix("docker.io/library/")
    return [] if name == repository else [f"{place}/{name}" for place in _MIRRORS]


def image_id(full: str) -> str:
    """The digest under which an image is known once pulled."""
    repository = full.rpartition("@")[0] or full.rpartition(":")[0]
    return f"{repository}@sha256:{sha256(full.encode()).hexdigest()}"
