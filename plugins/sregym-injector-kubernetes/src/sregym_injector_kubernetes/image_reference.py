"""Image references: their parts, whether two mean the same image, and how people mistype them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ImageReference:
    """The parts of `registry:5000/group/name:tag@sha256:...`; empty where absent."""

    repository: str
    tag: str = ""
    digest: str = ""

    @classmethod
    def parse(cls, text: str) -> ImageReference:
        """Split a reference; the repository stays as it is written."""
        name, _, digest = text.partition("@")
        path, slash, last = name.rpartition("/")
        last, _, tag = last.partition(":")
        return cls(f"{path}{slash}{last}", tag, digest)

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.repository}{tag}{digest}"

    def same_repository(self, other: ImageReference) -> bool:
        """Whether both name one repository, however they spell Docker Hub."""
        return _full(self.repository) == _full(other.repository)

    def same_image(self, other: ImageReference) -> bool:
        """Whether both name one tag of one repository; an absent tag is `latest`."""
        if self.digest and other.digest:
            return self.same_repository(other) and self.digest == other.digest
        tags = (self.tag or "latest", other.tag or "latest")
        return self.same_repository(other) and tags[0] == tags[1]


def _full(repository: str) -> str:
    host, slash, _ = repository.partition("/")
    if slash and ("." in host or ":" in host or host == "localhost"):
        return repository.removeprefix("docker.io/library/").removeprefix("docker.io/")
    return repository.removeprefix("library/")


def mistyped(tag: str) -> str:
    """A tag as it comes out of hasty fingers: `latest` -> `latset`, `4.4.6` -> `4.4.66`.

    Versions get their last character twice, since a swap of digits may well exist; words get two
    letters swapped, or, where that changes nothing, their last letter twice.
    """
    tag = tag or "latest"
    if not tag[-1].isalpha() or len(tag) < 3:
        return tag + tag[-1]
    swapped = tag[:-3] + tag[-2] + tag[-3] + tag[-1]
    return swapped if swapped != tag else tag + tag[-1]
