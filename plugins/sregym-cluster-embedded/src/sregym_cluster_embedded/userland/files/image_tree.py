"""The files of an image as a tree: what the model names, and what every image of its kind has."""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.distributions import release_of
from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder
from sregym_cluster_embedded.userland.toolsets import flavour_of, tool_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Image

_FOLDERS = {
    "busybox": (
        *("/bin", "/dev", "/etc", "/home", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin"),
        *("/sys", "/usr/bin", "/var"),
    ),
    "alpine": (
        *("/bin", "/dev", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/proc", "/root"),
        *("/run", "/sbin", "/srv", "/sys", "/usr/bin", "/usr/local/bin", "/var/log", "/var/lib"),
    ),
    "debian": (
        *("/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt"),
        *("/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/usr/bin", "/usr/local/bin"),
        *("/usr/share", "/var/cache", "/var/lib", "/var/log", "/var/run", "/var/tmp"),  # noqa: S108 - folders of the image
    ),
    "none": ("/dev", "/etc", "/proc", "/sys", "/home", "/root", "/usr/bin", "/var"),
}
# Where no distribution says who there is.
_PASSWD = "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n"
_GROUP = "root:x:0:\nnobody:x:65534:\n"
# Users that images of no kind of server bring, by the name that a model gives as the image's user.
_USERS = {"appuser": 1000, "node": 1000}


# What stands where a command of a toolset is, and a folder; inodes are values.
_TOOL, _PLAIN = Inode(FILE, "\x7fELF", 0o755), folder()


def users_of(image: Image, users: Mapping[str, int]) -> tuple[str, str]:
    """/etc/passwd and /etc/group of an image; `users` are those of official images of servers."""
    name = image.user.partition(":")[0]
    base = release_of(image.distribution, image.tools).files
    passwd, group = base.get("/etc/passwd", _PASSWD), base.get("/etc/group", _GROUP)
    if name not in ("", "root") and not name.isdecimal() and f"{name}:" not in passwd:
        number = users.get(name, _USERS.get(name, 1000))
        passwd += f"{name}:x:{number}:{number}::/home/{name}:/bin/sh\n"
        group += f"{name}:x:{number}:\n"
    return image.files.get("/etc/passwd", passwd), image.files.get("/etc/group", group)


def image_files(image: Image, users: Mapping[str, int]) -> dict[str, str]:
    """Absolute path -> content of the files that can be read."""
    base = image.working_dir.rstrip("/")
    passwd, group = users_of(image, users)
    files = dict(release_of(image.distribution, image.tools).files)
    files |= {"/etc/passwd": passwd, "/etc/group": group}
    for path, text in image.files.items():
        files[path if path.startswith("/") else f"{base}/{path}"] = text
    files.update(dict.fromkeys((*image.binaries, *image.versions), "\x7fELF"))
    return files


def image_tree(image: Image, users: Mapping[str, int]) -> dict[str, Inode]:
    """Absolute path -> inode, with all folders."""
    files = image_files(image, users)
    base = release_of(image.distribution, image.tools)
    folders = (*base.folders, *image.folders, image.working_dir)
    tree = dict(_shape(tuple(image.tools), folders, tuple(files)))
    for path, text in files.items():
        runs = path in image.binaries or path in image.versions or text.startswith("#!")
        hidden = path in base.private and path not in image.files
        tree[path] = Inode(FILE, text, 0o755 if runs else 0o640 if hidden else 0o644)
    return tree


@lru_cache(maxsize=256)
def _shape(
    tools: tuple[str, ...], folders: tuple[str, ...], files: tuple[str, ...]
) -> dict[str, Inode]:
    """The tree of an image whose files have no content yet; immutable."""
    tree = {"/": folder()}
    flavour = flavour_of(tools)
    for path in (*_FOLDERS[flavour], *folders):
        _with_parents(tree, path)
    if flavour != "none":
        tree["/tmp"] = folder(0o1777)  # noqa: S108 - a folder of the image
    for path in files:
        _with_parents(tree, posixpath.dirname(path))
        tree[path] = _TOOL
    for path in tool_paths(tools):
        if path.rpartition("/")[0] in tree:
            tree.setdefault(path, _TOOL)
    # A folder's link count: its own name, its dot, and the two dots of each folder in it.
    found = [(path, inode) for path, inode in tree.items() if inode.kind == "folder"]
    inside = Counter(posixpath.dirname(path) for path, _ in found if path != "/")
    for path, inode in found:
        tree[path] = inode._replace(links=2 + inside[path])
    return tree


def _with_parents(tree: dict[str, Inode], path: str) -> None:
    while path not in tree:
        tree[path] = _PLAIN
        path = posixpath.dirname(path)
