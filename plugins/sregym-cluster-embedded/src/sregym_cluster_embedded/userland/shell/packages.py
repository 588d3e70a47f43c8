"""Package managers: they are there, but their mirrors are outside of the cluster."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

_READING = "Reading package lists...\n"
_TREE = f"{_READING}Building dependency tree...\nReading state information...\n"
_LOCK = "/var/lib/dpkg/lock-frontend"
_UNSTABLE = "\nWARNING: apt does not have a stable CLI interface. Use with caution in scripts.\n\n"
_APT_FAILED, _APK_LOCKED = 100, 99


def _apt(session: Session, words: list[str], _stdin: str) -> Output:
    operands = [word for word in words[1:] if not word.startswith("-")]
    what, names = (operands[0] if operands else ""), operands[1:]
    head = _UNSTABLE if words[0].rpartition("/")[2] == "apt" else ""
    if what == "update":
        return _updated(session, head)
    if what in ("install", "upgrade", "remove", "purge"):
        if session.rights.uid != 0:
            text = (
                f"E: Could not open lock file {_LOCK} - open (13: Permission denied)\n"
                f"E: Unable to acquire the dpkg frontend lock ({_LOCK}), are you root?\n"
            )
            return Output(_APT_FAILED, "", head + text)
        if not names:
            none = "0 upgraded, 0 newly installed, 0 to remove and 0 not upgraded.\n"
            return Output(0, _TREE + none, head)
        missing = "".join(f"E: Unable to locate package {name}\n" for name in names)
        return Output(_APT_FAILED, _TREE, head + missing)
    if what in ("show", "policy", "search", "list"):
        missing = "".join(f"N: Unable to locate package {name}\n" for name in names[:1])
        return Output(0, "Listing...\n" if what == "list" else "", head + missing)
    return Output(
        _APT_FAILED if what else 0, "", f"{head}E: Invalid operation {what}\n" if what else ""
    )


def _updated(session: Session, head: str) -> Output:
    if session.rights.uid != 0:
        text = "E: List directory /var/lib/apt/lists/partial is missing. - Acquire (13: Permission denied)\n"
        return Output(_APT_FAILED, _READING, head + text)
    out, err = "", head
    for number, (mirror, suite) in enumerate(_sources(session), start=1):
        host = mirror.split("/")[2]
        why = f"Temporary failure resolving '{host}'"
        out += f"Err:{number} {mirror} {suite} InRelease\n  {why}\n"
        err += f"W: Failed to fetch {mirror}/dists/{suite}/InRelease  {why}\n"
    err += "W: Some index files failed to download. They have been ignored, or old ones used instead.\n"
    return Output(0, out + _READING, err)


def _sources(session: Session) -> Iterator[tuple[str, str]]:
    release = _release(session)
    name = release.get("VERSION_CODENAME", "bookworm")
    if release.get("ID") == "ubuntu":
        yield "http://archive.ubuntu.com/ubuntu", name
        yield "http://security.ubuntu.com/ubuntu", f"{name}-security"
        yield "http://archive.ubuntu.com/ubuntu", f"{name}-updates"
        return
    yield "http://deb.debian.org/debian", name
    yield "http://deb.debian.org/debian", f"{name}-updates"
    yield "http://deb.debian.org/debian-security", f"{name}-security"


def _release(session: Session) -> dict[str, str]:
    text = session.files.read("/etc/os-release") or ""
    return {name: value.strip('"') for name, value in re.findall(r"^(\w+)=(.*)$", text, re.M)}


def _apk(session: Session, words: list[str], _stdin: str) -> Output:
    operands = [word for word in words[1:] if not word.startswith("-")]
    what, names = (operands[0] if operands else ""), operands[1:]
    if what not in ("add", "update", "upgrade", "del", "fetch"):
        return Output(0, "")
    if session.rights.uid != 0:
        denied = "Permission denied\n"
        text = (
            f"ERROR: Unable to lock database: {denied}ERROR: Failed to open apk database: {denied}"
        )
        return Output(_APK_LOCKED, "", text)
    version = ".".join(_release(session).get("VERSION_ID", "3.20").split(".")[:2])
    out, err = "", ""
    for part in ("main", "community"):
        place = f"https://dl-cdn.alpinelinux.org/alpine/v{version}/{part}"
        out += f"fetch {place}/x86_64/APKINDEX.tar.gz\n"
        err += f"WARNING: Ignoring {place}: temporary error (try again later)\n"
    if what == "update":
        return Output(2, out, f"{err}2 unavailable, 0 stale; 15 distinct packages available\n")
    if names:
        err += "ERROR: unable to select packages:\n"
        err += "".join(
            f"  {name} (no such package):\n    required by: world[{name}]\n" for name in names
        )
    return Output(1 if names else 0, out, err)


PACKAGE_COMMANDS: dict[str, Command] = {
    "apk": _apk,
    "apt": _apt,
    "apt-cache": _apt,
    "apt-get": _apt,
}
