"""What the registries have, and which program each executable of an image is."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from sregym_apps.model import DEFAULT_PATH, AnyProgram, Image, ServiceModel, parse_reference

from sregym_cluster_embedded.kubelet.runtime import ImagePull

if TYPE_CHECKING:
    from collections.abc import Iterable

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Known:
    """An image of a service model, with the programs of that model."""

    application: str
    image: Image
    programs: dict[str, AnyProgram]

    @property
    def environment(self) -> dict[str, str]:
        """ENV of the image, with the usual PATH unless it has its own."""
        return {"PATH": DEFAULT_PATH, **self.image.env}


class Catalogue:
    """All images of a number of service models.

    Args:
        models: Service models; where two know one image, the first counts.
    """

    def __init__(self, models: Iterable[ServiceModel]) -> None:
        self._known: dict[tuple[str, str], Known] = {}
        self._repositories: dict[str, None] = {}
        self._hosts: dict[str, None] = {}
        for model in models:
            for image in model.images:
                repository, _ = parse_reference(image.repository)
                self._repositories[repository] = None
                self._hosts[repository.split("/", 1)[0]] = None
                for tag in image.tags:
                    known = Known(model.application, image, model.programs)
                    self._known.setdefault((repository, tag), known)

    def find(self, reference: str) -> Known | None:
        """The image behind a reference as written in a pod spec, or None."""
        return self._known.get(parse_reference(reference))

    def pull(self, reference: str) -> ImagePull:
        """The registry's answer, with the words of containerd."""
        repository, tag = parse_reference(reference)
        full = f"{repository}{'@' if ':' in tag else ':'}{tag}"
        known = self._known.get((repository, tag))
        if known is not None:
            return ImagePull(True, int(known.image.size_mib * _MIB), image_id(full))
        if repository != repository.lower() or not tag or " " in reference:
            error = f'failed to parse image name "{reference}": invalid reference format'
            return ImagePull(False, error=error)
        head = f'failed to pull and unpack image "{full}": failed to resolve reference "{full}"'
        host = repository.split("/", 1)[0]
        if repository in self._repositories or (host in self._hosts and host != "docker.io"):
            error = f"rpc error: code = NotFound desc = {head}: {full}: not found"
        elif host in self._hosts or host == "docker.io":
            error = (
                f"{head}: pull access denied, repository does not exist or may require "
                "authorization: server message: insufficient_scope: authorization failed"
            )
        else:
            registry = "registry-1.docker.io" if host == "docker.io" else host
            path = repository.partition("/")[2]
            error = (
                f'{head}: failed to do request: Head "https://{registry}/v2/{path}/manifests/{tag}": '
                f"dial tcp: lookup {registry.partition(':')[0]}: no such host"
            )
        return ImagePull(False, error=error)


def image_id(full: str) -> str:
    """The digest under which an image is known once pulled."""
    repository = full.rpartition("@")[0] or full.rpartition(":")[0]
    return f"{repository}@sha256:{sha256(full.encode()).hexdigest()}"
