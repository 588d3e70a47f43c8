"""Images: what the registry has, what stands in them, and which program a binary is."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import Field

from sregym_apps.model.base import Entry, Text

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


# What images are made from.
Distribution = Literal[
    "alpine-3.18", "alpine-3.19", "alpine-3.20", "alpine-3.21", "alpine-3.22", "busybox",
    "debian-11", "debian-12", "debian-13", "ubuntu-20.04", "ubuntu-22.04", "ubuntu-24.04",
]  # fmt: skip
# Names of one registry.
_HUBS = ("docker.io", "index.docker.io")


class Image(Entry):
    """One or more tags of a repository that hold the same files.

    Attributes:
        repository: As in a pod spec, without tag: `busybox`, `ghcr.io/acme/shop`.
        tags: The tags that exist. A tag listed nowhere does not exist in the registry.
        size_mib: Compressed size, from which the time of a pull follows.
        entrypoint: ENTRYPOINT of the image.
        cmd: CMD of the image.
        working_dir: WORKDIR of the image.
        user: Name of the user that processes run as.
        env: ENV of the image; `PATH` has the usual value unless given.
        files: Absolute path -> content of text files worth reading.
        binaries: Absolute path of an executable -> name of a program of this model.
        scripts: Those of the binaries that are shell scripts -> command line that they wait for,
            with `${...}`; it is what `ps` shows below them.
        versions: Absolute path of an executable that is no program of this model -> what it prints
            that it prints for its version. Interpreters and tools that do nothing else here.
        distribution: What it is made from, `debian-12`, `alpine-3.20`: the usual files of /etc and
            /var; that of its tools unless given.
        folders: Folders that stand in it besides.
        mirrors: Other repositories that hold the same.
        tools: Sets of commands (`busybox`, `debian`) and single commands (`curl`, `dig`) that
            can be run in the container besides.
    """

    repository: str
    tags: tuple[Text, ...] = Field(min_length=1)
    size_mib: float = Field(gt=0)
    entrypoint: tuple[Text, ...] = ()
    cmd: tuple[Text, ...] = ()
    working_dir: str = "/"
    user: str = "root"
    env: dict[str, Text] = Field(default_factory=dict)
    files: dict[str, Text] = Field(default_factory=dict)
    binaries: dict[str, str] = Field(default_factory=dict)
    scripts: dict[str, Text] = Field(default_factory=dict)
    versions: dict[str, Text] = Field(default_factory=dict)
    distribution: Distribution | Literal[""] = ""
    folders: tuple[str, ...] = ()
    mirrors: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def parse_reference(reference: str) -> tuple[str, str]:
    """A reference as (full repository, tag or digest): `busybox` is `docker.io/library/busybox`.

    `docker.io/busybox` and `index.docker.io/library/busybox` are the same.
    """
    name, _, digest = reference.partition("@")
    head, slash, last = name.rpartition("/")
    last, colon, tag = last.partition(":")
    repository = f"{head}{slash}{last}"
    first = repository.split("/", 1)[0]
    if "/" not in repository:
        repository = f"docker.io/library/{repository}"
    elif "." not in first and ":" not in first and first != "localhost":
        repository = f"docker.io/{repository}"
    host, _, path = repository.partition("/")
    if host in _HUBS:
        repository = f"docker.io/{path if '/' in path else f'library/{path}'}"
    return repository, digest or (tag if colon else "latest")
